kernel void k(global float *out, global const int *in, int n) {
  int a[-1];
  out[0] = a[0];
}
// expect: 2:9: error: array has a negative size
