// cl_khr_fp16: conversions to and from half with each rounding, saturation, reinterpretation.
// run: -g 8 -p 2:u16 -p 3:u16 -p 5:i32 -p 6:u16 list:f32:0.1,2049.0,-2051.0,65519.0,65520.0,1e-08,-7.7,3e-05 list:i32:1,-300,2049,2051,65535,70000,-100000,7 zero:u16:32 zero:u16:8 list:u16:15872,48640,16640,23731,55872,31743,14295,47104 zero:i32:32 zero:u16:4
// expect: 2: 11878 11878 11879 11878 26624 26624 26625 26624 59394 59393 59393 59394 31743 31743 31744 31743 31744 31743 31744 31743 0 0 1 0 51123 51123 51123 51124 503 503 504 503
// expect: 3: 15360 56496 26624 26626 31744 31744 64512 18176
// expect: 5: 1 2 1 2 -1 0 -2 -1 2 2 2 3 127 255 300 301 -128 0 -200 -200 127 255 65504 65504 0 0 0 1 0 0 -1 0
// expect: 6: 15360 48128 17 15360
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const float *f, global const int *n, global half *o, global half *h, global const half *a, global int *c,
              global half *w) {
  int i = get_global_id(0);
  o[4 * i] = convert_half_rte(f[i]);
  o[4 * i + 1] = convert_half_rtz(f[i]);
  o[4 * i + 2] = convert_half_rtp(f[i]);
  o[4 * i + 3] = convert_half_rtn(f[i]);
  h[i] = n[i];
  c[4 * i] = convert_char_sat(a[i]);
  c[4 * i + 1] = convert_uchar_sat_rte(a[i]);
  c[4 * i + 2] = convert_int_rtn(a[i]);
  c[4 * i + 3] = convert_int2_rtp((half2)(a[i])).y;
  if (i == 0)
    vstore4((half4)(as_half((short)0x3c00), convert_half2(as_short2(0x0001ffff)).x, as_half2(0x00110000).y, (half)1.0), 0, w);
}
