// run: -k images -g 8,4 -p 3:f32 -p 4:f32 -p 5:f32 -p 6:i32 image:rgba:f32:8x4:rand image:rgba:unorm8:8x4x2:rand sampler:clamp_to_edge,linear image:rgba:f32:8x4 image:r:f32:8x4x2 image:rgba:f16:8x4:rand zero:i32:4
// Images as parameters of a helper, in the variables of a compiler that does not optimise, with a sampler of each kind.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant sampler_t fixed = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
float4 get(read_only image2d_t image, sampler_t sampler, int2 at) { return read_imagef(image, sampler, at); }
kernel void images(read_only image2d_t in, read_only image3d_t volume, sampler_t sampler, write_only image2d_t out,
                   write_only image2d_array_t layers, read_write image2d_t both, global int *sizes) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float2 place = convert_float2(at) + (float2)(0.25f, 0.75f);
  float4 v = get(in, fixed, at - 1) + read_imagef(in, sampler, place) + read_imagef(in, at);
  write_imagef(out, at, v);
  v += read_imagef(volume, sampler, (float4)(place, 0.5f, 0)) + read_imagef(volume, (int4)(at, 1, 0));
  write_imagef(layers, (int4)(at, 1, 0), v);
  write_imageh(both, at, read_imageh(both, at) * (half)2);
  sizes[0] = get_image_width(in) + 100 * get_image_height(out);
  sizes[1] = get_image_depth(volume);
  sizes[2] = (int)get_image_array_size(layers);
  sizes[3] = get_image_dim(volume).z + get_image_dim(both).x + get_image_channel_order(in);
}
