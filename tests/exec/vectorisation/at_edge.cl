// A window of 7 by 7 whose positions are clamped, in a kernel that is too large to be there for full warps, and half of
// it under a mask with holes: the first and the last active lane have the elements of the bounds.
// run: -g 21,3 -p 2:i32 iota:u8:63 iota:f32:63 zero:i32:63 i32=21 i32=3
// expect: 2: 34727 60858 36694 64260 66395 40915 42385 73108 75558 46795 80458 49735 51205 87808 54145 55615 94675 58555 98721 100338 61607 44576 77322 46543 80724 82859 50764 52234 89572 92022 56644 96922 59584 61054 104272 63994 65464 111139 68404 115185 116802 71456 52367 90258 54334 93660 95795 58555 60025 102508 104958 64435 109858 67375 68845 117208 71785 73255 124075 76195 128121 129738 79247
kernel void k(global const uchar *a, global const float *b, global int *o, int n, int m) {
  int x = get_global_id(0), y = get_global_id(1), sum = 0;
  for (int dy = -3; dy <= 3; dy++)
    for (int dx = -3; dx <= 3; dx++)
      sum += (dy * 7 + dx + 30) * a[clamp(y + dy, 0, m - 1) * n + clamp(x + dx, 0, n - 1)];
  if (x % 5 == 3 || a[y * n + x] % 3 == 1)
    for (int dy = -3; dy <= 3; dy++)
      for (int dx = -3; dx <= 3; dx++)
        sum += (dy * 5 + dx + 20) * (int)b[clamp(y + dy, 0, m - 1) * n + max(min(x - dx * 2, n - 2), 1)];
  o[y * n + x] = sum;
}
