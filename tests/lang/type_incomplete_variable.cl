kernel void k(global float *out, global const int *in, int n) {
  struct unknown v;
  out[0] = 1;
}
// expect: 2:18: error: variable has incomplete type 'struct unknown'
