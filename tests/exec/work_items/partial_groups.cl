// Sizes that are no multiple of the local size leave smaller last groups.
// run: -g 10 -l 4 -p 0:i32 -p 1:i32 zero:i32:10 zero:i32:10
// skip: opencl PoCL has no partial groups
// expect: 0: 400 401 402 403 410 411 412 413 220 221
// expect: 1: 310 310 310 310 310 310 310 310 310 310
kernel void k(global int *o, global int *n) {
  size_t i = get_global_id(0);
  o[i] = get_local_size(0) * 100 + get_group_id(0) * 10 + get_local_id(0);
  n[i] = get_num_groups(0) * 100 + get_global_size(0);
}
