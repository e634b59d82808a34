// half_ functions are within 8192 ulp for all arguments of theirs: angles of many turns, also next to multiples of pi/2,
// and divisors whose reciprocals are subnormal.
// run: -g 8 -p 1:f32 list:f32:0.5,-1.25,6283.1855,-40000.25,65535.5,65536,505.796417,252.898209 zero:f32:32
// tolerance: 9.7e-4
// expect: 1: 0.479425539 0.877582562 0.54630249 2.54313151e-06 -0.948984619 0.315322362 -3.00956967 -6.35782878e-06 0.000239695411 0.999999971 0.000239695418 0.0319579343 -0.996923449 0.0783813516 -12.7188857 -0.203451792 0.953410588 -0.301675737 -3.16038206 0.33333079 0.692065454 -0.721834751 -0.958758847 0.333333333 -8.37141361e-09 -1 8.37141361e-09 0.00257261361 1 -4.1857068e-09 -238908277 0.00128630681
kernel void k(global const float *a, global float *o) {
  size_t i = get_global_id(0);
  float x = a[i];
  o += 4 * i;
  o[0] = half_sin(x);
  o[1] = half_cos(x);
  o[2] = half_tan(x);
  o[3] = half_divide(x * 0x1p110f, 0x1.8p127f);
}
