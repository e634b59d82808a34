// What a loop with barriers keeps from iteration to iteration: old and new value have one place where that may be, and two
// where the old one is wanted longer, is given to another variable, or the loop is left in between.
// run: -g 10 -l 5 -p 0:i32 zero:i32:60 i32=4 i32=3
// stats: cpu:x86-64-v3 lanes 16, gathered 8, strided 6, contiguous 8
// expect: 0: 108 22035 703768 430 1001 489 184 21033 283619 540 27027 434 225 20031 223335 500 5005 359 186 14024 508321 360 135135 359 107 18032 833517 320 4004 439 513 17025 1980048 1230 11011 1064 589 16023 1559899 1340 297297 1009 630 15021 1499615 1300 15015 934 591 9014 1784601 1160 405405 934 512 13022 2109797 1120 14014 1014
#define STEP(x, v) (t[l] = (v), barrier(CLK_LOCAL_MEM_FENCE), x = t[(l + 1) % 5], barrier(CLK_LOCAL_MEM_FENCE))
kernel void k(global int *a, int n, int m) {
  local int t[5];
  int i = get_global_id(0), l = get_local_id(0), x;
  int sum = i; // new value made in the middle of an iteration
  for (int r = 0; r < n; r++) {
    STEP(x, sum);
    sum = sum * 2 + x;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  int p = i, q = 7 - i; // given from one to the other
  for (int r = 0; r < n; r++) {
    STEP(x, p);
    int s = x + q;
    barrier(CLK_LOCAL_MEM_FENCE);
    p = q;
    q = s;
  }
  int old = i, seen = 0; // old value wanted after the new one
  for (int r = 0; r < n; r++) {
    STEP(x, old);
    int now = old + x * 3;
    STEP(x, now);
    seen += x - old;
    old = now;
  }
  int left = i, before = 0; // left before the new value is made, or after
  for (int r = 0;; r++) {
    if (r == n) {
      before = 1;
      break;
    }
    STEP(x, left);
    left = left + x + r;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (r * m > 6)
      break;
  }
  int twice = i, same = 0; // one value for two variables
  for (int r = 0; r < n; r++) {
    STEP(x, twice - same);
    twice = same = l & 1 ? twice * 3 - x : twice + x;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  int outer = i; // loops in one another
  for (int r = 0; r < m; r++) {
    int inner = outer + r;
    for (int j = 0; j < r + 1; j++) {
      STEP(x, inner);
      inner += x * (j + 1);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    STEP(x, outer);
    outer = inner - x;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  a[i * 6] = sum;
  a[i * 6 + 1] = p * 1000 + q;
  a[i * 6 + 2] = seen * 1000 + old;
  a[i * 6 + 3] = left * 10 + before;
  a[i * 6 + 4] = twice * 1000 + same;
  a[i * 6 + 5] = outer;
}
