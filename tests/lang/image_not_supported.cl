constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void k(read_only image2d_t in, __write_only image3d_t out, global float4 *o) {
  o[0] = read_imagef(in, s, (int2)(0, 0));
  write_imageui(out, (int4)(0), (uint4)(0));
}
kernel void l(image2d_array_t a, sampler_t t, global int *o) {
  o[0] = get_image_width(a);
}
float4 helper(image1d_buffer_t b) {
  const sampler_t mine = CLK_FILTER_LINEAR;
  return read_imagef(b, 1);
}
// expect: 2:25: error: type 'image2d_t' is not supported: there are no images
