// expm1 and log1p have the sign of their argument, also of -0 and 0.
// run: -g 4 -p 1:i32 list:f32:-0,0,-1e-10,1 zero:i32:16
// expect: 1: 1 1 1 1 0 0 0 0 1 1 1 1 0 0 0 0
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void k(global const float *a, global int *o) {
  int i = get_global_id(0);
  o[4 * i] = signbit(expm1(a[i]));
  o[4 * i + 1] = signbit(log1p(a[i]));
  o[4 * i + 2] = signbit(expm1((double)a[i]));
  o[4 * i + 3] = signbit(log1p((double)a[i]));
}
