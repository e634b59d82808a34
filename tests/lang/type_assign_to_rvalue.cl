kernel void k(global float *out, global const int *in, int n) {
  n + 1 = 2;
}
// expect: 2:9: error: expression is not assignable
