// To another size by linear interpolation: RGBA8.
#ifdef BUFFERS
kernel void resize(global const uchar4 *restrict in, int width, int height, global uchar4 *restrict out,
                   int out_width, int out_height) {
  int x = get_global_id(0), y = get_global_id(1);
  float u = (x + 0.5f) / out_width * width - 0.5f, v = (y + 0.5f) / out_height * height - 0.5f;
  float left = floor(u), above = floor(v), a = u - left, b = v - above;
  int x0 = clamp((int)left, 0, width - 1), x1 = clamp((int)left + 1, 0, width - 1);
  int y0 = clamp((int)above, 0, height - 1), y1 = clamp((int)above + 1, 0, height - 1);
  float4 upper = convert_float4(in[y0 * width + x0]) * (1 - a) + convert_float4(in[y0 * width + x1]) * a;
  float4 lower = convert_float4(in[y1 * width + x0]) * (1 - a) + convert_float4(in[y1 * width + x1]) * a;
  out[y * out_width + x] = convert_uchar4_sat_rte(upper * (1 - b) + lower * b);
}
#else
constant sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

kernel void resize(read_only image2d_t in, write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, p, read_imagef(in, linear, (convert_float2(p) + 0.5f) / convert_float2(get_image_dim(out))));
}
#endif
