// Places at known distances from lane to lane: strides, and what bit operations with constants make of local ids; groups
// that are no multiple of a vector.
// run: -k places -g 32 -l 32 zero:i32:128 zero:i32:64 -p 0:i32 -p 1:i32
// stats: cpu:x86-64-v3 lanes 16, gathered 1, strided 14, contiguous 1
// formula: -k places_formula -D FORMULA
// run: -k places -g 32 -l 16 zero:i32:128 zero:i32:64 -p 0:i32 -p 1:i32
// formula: -k places_formula -D FORMULA
// run: -k places -g 80 -l 40 zero:i32:320 zero:i32:160 -p 0:i32 -p 1:i32
// formula: -k places_formula -D FORMULA
// run: -k places -g 24 -l 8 zero:i32:96 zero:i32:48 -p 0:i32 -p 1:i32
// formula: -k places_formula -D FORMULA
kernel void places(global int4 *out, global int2 *pairs) {
  local int t[128], s[3 * 64];
  uint i = get_local_id(0), n = get_local_size(0);
  int v = 100 * (int)get_group_id(0) + (int)i;
  uint k = i & 3, at = ((i - k) << 1) + k;
  t[at] = v;
  t[at + 4] = -v;
  s[3 * i] = i;
  s[3 * i + 1] = 2 * i;
  s[3 * i + 2] = 3 * i;
  barrier(CLK_LOCAL_MEM_FENCE);
  global int *o = (global int *)(out + get_global_id(0));
  o[0] = t[2 * i];
  o[1] = t[2 * i + 1];
  o[2] = s[3 * (n - 1 - i) + 1];
  o[3] = t[(i & ~7u) | ((i & 3) << 1) | ((i >> 2) & 1)];
  k = i & 7;
  uint h = ((i - k) << 1) + k;
  pairs[get_global_id(0)] = (int2)(t[h], h + 8 < 2 * n ? t[h + 8] : -1);
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
// What t has at the place, in a group whose first value is v.
int at(int v, int place) {
  int item = place / 8 * 4 + place % 4;
  return place % 8 < 4 ? v + item : -v - item;
}
kernel void places_formula(global int4 *out, global int2 *pairs) {
  ALONE
  int n = get_local_size(0);
  for (int id = FIRST; id < END; id++) {
    int i = id % n, v = id / n * 100, h = i / 8 * 16 + i % 8;
    out[id] = (int4)(at(v, 2 * i), at(v, 2 * i + 1), 2 * (n - 1 - i), at(v, i / 8 * 8 + i % 4 * 2 + i / 4 % 2));
    pairs[id] = (int2)(at(v, h), h + 8 < 2 * n ? at(v, h + 8) : -1);
  }
}
#endif
