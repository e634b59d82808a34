// The mean of 5 by 5 pixels, RGBA8.
#ifdef BUFFERS
kernel void box5(global const uchar4 *restrict in, int width, int height, global uchar4 *restrict out, int out_width,
                 int out_height) {
  int x = get_global_id(0), y = get_global_id(1);
  float4 sum = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++)
      sum += convert_float4(in[clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)]) * (1 / 255.0f);
  out[y * out_width + x] = convert_uchar4_sat_rte(sum * (1 / 25.0f) * 255.0f);
}
#else
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void box5(read_only image2d_t in, write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++)
      sum += read_imagef(in, edge, p + (int2)(dx, dy));
  write_imagef(out, p, sum * (1 / 25.0f));
}
#endif
