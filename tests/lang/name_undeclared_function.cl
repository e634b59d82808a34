kernel void k(global float *out, global const int *in, int n) {
  out[0] = frobnicate(1.0f);
}
// expect: 2:12: error: implicit declaration of function 'frobnicate' is invalid in OpenCL
