// Loops and long sequences of accesses with strides that are parameters: a version for strides of one.
// run: -g 70 -l 35 -k sums -p 0:i32 zero:i32:70 iota:i32:320 i32=1 i32=9
// formula: -k sums_formula -D FORMULA
// stats: cpu:x86-64-v3 unit-version 1
// run: -g 70 -l 35 -k sums -p 0:i32 zero:i32:70 iota:i32:320 i32=2 i32=9
// formula: -k sums_formula -D FORMULA
// run: -g 70 -l 35 -k sums -p 0:i32 zero:i32:70 iota:i32:320 i32=0 i32=3
// formula: -k sums_formula -D FORMULA
// run: -g 70 -k moves -p 0:i32 zero:i32:400 iota:i32:400 i64=1 i16=1 i32=7
// formula: -k moves_formula -D FORMULA
// stats: cpu:x86-64-v3 unit-version 1
// run: -g 70 -k moves -p 0:i32 zero:i32:400 iota:i32:400 i64=1 i16=3 i32=7
// formula: -k moves_formula -D FORMULA
// run: -g 70 -k moves -p 0:i32 zero:i32:400 iota:i32:400 i64=3 i16=1 i32=7
// formula: -k moves_formula -D FORMULA
// run: -g 70 -k moves -p 0:i32 zero:i32:400 iota:i32:400 i64=4 i16=2 i32=7
// formula: -k moves_formula -D FORMULA
// run: -g 70 -k eight -p 0:i32 zero:i32:70 iota:i32:700 i32=1 i32=66
// formula: -k eight_formula -D FORMULA
// stats: cpu:x86-64-v3 unit-version 1
// run: -g 70 -k eight -p 0:i32 zero:i32:70 iota:i32:700 i32=5 i32=66
// formula: -k eight_formula -D FORMULA
// run: -g 64 -l 32 -k rounds -p 0:i32 zero:i32:64 iota:i32:620 i32=1 i32=200 i32=3
// formula: -k rounds_formula -D FORMULA
// stats: cpu:x86-64-v3 unit-version 1
// run: -g 64 -l 32 -k rounds -p 0:i32 zero:i32:64 iota:i32:620 i32=3 i32=200 i32=3
// formula: -k rounds_formula -D FORMULA
kernel void sums(global int *y, global const int *x, int incx, int n) {
  int i = get_global_id(0), s = 0;
  if (incx == 0)
    return;
  for (int k = 0; k < n; k++)
    s = s * 3 + x[(i + k) * incx];
  y[i] = s;
}
// The pointers are made before the loop, which stores to one of them; some work-items leave it early.
kernel void moves(global int *y, global const int *x, long incx, short incy, int n) {
  int i = get_global_id(0);
  global const int *from = x + i * incx;
  global int *to = y + (i * incy + 1);
  for (int k = 0; k < n; k++) {
    if (k > i)
      break;
    to[0] += from[k] + k;
  }
}
kernel void eight(global int *y, global const int *x, int incx, int n) {
  int i = get_global_id(0);
  if (i < n) {
    int at = i * incx;
    int s = x[at] ^ x[at + 2] * 2 ^ x[at + 3] * 3 ^ x[at + 5] * 5;
    y[i] = s - x[at + 10] + x[at + 20] * 7 - x[at + 30] * 9 + x[at + 33];
  }
}
// Between barriers.
kernel void rounds(global int *y, global const int *x, int incx, int n, int m) {
  local int part[32];
  int l = get_local_id(0), sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    for (int k = 0; k < m; k++)
      sum = sum * 3 + x[(i + k) * incx];
  part[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  y[get_global_id(0)] = part[l ^ 1];
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
kernel void sums_formula(global int *y, global const int *x, int incx, int n) {
  ALONE
  for (int i = FIRST; i < END && incx; i++) {
    int s = 0;
    for (int k = 0; k < n; k++)
      s = s * 3 + x[i * incx + k * incx];
    y[i] = s;
  }
}
kernel void moves_formula(global int *y, global const int *x, long incx, short incy, int n) {
  ALONE
  for (int i = FIRST; i < END; i++)
    for (int k = 0; k < n && k <= i; k++)
      y[i * incy + 1] += x[i * incx + k] + k;
}
kernel void eight_formula(global int *y, global const int *x, int incx, int n) {
  ALONE
  const int offsets[8] = {0, 2, 3, 5, 10, 20, 30, 33};
  for (int i = FIRST; i < n; i++) {
    int v[8];
    for (int k = 0; k < 8; k++)
      v[k] = x[i * incx + offsets[k]];
    y[i] = (v[0] ^ v[1] * 2 ^ v[2] * 3 ^ v[3] * 5) - v[4] + v[5] * 7 - v[6] * 9 + v[7];
  }
}
kernel void rounds_formula(global int *y, global const int *x, int incx, int n, int m) {
  ALONE
  for (int g = FIRST; g < END; g++) {
    int i = g ^ 1, sum = 0;
    for (; i < n; i += END - FIRST)
      for (int k = i; k < i + m; k++)
        sum = sum * 3 + x[k * incx];
    y[g] = sum;
  }
}
#endif
