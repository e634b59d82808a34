kernel void k(global float *out, global const int *in, int n) {
  out[0] = in[1.5f];
}
// expect: 2:15: error: array subscript is not an integer
