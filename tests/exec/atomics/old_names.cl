// The atom_ forms of OpenCL 1.0.
// run: -g 16 -p 0:i32 zero:i32:2
// expect: 0: 32 16
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
kernel void k(global int *a) {
  atom_add(&a[0], 2);
  atom_inc(&a[1]);
}
