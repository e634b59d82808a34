kernel void k(global float *out, global const int *in, int n) {
  out[0] = ~5.0f;
}
// expect: 2:12: error: invalid argument type 'float' to unary expression
