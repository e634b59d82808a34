// Best local alignment of two strings of 64 letters per group, along antidiagonals (Smith and Waterman).
kernel void align(global const uchar *a, global const uchar *b, global int *best) {
  local int h[3][65], top[64];
  int i = get_local_id(0), base = get_group_id(0) * 64, m = 0;
  for (int k = 0; k < 3; k++) {
    h[k][i] = 0;
    h[k][64] = 0;
  }
  uchar letter = a[base + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 0; d < 127; d++) {
    int j = d - i;
    if (j >= 0 && j < 64) {
      int s = h[(d + 1) % 3][i] + (letter == b[base + j] ? 2 : -1);
      s = max(0, max(s, max(h[(d + 2) % 3][i] - 1, h[(d + 2) % 3][i + 1] - 1)));
      h[d % 3][i + 1] = s;
      m = max(m, s);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  top[i] = m;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i == 0) {
    for (int k = 1; k < 64; k++)
      m = max(m, top[k]);
    best[get_group_id(0)] = m;
  }
}
