// options: std=120
#if !defined(cl_khr_subgroups) || defined(__opencl_c_subgroups)
#error macros
#endif
kernel void k(global int *o) {
  o[0] = sub_group_reduce_add(o[0]);
  o[1] = work_group_reduce_add(o[1]);
}
// expect: 7:10: error: function 'work_group_reduce_add' is of OpenCL C 2.0 and later: -cl-std=CL2.0
