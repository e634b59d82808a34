// Dimension arguments outside the range give 0 or 1.
// run: -g 2 -p 0:i32 zero:i32:14
// expect: 0: 0 1 1 1 0 0 0 0 1 1 1 0 0 0
kernel void k(global int *o) {
  uint d = get_work_dim() + 2;
  o[7 * get_global_id(0)] = get_global_id(d);
  o[7 * get_global_id(0) + 1] = get_global_size(d);
  o[7 * get_global_id(0) + 2] = get_local_size(5);
  o[7 * get_global_id(0) + 3] = get_num_groups(1);
  o[7 * get_global_id(0) + 4] = get_group_id(2);
  o[7 * get_global_id(0) + 5] = get_global_offset(9);
  o[7 * get_global_id(0) + 6] = get_local_id(d);
}
