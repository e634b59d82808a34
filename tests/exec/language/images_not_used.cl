// Declarations of images and samplers, and functions that read them, beside kernels that use none.
// run: -g 4 -p 0:i32:4 zero:i32:16
// expect: 0: 3 5 7 9
#define READ(image, at) read_imagef(image, SAMPLER, at)
__constant sampler_t SAMPLER = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

inline float4 pixel(__read_only image2d_t image, int2 at) {
  const sampler_t mine = CLK_NORMALIZED_COORDS_FALSE;
  return READ(image, at) + read_imagef(image, mine, at);
}

inline int twice(int x) { return x * 2; }

kernel void plain(global int *out) {
  int i = get_global_id(0);
  out[i] = twice(i) + 3;
}
