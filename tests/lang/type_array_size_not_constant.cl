kernel void k(global float *out, global const int *in, int n) {
  int a[n];
  out[0] = a[0];
}
// expect: 2:8: error: variable length arrays are not supported in OpenCL
