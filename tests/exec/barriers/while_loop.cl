// A while loop with a barrier whose condition comes from local memory.
// run: -g 8 -l 8 -p 0:i32 -p 1:i32 list:i32:5,3,8,1,9,2,7,4 zero:i32:1
// stats: cpu:x86-64-v3 lanes 16, contiguous 10, uniform 4
// expect: 0: 1 2 3 4 5 7 8 9
// expect: 1: 3
kernel void k(global int *a, global int *rounds) {
  local int t[8], swapped;
  int l = get_local_id(0), n = 0;
  t[l] = a[l];
  do {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) swapped = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int odd = 0; odd < 2; odd++) {
      if ((l & 1) == odd && l < 7 && t[l] > t[l + 1]) {
        int x = t[l];
        t[l] = t[l + 1];
        t[l + 1] = x;
        swapped = 1;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    n++;
  } while (swapped);
  a[l] = t[l];
  if (l == 0) *rounds = n;
}
