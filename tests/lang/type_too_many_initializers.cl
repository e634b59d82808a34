kernel void k(global float *out, global const int *in, int n) {
  int a[2] = {1, 2, 3};
  out[0] = a[0];
}
// expect: 2:21: warning: excess elements in array initializer [-Wexcess-initializers]
