// options: no-fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void k(global int *o) {
  o[0] = 1;
}
// expect: 2:9: warning: unsupported OpenCL extension 'cl_khr_fp64' - ignoring [-Wignored-pragmas]
