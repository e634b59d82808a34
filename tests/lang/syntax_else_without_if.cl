kernel void k(global float *out, global const int *in, int n) {
  else
    out[0] = 1;
}
// expect: 2:3: error: expected expression
