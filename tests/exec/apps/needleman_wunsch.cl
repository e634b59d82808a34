// A tile of a table of scores, by diagonals.
// run: -g 16 -l 16 -p 1:i32:80 rand:i32:289:2:-10:10 rand:i32:289:5:-50:50 i32=17 i32=10 i32=0 i32=0
// stats: cpu:x86-64-v3 lanes 8, gathered 1, strided 11, contiguous 66, uniform 2
// expect: 1: 21 -31 -4 5 -35 0 -14 -15 24 38 49 31 23 -50 45 20 26 -15 13 3 -5 3 -7 -5 -15 14 28 40 57 47 37 35 49 39 -34 3 9 6 -4 8 -2 -3 4 18 30 47 51 46 36 45 41 -1 -7 8 8 10 0 14 4 -6 8 20 37 41 42 46 43 41 -10 -7 -2 9 4 7 4 12 6 -2 15 27
#define B 16
int maximum(int a, int b, int c) {
  int k = a <= b ? b : a;
  return k <= c ? c : k;
}
kernel void nw(global const int *reference, global int *scores, int cols, int penalty, int row, int col) {
  local int ref[B * B], tile[(B + 1) * (B + 1)];
  int tx = get_local_id(0);
  int base = cols * B * row + B * (col + (int)get_group_id(0));
#define T(y, x) tile[(y) * (B + 1) + (x)]
  if (tx == 0)
    T(0, 0) = scores[base];
  T(tx + 1, 0) = scores[base + cols * (tx + 1)];
  T(0, tx + 1) = scores[base + tx + 1];
  for (int y = 0; y < B; y++)
    ref[y * B + tx] = reference[base + cols * (y + 1) + tx + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int m = 0; m < B; m++) {
    if (tx <= m) {
      int x = tx + 1, y = m - tx + 1;
      T(y, x) = maximum(T(y - 1, x - 1) + ref[(y - 1) * B + x - 1], T(y, x - 1) - penalty, T(y - 1, x) - penalty);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int m = B - 2; m >= 0; m--) {
    if (tx <= m) {
      int x = tx + B - m, y = B - tx;
      T(y, x) = maximum(T(y - 1, x - 1) + ref[(y - 1) * B + x - 1], T(y, x - 1) - penalty, T(y - 1, x) - penalty);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int y = 0; y < B; y++)
    scores[base + cols * (y + 1) + tx + 1] = T(y + 1, tx + 1);
}
