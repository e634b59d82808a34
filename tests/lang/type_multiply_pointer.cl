kernel void k(global float *out, global const int *in, int n) {
  out[0] = *(out * 2);
}
// expect: 2:18: error: invalid operands to binary expression ('__global float *' and 'int')
