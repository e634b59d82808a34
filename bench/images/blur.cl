// One pass of a separable blur, along columns: RGBA half, nine weights.
#ifdef BUFFERS
kernel void blur(global const half *restrict in, int width, int height, global half *restrict out, int out_width,
                 int out_height, global const float *restrict weights) {
  int x = get_global_id(0), y = get_global_id(1);
  float4 sum = 0;
  for (int k = 0; k < 9; k++)
    sum += weights[k] * vload_half4(clamp(y + k - 4, 0, height - 1) * width + x, in);
  vstore_half4_rte(sum, y * out_width + x, out);
}
#else
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void blur(read_only image2d_t in, write_only image2d_t out, global const float *weights) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = 0;
  for (int k = 0; k < 9; k++)
    sum += weights[k] * read_imagef(in, edge, p + (int2)(0, k - 4));
  write_imagef(out, p, sum);
}
#endif
