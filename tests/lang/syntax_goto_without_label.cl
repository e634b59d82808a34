kernel void k(global float *out, global const int *in, int n) {
  goto 3;
}
// expect: 2:8: error: expected identifier
