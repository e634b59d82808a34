// Elements in the order of the work-items with bits of their number flipped, and backwards; groups that are no multiple
// of a vector, and ids that begin anywhere.
// run: -k order -g 32 -l 32 iota:i32:256 zero:i32:32 zero:i32:32 zero:i32:32 i32=5 -p 1:i32 -p 2:i32 -p 3:i32
// stats: cpu:x86-64-v3 lanes 16, permuted 5, contiguous 5
// formula: -k order_formula -D FORMULA
// run: -k order -g 48 -l 24 iota:i32:256 zero:i32:48 zero:i32:48 zero:i32:48 i32=3 -p 1:i32 -p 2:i32 -p 3:i32
// formula: -k order_formula -D FORMULA
// run: -k order -g 32 -l 16 --offset 3 iota:i32:256 zero:i32:32 zero:i32:32 zero:i32:32 i32=9 -p 1:i32 -p 2:i32 -p 3:i32
// formula: -k order_formula -D FORMULA
// run: -k order -g 64 -l 64 iota:i32:256 zero:i32:64 zero:i32:64 zero:i32:64 i32=33 -p 1:i32 -p 2:i32 -p 3:i32
// formula: -k order_formula -D FORMULA
// run: -k order -g 20 -l 20 --offset 1 iota:i32:256 zero:i32:20 zero:i32:20 zero:i32:20 i32=2 -p 1:i32 -p 2:i32 -p 3:i32
// formula: -k order_formula -D FORMULA
kernel void order(global const int *in, global int *own, global int *any, global int *back, int j) {
  local int t[64], s[64];
  int l = get_local_id(0), n = get_global_size(0), i = get_global_id(0) - get_global_offset(0);
  t[l] = 3 * (int)get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  s[l ^ j] = t[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  own[i] = t[l ^ j] * 1000 + s[l];
  any[i] = in[get_global_id(0) ^ j];
  back[n - 1 - i] = in[n - 1 - i] * 2;
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
kernel void order_formula(global const int *in, global int *own, global int *any, global int *back, int j) {
  ALONE
  int size = get_local_size(0);
  for (int id = FIRST; id < END; id++) {
    int i = id - FIRST, l = i % size, flipped = 0;
    for (int bit = 1; bit < 64; bit *= 2)
      flipped += l / bit % 2 != j / bit % 2 ? bit : 0;
    own[i] = 3 * (id - l + flipped) * 1000 + 3 * (id - l + flipped);
    int other = 0;
    for (int bit = 1; bit < 256; bit *= 2)
      other += id / bit % 2 != j / bit % 2 ? bit : 0;
    any[i] = in[other];
    back[i] = 2 * in[i];
  }
}
#endif
