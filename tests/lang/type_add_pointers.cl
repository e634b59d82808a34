kernel void k(global float *out, global const int *in, int n) {
  out[0] = *(out + out);
}
// expect: 2:18: error: invalid operands to binary expression ('__global float *' and '__global float *')
//   |   out[0] = *(out + out);
//   |                  ^
