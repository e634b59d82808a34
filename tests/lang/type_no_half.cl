// options: no-fp16
kernel void k(global float *out, global const int *in, int n) {
  half h = 1.0h;
  out[0] = h;
}
// expect: 3:8: error: declaring variable of type 'half' is not allowed
// expect: 3:12: error: half precision constant requires cl_khr_fp16
