// A volume sampled between its pixels, halves and bytes of an image read and written, sizes, and channels of a format.
// run: -k volume -g 5 image:r:f32:2x2x2:0,1,2,3,4,5,6,7 sampler:clamp_to_edge,linear -p 2:f32 zero:f32:5
// expect: 2: 1 1 3.25 5.5 5.75
// run: -k volume -g 5 image:r:f32:2x2x2:0,1,2,3,4,5,6,7 sampler:clamp,linear,normalized -p 2:f32 zero:f32:5
// expect: 2: 0.5 2.25 1.75 0 0
// run: -k convert -g 3 image:rgba:f16:3x1:0,0.25,0.5,1,2,-1,0.75,0.125,1,1,0,0 image:bgra:unorm8:3x1 -p 1:u8
// expect: 1: 128 64 0 255 191 0 255 32 0 255 255 0
// run: -k sizes -g 1 image:rg:snorm16:7x5x3 -p 1:i32 zero:i32:5
// expect: 1: 7 5 3 1 1
kernel void volume(read_only image3d_t image, sampler_t sampler, global float *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(image, sampler, (float4)(0.25f * i + 0.25f, 1.0f, 0.5f * i, 0)).x;
}

kernel void convert(read_only image2d_t in, write_only image2d_t out) {
  int2 at = (int2)(get_global_id(0), 0);
  write_imagef(out, at, read_imagef(in, at));
}

kernel void sizes(read_only image2d_array_t image, global int *out) {
  out[0] = get_image_width(image);
  out[1] = get_image_height(image);
  out[2] = (int)get_image_array_size(image);
  out[3] = get_image_channel_order(image) == CLK_RG;
  out[4] = get_image_channel_data_type(image) == CLK_SNORM_INT16;
}
