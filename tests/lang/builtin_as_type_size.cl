kernel void k(global float *out, global const int *in, int n) {
  out[0] = as_float((short)1);
}
// expect: 2:12: error: invalid reinterpretation: sizes of 'float' and 'short' must match
