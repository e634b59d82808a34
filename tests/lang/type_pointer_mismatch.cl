kernel void k(global float *out, global const int *in, int n) {
  global int *p = out;
  out[0] = *p;
}
// expect: 2:19: warning: incompatible pointer types initializing '__global int *' with an expression of type '__global float *' [-Wincompatible-pointer-types]
