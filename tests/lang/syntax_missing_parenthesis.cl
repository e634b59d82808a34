kernel void k(global float *out, global const int *in, int n) {
  out[0] = (1.0f + 2.0f;
}
// expect: 2:24: error: expected ')'
// expect: 2:12: note: to match this '('
