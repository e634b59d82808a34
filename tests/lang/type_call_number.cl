kernel void k(global float *out, global const int *in, int n) {
  out[0] = n(1);
}
// expect: 2:12: error: called object type 'int' is not a function or function pointer
