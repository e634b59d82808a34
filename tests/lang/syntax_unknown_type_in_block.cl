kernel void k(global float *out, global const int *in, int n) {
  uint23 x = 4;
  out[0] = x;
}
// expect: 2:3: error: unknown type name 'uint23'; did you mean 'uint'?
