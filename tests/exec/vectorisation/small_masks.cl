// Small masks of ids that the launch determines, as in the first steps of a butterfly, and bits of ids chosen by
// constants: at known distances in warps that begin at multiples of their lanes. Also masks that are none of those,
// ids that begin anywhere and sizes that are no multiple.
// run: -g 64 -k signed_butterfly -p 0:i32 iota:i32:160 i32=1 i32=64
// stats: cpu:x86-64-v4 lanes 16, checked 4, strided 8, grouped 8, small-masks 1
// stats: cpu:x86-64-v3 lanes 8, checked 4, strided 6, grouped 6, small-masks 1
// formula: -k signed_butterfly_formula -D FORMULA
// run: -g 64 -k signed_butterfly -p 0:i32 iota:i32:160 i32=2 i32=64
// formula: -k signed_butterfly_formula -D FORMULA
// run: -g 64 -k signed_butterfly -p 0:i32 iota:i32:160 i32=4 i32=64
// formula: -k signed_butterfly_formula -D FORMULA
// run: -g 64 -k signed_butterfly -p 0:i32 iota:i32:160 i32=8 i32=64
// formula: -k signed_butterfly_formula -D FORMULA
// run: -g 64 -k signed_butterfly -p 0:i32 iota:i32:160 i32=16 i32=64
// formula: -k signed_butterfly_formula -D FORMULA
// run: -g 64 -k signed_butterfly -p 0:i32 iota:i32:160 i32=2 i32=37
// formula: -k signed_butterfly_formula -D FORMULA
// run: -g 50 --offset 5 -k signed_butterfly -p 0:i32 iota:i32:160 i32=2 i32=64
// formula: -k signed_butterfly_formula -D FORMULA
// run: -g 37 --offset 16 -k signed_butterfly -p 0:i32 iota:i32:160 i32=4 i32=64
// formula: -k signed_butterfly_formula -D FORMULA
// run: -g 64 -k radix_2 -p 1:i32 iota:i32:128 zero:i32:128 u32=1
// formula: -k radix_2_formula -D FORMULA
// run: -g 64 -k radix_2 -p 1:i32 iota:i32:128 zero:i32:128 u32=2
// formula: -k radix_2_formula -D FORMULA
// run: -g 64 -k radix_2 -p 1:i32 iota:i32:128 zero:i32:128 u32=4
// formula: -k radix_2_formula -D FORMULA
// run: -g 64 -k radix_2 -p 1:i32 iota:i32:128 zero:i32:128 u32=8
// formula: -k radix_2_formula -D FORMULA
// run: -g 64 -k radix_2 -p 1:i32 iota:i32:128 zero:i32:128 u32=32
// formula: -k radix_2_formula -D FORMULA
// run: -g 64 -k constant_bits -p 0:i32 zero:i32:320 iota:i32:400
// formula: -k constant_bits_formula -D FORMULA
// run: -g 77 -k constant_bits -p 0:i32 zero:i32:320 iota:i32:400
// formula: -k constant_bits_formula -D FORMULA
// run: -g 33 --offset 3 -k constant_bits -p 0:i32 zero:i32:320 iota:i32:400
// formula: -k constant_bits_formula -D FORMULA
// run: -g 33 --offset 16 -k constant_bits -p 0:i32 zero:i32:320 iota:i32:400
// formula: -k constant_bits_formula -D FORMULA
// run: -g 60 -k shifted -p 0:i32 zero:i32:128 i32=0
// formula: -k shifted_formula -D FORMULA
// run: -g 60 -k shifted -p 0:i32 zero:i32:128 i32=1
// formula: -k shifted_formula -D FORMULA
// run: -g 60 -k shifted -p 0:i32 zero:i32:128 i32=2
// formula: -k shifted_formula -D FORMULA
// run: -g 60 -k shifted -p 0:i32 zero:i32:128 i32=5
// formula: -k shifted_formula -D FORMULA
kernel void signed_butterfly(global int *x, int j, int n) {
  int t = get_global_id(0);
  if (t >= n)
    return;
  int i = ((t & ~(j - 1)) << 1) | (t & (j - 1));
  int a = x[i], b = x[i + j];
  x[i] = a + b;
  x[i + j] = a * 3 - b;
}
kernel void radix_2(global const int *x, global int *y, uint p) {
  uint t = get_global_id(0), k = t & (p - 1), d = ((t - k) << 1) + k;
  int u = x[t], v = x[t + 64];
  y[d] = u + v;
  y[d + p] = u - v;
}
kernel void constant_bits(global int4 *o, global const int *x) {
  uint t = get_global_id(0);
  o[t - get_global_offset(0)] = (int4)(x[t >> 1], x[t & ~3u], x[((t >> 2) << 3) + (t & 3)], x[(t | 3) + 2]);
}
kernel void shifted(global int *o, int s) {
  int t = get_global_id(0), m = (1 << s) - 1;
  o[(t & m) + ((t >> s) << (s + 1))] = t + 1 + (1 << s);
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
kernel void signed_butterfly_formula(global int *x, int j, int n) {
  ALONE
  for (int t = FIRST; t < END && t < n; t++) {
    int i = t / j * 2 * j + t % j, a = x[i], b = x[i + j];
    x[i] = a + b;
    x[i + j] = a * 3 - b;
  }
}
kernel void radix_2_formula(global const int *x, global int *y, uint p) {
  ALONE
  for (uint t = FIRST; t < END; t++) {
    y[t / p * 2 * p + t % p] = x[t] + x[t + 64];
    y[t / p * 2 * p + t % p + p] = x[t] - x[t + 64];
  }
}
kernel void constant_bits_formula(global int4 *o, global const int *x) {
  ALONE
  for (int t = FIRST; t < END; t++)
    o[t - FIRST] = (int4)(x[t / 2], x[t / 4 * 4], x[t / 4 * 8 + t % 4], x[t / 4 * 4 + 5]);
}
kernel void shifted_formula(global int *o, int s) {
  ALONE
  int step = 1;
  for (int k = 0; k < s; k++)
    step *= 2;
  for (int t = FIRST; t < END; t++)
    o[t % step + t / step * 2 * step] = t + 1 + step;
}
#endif
