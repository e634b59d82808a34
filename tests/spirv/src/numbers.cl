// run: -k numbers -g 24 -p 2:i32 -p 3:f32 rand:i32:96:3 rand:f32:96:4:-300:300 zero:i32:192 zero:f32:96
kernel void numbers(global const int4 *x, global const float4 *y, global int8 *ints, global float4 *floats) {
  int i = get_global_id(0);
  int4 a = x[i];
  float4 f = y[i], whole;
  int4 exponent;
  char4 bytes = convert_char4_sat(f);
  uint4 u = convert_uint4_sat_rte(f * 1e7f);
  ints[i] = (int8)(rotate(a.x, 5), mul_hi(a.y, a.z), clz(a.w), popcount(a.x), abs_diff(a.z, a.w), add_sat(a.x, a.y),
                   (int)bytes.y + hadd(a.x, a.z), (int)(u.x ^ u.z));
  float4 part = fract(f, &whole), mantissa = frexp(f, &exponent);
  float4 picked = select(part, mantissa, a < 0);
  picked.w = any(isgreater(f, 0.0f)) ? ldexp(picked.w, exponent.x & 3) : as_float(a.y & 0x7fffff | 0x3f800000);
  floats[i] = picked + floor(whole) + shuffle(f, (uint4)(3, 2, 1, 0)) * 0.0f;
}
