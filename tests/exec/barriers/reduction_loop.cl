// A tree reduction: barriers inside a loop.
// run: -g 32 -l 16 -p 1:i32 iota:i32:32 zero:i32:2
// expect: 1: 120 376
kernel void k(global const int *a, global int *o) {
  local int t[16];
  int l = get_local_id(0);
  t[l] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (l < s)
      t[l] += t[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    o[get_group_id(0)] = t[0];
}
