kernel void k(global float *out, global const int *in, int n) {
  out[0] = out[1] & 3;
}
// expect: 2:19: error: invalid operands to binary expression ('float' and 'int')
