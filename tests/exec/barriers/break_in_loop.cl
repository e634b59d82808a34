// A loop with a barrier that the whole group leaves by break.
// run: -g 8 -l 4 -p 0:i32 iota:i32:8
// expect: 0: 33 0 31 2 4 45 6 47
kernel void k(global int *a) {
  local int t[4];
  int l = get_local_id(0), i = get_global_id(0);
  t[l] = a[i];
  for (int n = 0;; n++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (n == 3 + (int)get_group_id(0))
      break;
    int v = t[(l + 1) & 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v & 1) continue_label: v += 10;
    t[l] = v;
  }
  a[i] = t[l];
}
