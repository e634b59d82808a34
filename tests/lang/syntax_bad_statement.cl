kernel void k(global float *out, global const int *in, int n) {
  out[0] = 1;
  ) out[1] = 2;
}
// expect: 3:3: error: expected expression
