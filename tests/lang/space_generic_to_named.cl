kernel void k(global float *out, global const int *in, int n) {
  float x = 1.0f;
  global float *p = &x;
  out[0] = *p;
}
// expect: 3:21: error: initializing '__global float *' with an expression of type 'float *' changes address space of pointer
