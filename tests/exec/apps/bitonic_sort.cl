// One group sorts in local memory.
// run: -g 16 -l 16 -p 0:i32 list:i32:9,3,15,-2,7,0,8,8,100,-50,42,1,6,5,4,2
// expect: 0: -50 -2 0 1 2 3 4 5 6 7 8 8 9 15 42 100
kernel void sort(global int *a) {
  local int t[16];
  uint l = get_local_id(0);
  t[l] = a[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 2; k <= 16; k <<= 1)
    for (uint j = k >> 1; j > 0; j >>= 1) {
      uint p = l ^ j;
      if (p > l && ((l & k) == 0) == (t[l] > t[p])) {
        int x = t[l];
        t[l] = t[p];
        t[p] = x;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  a[l] = t[l];
}
