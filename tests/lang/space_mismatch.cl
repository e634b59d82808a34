kernel void k(global float *out, global const int *in, int n) {
  local float *p = out;
  out[0] = *p;
}
// expect: 2:20: error: initializing '__local float *' with an expression of type '__global float *' changes address space of pointer
