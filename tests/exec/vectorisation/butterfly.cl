// Indices made of the bits of an id, with a mask that only the launch knows: contiguous in pieces if the mask has ones, or
// zeros, wherever the lanes of a warp differ. Also masks that are no power of two less one, and ids that begin anywhere.
// run: -g 64 -k butterfly -p 0:i32 iota:i32:160 i32=16
// stats: cpu:x86-64-v4 lanes 16, checked 4
// stats: cpu:x86-64-v3 lanes 8, checked 4
// formula: -k butterfly_formula -D FORMULA
// run: -g 64 -k butterfly -p 0:i32 iota:i32:160 i32=32
// formula: -k butterfly_formula -D FORMULA
// run: -g 64 -k butterfly -p 0:i32 iota:i32:160 i32=1
// formula: -k butterfly_formula -D FORMULA
// run: -g 64 -k butterfly -p 0:i32 iota:i32:160 i32=4
// formula: -k butterfly_formula -D FORMULA
// run: -g 50 --offset 5 -k butterfly -p 0:i32 iota:i32:160 i32=16
// formula: -k butterfly_formula -D FORMULA
// run: -g 37 -l 37 -k unsigned_and_local -p 0:i32 zero:i32:200 local:1024 u32=15 u32=3
// formula: -k unsigned_and_local_formula -D FORMULA
// run: -g 64 -l 32 -k unsigned_and_local -p 0:i32 zero:i32:200 local:1024 u32=31 u32=0
// formula: -k unsigned_and_local_formula -D FORMULA
// run: -g 64 -k reads -p 0:i32 zero:i32:64 iota:i32:200 i32=15
// formula: -k reads_formula -D FORMULA
// run: -g 64 -k reads -p 0:i32 zero:i32:64 iota:i32:200 i32=16
// formula: -k reads_formula -D FORMULA
// run: -g 64 -k reads -p 0:i32 zero:i32:64 iota:i32:200 i32=0
// formula: -k reads_formula -D FORMULA
// run: -g 64 -k reads -p 0:i32 zero:i32:64 iota:i32:200 i32=-1
// formula: -k reads_formula -D FORMULA
// run: -g 64 -k reads -p 0:i32 zero:i32:64 iota:i32:200 i32=48
// formula: -k reads_formula -D FORMULA
// run: -g 64 -k reads -p 0:i32 zero:i32:64 iota:i32:200 i32=21
// formula: -k reads_formula -D FORMULA
// run: -g 64 -k reads -p 0:i32 zero:i32:64 iota:i32:200 i32=63
// formula: -k reads_formula -D FORMULA
kernel void butterfly(global int *x, int j) {
  int t = get_global_id(0);
  int i = ((t & ~(j - 1)) << 1) | (t & (j - 1));
  int a = x[i], b = x[i + j];
  x[i] = a + b;
  x[i + j] = a * 3 - b;
}
kernel void unsigned_and_local(global int *o, local int *t, uint mask, uint n) {
  uint l = get_local_id(0), i = ((l & ~mask) << 1) + (l & mask);
  t[i] = l * 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[get_global_id(0) + n] = t[i] + (l & mask);
}
kernel void reads(global int *o, global const int *x, int m) {
  int t = get_global_id(0);
  o[t] = x[((t & ~m) << 1) | (t & m)] + x[(t & m) + 3];
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
kernel void butterfly_formula(global int *x, int j) {
  ALONE
  for (int t = FIRST; t < END; t++) {
    int i = t / j * 2 * j + t % j, a = x[i], b = x[i + j];
    x[i] = a + b;
    x[i + j] = a * 3 - b;
  }
}
kernel void unsigned_and_local_formula(global int *o, local int *t, uint mask, uint n) {
  ALONE
  for (uint i = FIRST; i < END; i++)
    o[i + n] = i % (int)get_local_size(0) * 3 + i % (int)get_local_size(0) % (mask + 1);
}
// The bits of t that the mask has stay in their places, the others move up by one.
kernel void reads_formula(global int *o, global const int *x, int m) {
  ALONE
  for (int t = FIRST; t < END; t++) {
    int moved = 0, kept = 0;
    for (int bit = 1; bit <= t; bit *= 2)
      if (t / bit % 2) {
        kept += m & bit ? bit : 0;
        moved += m & bit ? 0 : 2 * bit;
      }
    int both = 0;
    for (int bit = 1; bit <= moved + kept; bit *= 2)
      both += moved / bit % 2 || kept / bit % 2 ? bit : 0;
    o[t] = x[both] + x[kept + 3];
  }
}
#endif
