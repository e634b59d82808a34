// Dynamic programming along antidiagonals in local memory.
// run: -g 8 -l 8 -p 2:i32 list:u8:65,67,65,67,65,67,84,65 list:u8:65,71,67,65,67,65,67,65 zero:i32:1
// stats: cpu:x86-64-v3 lanes 16, permuted 1, contiguous 9, uniform 11
// expect: 2: 12
kernel void align(global const uchar *a, global const uchar *b, global int *best) {
  local int h[3][9], top[8];
  int i = get_local_id(0);
  for (int k = 0; k < 3; k++) { h[k][i] = 0; if (i == 0) h[k][8] = 0; }
  int m = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 0; d < 15; d++) {
    int j = d - i;
    if (j >= 0 && j < 8) {
      int s = h[(d + 1) % 3][i] + (a[i] == b[j] ? 2 : -1);
      s = max(0, max(s, max(h[(d + 2) % 3][i] - 1, h[(d + 2) % 3][i + 1] - 1)));
      h[d % 3][i + 1] = s;
      m = max(m, s);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  top[i] = m;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i == 0) {
    for (int k = 1; k < 8; k++) m = max(m, top[k]);
    *best = m;
  }
}
