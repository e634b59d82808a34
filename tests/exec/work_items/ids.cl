// Work-item functions in one, two and three dimensions.
// run: -g 8 -l 4 -p 0:i32 zero:i32:8
// expect: 0: 2100000 2100001 2100002 2100003 2100100 2100101 2100102 2100103
// run: -g 4,2 -l 2,1 -p 0:i32 zero:i32:8
// expect: 0: 2200000 2200001 2200100 2200101 2201000 2201001 2201100 2201101
// run: -g 2,2,2 -l 1,2,1 -p 0:i32 zero:i32:8
// expect: 0: 2300000 2300100 2300010 2300110 2310000 2310100 2310010 2310110
kernel void k(global int *o) {
  size_t i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
  o[i] = get_local_id(0) + 10 * get_local_id(1) + 100 * get_group_id(0) + 1000 * get_group_id(1) +
         10000 * get_group_id(2) + 100000 * get_work_dim() + 1000000 * get_num_groups(0);
}
