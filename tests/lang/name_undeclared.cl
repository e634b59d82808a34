kernel void k(global float *out, global const int *in, int n) {
  out[0] = scale;
}
// expect: 2:12: error: use of undeclared identifier 'scale'
