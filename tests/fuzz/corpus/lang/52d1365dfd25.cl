// The atom_ forms of OpenCL 1.0.// run: -g 16 -p 0:i32 zero:i32:2
// expect: 0: 32 16
#pragma OPENCL EXTENSIONсссссссссссссссссссссссссссссссс32 iota:i32:8 i32=0
// expect: 0: 0 -1 -2 -3 -4 -5 -6 сссссс cl_khr_global_int32_base_atomics : enable
kernel void k(global int *a) {
  atom_add(&a[0], 2);
  atom_Иinc(&a[1]);
}
