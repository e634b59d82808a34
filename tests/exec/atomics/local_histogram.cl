// Atomics on local memory.
// run: -g 32 -l 16 -p 1:i32 iota:u8:32 zero:i32:4
// expect: 1: 8 8 8 8
kernel void k(global const uchar *a, global int *h) {
  local int bins[4];
  int l = get_local_id(0);
  if (l < 4) bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&bins[a[get_global_id(0)] & 3]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 4) atomic_add(&h[l], bins[l]);
}
