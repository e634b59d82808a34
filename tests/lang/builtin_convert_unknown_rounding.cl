kernel void k(global float *out, global const int *in, int n) {
  out[0] = convert_int_rtx(1.5f);
}
// expect: 2:12: error: implicit declaration of function 'convert_int_rtx' is invalid in OpenCL
