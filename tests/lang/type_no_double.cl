// options: no-fp64
kernel void k(global float *out, global const int *in, int n) {
  double d = 1.0;
  out[0] = d;
}
// expect: 3:3: error: use of type 'double' requires cl_khr_fp64 support
// expect: 3:14: warning: double precision constant requires cl_khr_fp64, casting to single precision [-Wsingle-precision-constant]
