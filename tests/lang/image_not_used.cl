__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST, other = 0;
const constant sampler_t linear = CLK_FILTER_LINEAR;
inline float4 read(__read_only image2d_t image, int2 at);
inline float4 read(__read_only image2d_t image, int2 at) {
  const sampler_t mine = linear;
  return read_imagef(image, nearest, at) + read_imagef(image, mine, at);
}
inline void copy(__read_only image2d_t in, __write_only image2d_t out, int2 at) {
  if (at.x < get_image_width(out))
    write_imagef(out, at, read(in, at));
}
__attribute__((overloadable)) int width(image2d_t image) { return get_image_width(image); }
__attribute__((overloadable)) int width(image3d_t image) { return get_image_width(image); }
__attribute__((overloadable)) int width(int x) { return x; }
inline void tell(write_only pipe int p) { write_pipe(p, 0); }
kernel void k(global int *o) { o[0] = width(5); }
// expect: none
