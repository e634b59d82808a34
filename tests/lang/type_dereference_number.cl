kernel void k(global float *out, global const int *in, int n) {
  out[0] = *n;
}
// expect: 2:12: error: indirection requires pointer operand ('int' invalid)
