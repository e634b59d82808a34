// Each kernel has its own local variables.
// run: -k two -g 4 -l 4 -p 0:i32 iota:i32:4
// expect: 0: 73 72 71 70
kernel void one(global int *a) { local int t[100]; t[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = t[0]; }
kernel void two(global int *a) {
  local int t[4];
  local int u;
  t[get_local_id(0)] = a[get_global_id(0)];
  if (get_local_id(0) == 2) u = 7;
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = t[3 - get_local_id(0)] + u * 10;
}
