// run: -k tree -g 96 -l 32 -p 1:i32 -p 2:u32 rand:i32:96:7:-50:50 zero:i32:3 zero:u32:4 local:128
kernel void tree(global const int *x, global int *sums, global atomic_uint *kinds, local int *t) {
  size_t l = get_local_id(0);
  int value = x[get_global_id(0)];
  t[l] = value;
  for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < step)
      t[l] += t[l + step];
  }
  if (l == 0)
    sums[get_group_id(0)] = t[0];
  switch (value & 7) {
  case 0:
  case 3:
    atomic_fetch_add_explicit(&kinds[0], 1, memory_order_relaxed);
  case 5: // falls through
    atomic_fetch_max_explicit(&kinds[1], (uint)value & 63, memory_order_relaxed);
    break;
  case 6:
    atomic_fetch_xor_explicit(&kinds[2], (uint)value, memory_order_relaxed);
    break;
  default:
    atomic_fetch_or_explicit(&kinds[3], 1u << (value & 31), memory_order_relaxed);
  }
}
