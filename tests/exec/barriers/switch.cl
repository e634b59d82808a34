// A switch on a uniform value with a barrier in one case.
// run: -g 12 -l 4 -p 0:i32 iota:i32:12
// expect: 0: 3 2 1 0 0 0 0 0 11 12 13 14
kernel void k(global int *a) {
  local int t[4];
  int l = get_local_id(0), i = get_global_id(0);
  switch (get_group_id(0)) {
  case 0:
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = t[3 - l];
    break;
  case 1: a[i] = 0; break;
  default:
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] += t[0] + t[3];
  }
}
