// options: std=300 no-sub-groups
#if defined(cl_khr_subgroups) || defined(__opencl_c_subgroups) || defined(__opencl_c_work_group_collective_functions)
#error the macros are there
#endif
kernel void k(global int *o) {
  o[0] = get_sub_group_size();
  o[1] = work_group_reduce_add(o[1]);
}
// expect: 6:10: error: 'get_sub_group_size' needs sub-groups, which the target does not have
// expect: 7:10: error: 'work_group_reduce_add' needs sub-groups, which the target does not have
