kernel void k(global float *out, global const int *in, int n) {
  out[0 = 1.0f;
}
// expect: 2:9: error: expression is not assignable
// expect: 2:15: error: expected ']'
// expect: 2:6: note: to match this '['
