// A global offset moves the ids.
// run: -g 4 --offset 10 -p 0:i32 zero:i32:4
// expect: 0: 10 11 12 13
// run: -g 2,2 --offset 3,5 -p 0:i32 zero:i32:4
// expect: 0: 503 504 603 604
kernel void k(global int *o) {
  size_t i = get_global_id(0) - get_global_offset(0), j = get_global_id(1) - get_global_offset(1);
  o[j * get_global_size(0) + i] = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_group_id(0);
}
