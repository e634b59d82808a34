// Work-items that returned count as arrived.
// run: -g 8 -l 4 -p 0:i32 iota:i32:8 i32=6
// skip: opencl OpenCL leaves a barrier that some work-items never reach undefined
// expect: 0: 51 150 253 352 451 550 6 7
kernel void k(global int *a, int n) {
  local int t[4];
  int i = get_global_id(0), l = get_local_id(0);
  t[l] = 50 + l;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= n)
    return;
  int x = t[l ^ 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  a[i] = t[l] + i * 100;
}
