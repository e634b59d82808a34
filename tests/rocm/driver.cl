// The kernels of driver.c.
kernel void add(global int *x, int n) { x[get_global_id(0)] += n; }

kernel void sizes(global ulong *out) {
  for (int d = 0; d < 3; d++)
    if (get_global_id(d) != get_global_size(d) - 1 + get_global_offset(d))
      return;
  for (int d = 0; d < 3; d++) {
    out[d] = get_global_id(d);
    out[3 + d] = get_global_size(d);
    out[6 + d] = get_local_size(d);
    out[9 + d] = get_num_groups(d);
  }
}

kernel void sum(global int *out, local int *part, local int *total) {
  size_t i = get_local_id(0);
  part[i] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i == 0) {
    *total = 0;
    for (int k = 0; k < get_local_size(0); k++)
      *total += part[k];
    out[get_group_id(0)] = *total;
  }
}
