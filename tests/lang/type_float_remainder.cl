kernel void k(global float *out, global const int *in, int n) {
  out[0] = 5.0f % 2.0f;
}
// expect: 2:17: error: invalid operands to binary expression ('float' and 'float')
