// Values exchanged through local memory.
// run: -g 8 -l 4 -p 0:i32 iota:i32:8
// stats: cpu:x86-64-v3 lanes 16, permuted 1, contiguous 3
// expect: 0: 30 20 10 0 70 60 50 40
kernel void k(global int *a) {
  local int t[4];
  int l = get_local_id(0);
  t[l] = a[get_global_id(0)] * 10;
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = t[3 - l];
}
