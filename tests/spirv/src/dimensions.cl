// run: -g 4,2,2 -l 2,2,1 --offset 3,0,1 -k dimensions -p 1:u64 -p 2:u64 list:i32:0,1,2,3,-1,4,2,1,1,99,2,0,3,1,0,-2147483648 zero:u64:9 zero:u64:32
// Built-in functions of a dimension that only the launch knows, and of dimensions beyond the third.
ulong of_dimension(int d) {
  return get_global_id(d) + 10 * get_global_size(d) + 1000 * get_local_id(d) + 10000 * get_local_size(d) +
         100000 * get_num_groups(d) + 1000000 * get_group_id(d) + 10000000 * get_global_offset(d) +
         100000000 * get_enqueued_local_size(d);
}

kernel void dimensions(global const int *dimension, global ulong *fixed, global ulong *out) {
  int i = get_global_linear_id();
  out[i] = of_dimension(dimension[i]);
  out[16 + i] = get_global_id(dimension[i]) << 8 | get_local_size(dimension[i]);
  if (i)
    return;
  fixed[0] = get_global_id(3);
  fixed[1] = get_global_size(4);
  fixed[2] = get_local_id(3);
  fixed[3] = get_local_size(5);
  fixed[4] = get_num_groups(3);
  fixed[5] = get_group_id(7);
  fixed[6] = get_global_offset(99);
  fixed[7] = get_enqueued_local_size(-1);
  fixed[8] = get_global_size(2) + get_global_offset(2);
}
