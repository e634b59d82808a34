kernel void k(global float *out, global const int *in, int n) {
  out[0] = 1.0f + ;
}
// expect: 2:19: error: expected expression
