// Strides that are parameters: contiguous where they are one, else gathered. The product is used as a value as well.
// run: -g 40 -k add -p 1:i32 iota:i32:80 iota:i32:80 i32=1 i32=1 i32=3 i32=70
// stats: cpu:x86-64-v3 lanes 32, contiguous 3
// formula: -k add_formula -D FORMULA
// run: -g 40 -k add -p 1:i32 iota:i32:80 iota:i32:80 i32=2 i32=1 i32=0 i32=37
// formula: -k add_formula -D FORMULA
// run: -g 40 -k add -p 1:i32 iota:i32:80 iota:i32:80 i32=1 i32=-1 i32=79 i32=71
// formula: -k add_formula -D FORMULA
// run: -g 40 -k add -p 1:i32 iota:i32:80 iota:i32:80 i32=0 i32=2 i32=1 i32=39
// formula: -k add_formula -D FORMULA
// run: -g 64 -l 32 -k sums -p 1:i32 iota:i32:400 zero:i32:6 i32=1 i32=2 i32=193
// formula: -k sums_formula -D FORMULA
// run: -g 64 -l 32 -k sums -p 1:i32 iota:i32:400 zero:i32:6 i32=2 i32=1 i32=200
// formula: -k sums_formula -D FORMULA
// run: -g 96 -l 48 -k sums -p 1:i32 iota:i32:400 zero:i32:6 i32=1 i32=3 i32=399
// formula: -k sums_formula -D FORMULA
// run: -g 45 -k values -p 0:i32 zero:i32:100 i64=1 i16=1
// formula: -k values_formula -D FORMULA
// run: -g 33 -k values -p 0:i32 zero:i32:100 i64=2 i16=1
// formula: -k values_formula -D FORMULA
// run: -g 45 -k values -p 0:i32 zero:i32:100 i64=1 i16=2
// formula: -k values_formula -D FORMULA
// run: -g 40 -k pairs -p 1:i32 iota:i32:200 zero:i32:90 u32=1
// formula: -k pairs_formula -D FORMULA
// run: -g 40 -k pairs -p 1:i32 iota:i32:200 zero:i32:90 u32=2
// formula: -k pairs_formula -D FORMULA
// run: -g 20 -k wrapping -p 1:i32 iota:i32:65536 zero:i32:20 u16=1 u16=65530
// formula: -k wrapping_formula -D FORMULA
// run: -g 20 -k wrapping -p 1:i32 iota:i32:65536 zero:i32:20 u16=2 u16=65530
// formula: -k wrapping_formula -D FORMULA
kernel void add(global const int *x, global int *y, int incx, int incy, int offset, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    y[i * incy + offset] += 100 * x[i * incx];
}
kernel void sums(global const int *x, global int *y, int incx, int incy, int n) {
  local int part[64];
  int l = get_local_id(0), sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    sum += x[i * incx];
  part[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 2)
    for (int k = l + 2; k < get_local_size(0); k += 2)
      part[l] += part[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0)
    y[get_group_id(0) * incy] = part[0] - part[1];
}
kernel void values(global int *y, long inc, short step) {
  long at = (long)get_global_id(0) * inc;
  int odd = (int)get_local_id(0) * step;
  y[at] = (int)at * 3 + (odd > 9 ? odd : -odd);
}
kernel void pairs(global const int2 *x, global int *y, uint inc) {
  uint i = get_global_id(0) * inc;
  int2 pair = x[i];
  y[i] = pair.x + 1000 * pair.y;
}
// The index wraps between neighbouring work-items.
kernel void wrapping(global const int *x, global int *y, ushort inc, ushort offset) {
  ushort i = get_global_id(0);
  y[i] = x[(ushort)(i * inc + offset)];
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
kernel void add_formula(global const int *x, global int *y, int incx, int incy, int offset, int n) {
  ALONE
  for (int i = 0; i < n; i++)
    y[i * incy + offset] += 100 * x[i * incx];
}
// The sum of what even work-items of a group add up, less that of the odd ones.
kernel void sums_formula(global const int *x, global int *y, int incx, int incy, int n) {
  ALONE
  int size = get_local_size(0);
  for (int group = 0; group < END / size; group++) {
    int sum = 0;
    for (int i = 0; i < n; i++)
      sum += i % END / size != group ? 0 : i % END % size % 2 ? -x[i * incx] : x[i * incx];
    y[group * incy] = sum;
  }
}
kernel void values_formula(global int *y, long inc, short step) {
  ALONE
  for (int i = FIRST; i < END; i++) {
    int odd = i % (int)get_local_size(0) * step;
    y[i * inc] = i * (int)inc * 3 + (odd > 9 ? odd : -odd);
  }
}
kernel void pairs_formula(global const int *x, global int *y, uint inc) {
  ALONE
  for (int i = FIRST; i < END; i++)
    y[i * inc] = x[2 * i * inc] + 1000 * x[2 * i * inc + 1];
}
kernel void wrapping_formula(global const int *x, global int *y, ushort inc, ushort offset) {
  ALONE
  for (int i = FIRST; i < END; i++)
    y[i] = x[(i * inc + offset) % 65536];
}
#endif
