// Butterflies by quotients and remainders: for divisors smaller than a warp there are versions with known distances.
// Also divisors that are none of those, ids that begin anywhere and sizes that are no multiple; and rows of a width of
// their own, which need no versions.
// run: -g 64 -k blocks -p 0:i32 iota:i32:160 u32=1 i32=64
// stats: cpu:x86-64-v3 small-masks 1
// formula: -k blocks_formula -D FORMULA
// run: -g 64 -k blocks -p 0:i32 iota:i32:160 u32=2 i32=64
// formula: -k blocks_formula -D FORMULA
// run: -g 64 -k blocks -p 0:i32 iota:i32:160 u32=4 i32=64
// formula: -k blocks_formula -D FORMULA
// run: -g 64 -k blocks -p 0:i32 iota:i32:160 u32=8 i32=64
// formula: -k blocks_formula -D FORMULA
// run: -g 64 -k blocks -p 0:i32 iota:i32:160 u32=16 i32=64
// formula: -k blocks_formula -D FORMULA
// run: -g 63 -k blocks -p 0:i32 iota:i32:160 u32=3 i32=64
// formula: -k blocks_formula -D FORMULA
// run: -g 64 -k blocks -p 0:i32 iota:i32:160 u32=2 i32=37
// formula: -k blocks_formula -D FORMULA
// run: -g 37 --offset 16 -k blocks -p 0:i32 iota:i32:160 u32=4 i32=64
// formula: -k blocks_formula -D FORMULA
// run: -g 50 --offset 6 -k blocks -p 0:i32 iota:i32:160 u32=2 i32=64
// formula: -k blocks_formula -D FORMULA
// run: -g 64 -k signed_blocks -p 0:i32 iota:i32:160 i32=2 i32=64
// formula: -k signed_blocks_formula -D FORMULA
// run: -g 64 -k signed_blocks -p 0:i32 iota:i32:160 i32=1 i32=64
// formula: -k signed_blocks_formula -D FORMULA
// run: -g 37 --offset 16 -k signed_blocks -p 0:i32 iota:i32:160 i32=4 i32=64
// formula: -k signed_blocks_formula -D FORMULA
// run: -g 30 -k rows -p 0:i32 zero:i32:30 iota:i32:64 u32=5 u32=7
// stats: cpu:x86-64-v3 plan: lanes 8, contiguous 2
// formula: -k rows_formula -D FORMULA
kernel void blocks(global int *x, uint j, int total) {
  uint t = get_global_id(0), i = t / j * (2 * j) + t % j;
  if (t < total) {
    int a = x[i], b = x[i + j];
    x[i] = a + b;
    x[i + j] = a * 3 - b;
  }
}

kernel void signed_blocks(global int *x, int j, int total) {
  int t = get_global_id(0), i = t % j + 2 * j * (t / j);
  if (t < total) {
    int a = x[i], b = x[i + j];
    x[i] = a + b;
    x[i + j] = a * 3 - b;
  }
}

kernel void rows(global int *o, global const int *x, uint width, uint pitch) {
  uint t = get_global_id(0);
  o[t] = x[t / width * pitch + t % width];
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
kernel void blocks_formula(global int *x, uint j, int total) {
  ALONE
  for (int block = 0; block * j < END; block++)
    for (int k = 0; k < j; k++) {
      int t = block * j + k, i = 2 * block * j + k, a = x[i], b = x[i + j];
      if (t < FIRST || t >= END || t >= total)
        continue;
      x[i] = a + b;
      x[i + j] = a * 3 - b;
    }
}
kernel void signed_blocks_formula(global int *x, int j, int total) { blocks_formula(x, j, total); }
kernel void rows_formula(global int *o, global const int *x, uint width, uint pitch) {
  ALONE
  for (int t = 0, row = 0; t < END; row++)
    for (int column = 0; column < width && t < END; column++)
      o[t++] = x[row * pitch + column];
}
#endif
