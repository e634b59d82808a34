// A barrier in a branch that the whole group takes.
// run: -g 8 -l 4 -p 0:i32 iota:i32:8 i32=1
// expect: 0: 0 -1 -2 -3 105 104 107 106
// run: -g 8 -l 4 -p 0:i32 iota:i32:8 i32=0
// expect: 0: 0 -1 -2 -3 -4 -5 -6 -7
kernel void k(global int *a, int deep) {
  local int t[4];
  int l = get_local_id(0), i = get_global_id(0), r = a[i];
  if (deep && get_group_id(0) == 1) {
    t[l] = r;
    barrier(CLK_LOCAL_MEM_FENCE);
    r = t[l ^ 1] + 100;
  } else {
    r = -r;
  }
  a[i] = r;
}
