kernel void k(global float *out, global const int *in, int n) {
  out[0] = sizeof(struct unknown);
}
// expect: 2:12: error: invalid application of 'sizeof' to an incomplete type 'struct unknown'
