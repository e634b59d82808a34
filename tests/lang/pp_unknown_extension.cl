#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION all : disable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_acme_teleport : enable
#pragma OPENCL EXTENSION NULL : enable
#pragma OPENCL EXTENSION all : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : require
#pragma OPENCL EXTENSION cl_khr_fp64
#pragma OPENCL EXTENSION
_Pragma("OPENCL EXTENSION cl_acme_other : disable")
kernel void k(global int *o) {
  o[0] = 1;
}
// expect: 4:9: warning: unknown OpenCL extension 'cl_acme_teleport' - ignoring [-Wignored-pragmas]
// expect: 5:9: warning: unknown OpenCL extension 'NULL' - ignoring [-Wignored-pragmas]
// expect: 6:9: warning: expected 'disable' - ignoring [-Wignored-pragmas]
// expect: 7:9: warning: expected 'enable', 'disable', 'begin' or 'end' - ignoring [-Wignored-pragmas]
// expect: 8:9: warning: missing ':' after 'cl_khr_fp64' - ignoring [-Wignored-pragmas]
// expect: 9:9: warning: expected identifier in '#pragma OPENCL' - ignored [-Wignored-pragmas]
// expect: 10:1: warning: unknown OpenCL extension 'cl_acme_other' - ignoring [-Wignored-pragmas]
