kernel void k(global float *out, global const int *in, int n) {
  out[0] = n[0];
}
// expect: 2:12: error: subscripted value is not an array, pointer, or vector
