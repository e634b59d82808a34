// ldexp, ilogb, logb, nextafter, fdim, fmod, remainder, nan.
// run: -g 4 -p 1:f32 -p 2:i32 list:f32:2.75,-0.3,100.5,1e-40 zero:f32:28 zero:i32:4
// expect: 1: 22 1 2.7500002 1.75 0.25 0.75 1 -2.4 -2 -0.29999998 0 -0.3 -0.3 1 804 6 100.49999 99.5 0 0.5 1 7.99996e-40 -133 1.00001e-40 0 9.99995e-41 9.99995e-41 1
// expect: 2: 1 -2 6 -133
kernel void k(global const float *a, global float *o, global int *n) {
  size_t i = get_global_id(0);
  float x = a[i];
  o += 7 * i;
  o[0] = ldexp(x, 3); o[1] = logb(x); o[2] = nextafter(x, 10.0f); o[3] = fdim(x, 1.0f); o[4] = fmod(x, 0.5f);
  o[5] = remainder(x, 2.0f); o[6] = isnan(nan(5u));
  n[i] = ilogb(x);
}
