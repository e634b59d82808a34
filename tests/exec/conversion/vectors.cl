// Vector conversions between element types, with saturation.
// run: -g 2 -p 1:u8 -p 2:f32 -p 3:i16 list:f32:1.5,-3,300,255,0,12.25,-0.1,99999 zero:u8:8 zero:f32:8 zero:i16:8
// expect: 1: 1 0 255 255 0 12 0 255
// expect: 2: 1 -3 300 255 0 12 0 99999
// expect: 3: 2 -3 300 255 0 12 0 32767
kernel void k(global const float4 *a, global uchar4 *c, global float4 *f, global short4 *s) {
  size_t i = get_global_id(0);
  c[i] = convert_uchar4_sat(a[i]);
  f[i] = convert_float4(convert_int4(a[i]));
  s[i] = convert_short4_sat_rte(a[i]);
}
