// Floats that choices keep within the integers need no saturation; those that only seem to, do.
// run: -g 8 -p 1:i32 -p 2:u8 list:f32:nan,inf,-inf,3e9,-3e9,1e38,7.5,-7.5 zero:i32:64 zero:u8:32 i32=7 i32=2147483647
// expect: 1: -1 7 -1 7 -1 7 7 -1 -1 2147483647 -1 2147483647 -1 2147483647 7 -1 -1 2147483647 -1 2147483647 -1 2147483647 7 -1 5 5 -6 5 -6 5 5 -6 0 5 -6 5 -6 5 5 -6 0 -1 -2147483648 -1 -2147483648 -1 -1 -7 -1 2147483520 -1 2147483520 -1 2147483520 8 -1 5 5 -2147483648 5 -2147483648 5 5 -7
// expect: 2: 0 255 0 255 0 255 7 0 0 255 0 255 0 255 8 0 0 255 0 255 0 255 7 0 0 9 0 9 0 9 7 0
kernel void k(global const float *a, global int *o, global uchar *c, int n, int most) {
  int i = get_global_id(0);
  float x = a[i], u = x > -1.0f ? x : -1.0f, v = x < 5.0f ? x : 5.0f, w;
  o[i] = (int)(u < (float)min(n, 1 << 30) ? u : (float)min(n, 1 << 30));
  o[8 + i] = (int)(u < (float)most ? u : (float)most); // which is 2^31
  o[16 + i] = (int)(-1.0f < x ? x : -1.0f);            // no upper limit
  o[24 + i] = (int)(v < -6.0f ? -6.0f : v);            // NaN has become 5
  w = x < -6.0f ? -6.0f : x;
  o[32 + i] = (int)(5.0f < w ? 5.0f : w); // NaN remains
  o[40 + i] = (int)(x > -1.0f ? -1.0f : x); // a minimum, with x for NaN
  o[48 + i] = convert_int_rte(u < 2147483520.0f ? u : 2147483520.0f);
  o[56 + i] = convert_int_rtp(v > -2147483648.0f ? v : -2147483648.0f);
  u = x > 0.0f ? x : 0.0f;
  c[i] = (uchar)(u < 255.0f ? u : 255.0f);
  c[8 + i] = convert_uchar_sat_rte(u < 255.5f ? u : 255.5f);
  c[16 + i] = (uchar)(u < 256.0f ? u : 256.0f);
  u = x > -0.5f ? x : -0.5f;
  c[24 + i] = convert_uchar_sat_rtn(u < 9.0f ? u : 9.0f);
}
