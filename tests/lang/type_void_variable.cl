kernel void k(global float *out, global const int *in, int n) {
  void v;
  out[0] = 1;
}
// expect: 2:8: error: variable has incomplete type 'void'
