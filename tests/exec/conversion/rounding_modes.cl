// Explicit conversions with a rounding mode.
// run: -g 6 -p 1:i32 -p 2:i32 -p 3:i32 -p 4:i32 list:f32:1.5,2.5,-1.5,-2.5,0.4,-0.6 zero:i32:6 zero:i32:6 zero:i32:6 zero:i32:6
// expect: 1: 2 2 -2 -2 0 -1
// expect: 2: 1 2 -1 -2 0 0
// expect: 3: 2 3 -1 -2 1 0
// expect: 4: 1 2 -2 -3 0 -1
kernel void k(global const float *a, global int *e, global int *z, global int *p, global int *n) {
  size_t i = get_global_id(0);
  e[i] = convert_int_rte(a[i]);
  z[i] = convert_int_rtz(a[i]);
  p[i] = convert_int_rtp(a[i]);
  n[i] = convert_int_rtn(a[i]);
}
