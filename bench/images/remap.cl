// Each pixel from a place between others, which a buffer has: RGBA8, linear.
#ifdef BUFFERS
kernel void remap(global const uchar4 *restrict in, int width, int height, global const float2 *restrict places,
                  global uchar4 *restrict out, int out_width, int out_height) {
  int x = get_global_id(0), y = get_global_id(1);
  float2 place = places[y * out_width + x] - 0.5f;
  float left = floor(place.x), above = floor(place.y), a = place.x - left, b = place.y - above;
  int x0 = clamp((int)left, 0, width - 1), x1 = clamp((int)left + 1, 0, width - 1);
  int y0 = clamp((int)above, 0, height - 1), y1 = clamp((int)above + 1, 0, height - 1);
  float4 upper = convert_float4(in[y0 * width + x0]) * (1 - a) + convert_float4(in[y0 * width + x1]) * a;
  float4 lower = convert_float4(in[y1 * width + x0]) * (1 - a) + convert_float4(in[y1 * width + x1]) * a;
  out[y * out_width + x] = convert_uchar4_sat_rte(upper * (1 - b) + lower * b);
}
#else
constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

kernel void remap(read_only image2d_t in, global const float2 *places, write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, p, read_imagef(in, linear, places[p.y * get_image_width(out) + p.x]));
}
#endif
