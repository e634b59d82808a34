// A product of matrices in double, with local memory: half as many lanes as for float, since registers do not hold the
// sums of more.
// run: -g 32,2 -l 16,2 zero:f64:512 iota:f64:128 iota:f64:256 i32=8 -p 0:f64
// stats: cpu:x86-64-v3 lanes 4
// formula: -k product_formula -D FORMULA
#define ROWS 8
kernel void product(global double *c, global const double *a, global const double *b, int n) {
  local double tile[ROWS][16];
  int x = get_global_id(0), l = get_local_id(0), y = get_local_id(1);
  double s[ROWS] = {0}, t[ROWS] = {0};
  for (int k = 0; k < n; k += ROWS) {
    for (int r = 0; r < ROWS; r += 2)
      tile[r + y][l] = b[(k + r + y) * 32 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < ROWS; j++)
      for (int r = 0; r < ROWS; r++) {
        s[r] += a[(y * ROWS + r) * n + k + j] * tile[j][l];
        t[r] -= a[(y * ROWS + r) * n + k + j] * tile[ROWS - 1 - j][l];
      }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int r = 0; r < ROWS; r++)
    c[(y * ROWS + r) * 32 + x] = s[r] + t[r];
}

#ifdef FORMULA // The product with the matrix, less that with its rows in reverse order, by the first work-item alone.
kernel void product_formula(global double *c, global const double *a, global const double *b, int n) {
  if (get_global_id(0) || get_global_id(1))
    return;
  for (int at = 0; at < 512; at++)
    for (int k = 0; k < 8; k++)
      c[at] += a[at / 32 * 8 + k] * (b[k * 32 + at % 32] - b[(7 - k) * 32 + at % 32]);
}
#endif
