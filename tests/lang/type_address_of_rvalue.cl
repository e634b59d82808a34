kernel void k(global float *out, global const int *in, int n) {
  int *p = &(n + 1);
  out[0] = *p;
}
// expect: 2:12: error: cannot take the address of an rvalue of type 'int'
