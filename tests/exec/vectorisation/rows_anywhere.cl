// Loads and stores anywhere in memory, with addresses that are no memory in the lanes that are off.
// run: -k anywhere -g 61 -D T=uchar -p 0:u8 zero:u8:61 iota:u8:61 i32=61
// stats: cpu:x86-64-v3 lanes 32, gathered 5
// formula: -k anywhere_formula -D FORMULA
// run: -k anywhere -g 61 -D T=ushort -p 0:u16 zero:u16:61 iota:u16:61 i32=61
// formula: -k anywhere_formula -D FORMULA
// run: -k anywhere -g 61 -D T=uint -p 0:u32 zero:u32:61 iota:u32:61 i32=61
// formula: -k anywhere_formula -D FORMULA
// run: -k anywhere -g 61 -D T=ulong -p 0:u64 zero:u64:61 iota:u64:61 i32=61
// formula: -k anywhere_formula -D FORMULA
// run: -k anywhere -g 61 -D T=uchar4 -p 0:u8 zero:u8:244 iota:u8:244 i32=61
// formula: -k anywhere_formula -D FORMULA
// run: -k anywhere -g 61 -D T=ushort2 -p 0:u16 zero:u16:122 iota:u16:122 i32=61
// formula: -k anywhere_formula -D FORMULA
// run: -k anywhere -g 61 -D T=uint2 -p 0:u32 zero:u32:122 iota:u32:122 i32=61
// formula: -k anywhere_formula -D FORMULA
// run: -k anywhere -g 61 -D T=uint3 -p 0:u32 zero:u32:244 iota:u32:244 i32=61
// formula: -k anywhere_formula -D FORMULA
// run: -k anywhere -g 61 -D T=uint4 -p 0:u32 zero:u32:244 iota:u32:244 i32=61
// formula: -k anywhere_formula -D FORMULA
// run: -k anywhere -g 61 -D T=ulong2 -p 0:u64 zero:u64:122 iota:u64:122 i32=61
// formula: -k anywhere_formula -D FORMULA
// run: -k anywhere -g 61 -D T=uint8 -p 0:u32 zero:u32:488 iota:u32:488 i32=61
// formula: -k anywhere_formula -D FORMULA
kernel void anywhere(global T *out, global const T *in, int n) {
  int i = get_global_id(0);
  bool reads = i * 5 % 11 < 6, writes = i % 7 != 2;
  int from = reads ? i * 7 % n : (i << 24) ^ 0x7ff00000, to = writes ? i * 17 % n : i * 0x1000003;
  T v = (T)(i);
  if (reads)
    v = in[from] * (T)(3) + in[n - 1 - from];
  if (writes)
    out[to] = v;
  if (i < 0) // of nobody
    out[to] = in[from];
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
kernel void anywhere_formula(global T *out, global const T *in, int n) {
  ALONE
  for (int i = FIRST; i < END; i++)
    if (i % 7 != 2)
      out[i * 17 % n] = i * 5 % 11 < 6 ? in[i * 7 % n] + in[i * 7 % n] + in[i * 7 % n] + in[n - 1 - i * 7 % n] : (T)(i);
}
#endif
