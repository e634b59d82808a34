// Colours through a table of 33 by 33 by 33 entries, linear between them: RGBA8, the table RGBA float.
#ifdef BUFFERS
float4 between(float4 a, float4 b, float share) { return a * (1 - share) + b * share; }

kernel void lut3d(global const uchar4 *restrict in, int width, int height, global const float4 *restrict table,
                  int table_width, int table_height, int table_depth, global uchar4 *restrict out, int out_width,
                  int out_height) {
  int x = get_global_id(0), y = get_global_id(1);
  float3 last = (float3)(table_width - 1, table_height - 1, table_depth - 1);
  float3 at = convert_float3(in[y * width + x].xyz) * (1 / 255.0f) * last, low = floor(at), share = at - low;
  int3 a = convert_int3(low), b = min(a + 1, convert_int3(last));
  int front = a.z * table_height, back = b.z * table_height;
  global const float4 *p = table + (front + a.y) * table_width, *q = table + (front + b.y) * table_width;
  global const float4 *r = table + (back + a.y) * table_width, *s = table + (back + b.y) * table_width;
  float4 near = between(between(p[a.x], p[b.x], share.x), between(q[a.x], q[b.x], share.x), share.y);
  float4 far = between(between(r[a.x], r[b.x], share.x), between(s[a.x], s[b.x], share.x), share.y);
  out[y * out_width + x] = convert_uchar4_sat_rte(between(near, far, share.z) * 255.0f);
}
#else
constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

kernel void lut3d(read_only image2d_t in, read_only image3d_t table, write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float4 last = convert_float4(get_image_dim(table) - 1);
  write_imagef(out, p, read_imagef(table, linear, read_imagef(in, p) * last + 0.5f));
}
#endif
