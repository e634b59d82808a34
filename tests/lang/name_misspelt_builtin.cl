kernel void k(global float *out, global const int *in, int n) {
  out[get_gobal_id(0)] = 1.0f;
}
// expect: 2:7: error: implicit declaration of function 'get_gobal_id' is invalid in OpenCL; did you mean 'get_global_id'?
