// A prefix sum with two barriers per step.
// run: -g 16 -l 8 -p 0:i32 fill:i32:16:3
// stats: cpu:x86-64-v3 lanes 16, contiguous 7
// expect: 0: 3 7 12 18 25 33 42 52 3 7 12 18 25 33 42 52
kernel void k(global int *a) {
  local int t[8];
  int l = get_local_id(0);
  t[l] = a[get_global_id(0)] + l;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < 8; d *= 2) {
    int v = l >= d ? t[l - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] += v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  a[get_global_id(0)] = t[l];
}
