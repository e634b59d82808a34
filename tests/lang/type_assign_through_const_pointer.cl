kernel void k(global float *out, global const int *in, int n) {
  in[0] = 1;
}
// expect: 2:9: error: read-only variable is not assignable
