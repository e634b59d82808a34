// Loops in which each work-item reads a row of its own, four iterations at a time where that is possible.
// run: -k walks -g 61 -D T=uint -p 0:u32 zero:u32:61 iota:u32:1464 i32=24 i32=0
// stats: cpu:x86-64-v3 lanes 8, gathered 13, transposed 6, contiguous 1, remainder-loop 11
// formula: -k walks_formula -D FORMULA
// run: -k walks -g 61 -D T=uint -p 0:u32 zero:u32:61 iota:u32:1464 i32=24 i32=1
// formula: -k walks_formula -D FORMULA
// run: -k walks -g 61 -D T=uint -p 0:u32 zero:u32:61 iota:u32:1464 i32=24 i32=3
// formula: -k walks_formula -D FORMULA
// run: -k walks -g 61 -D T=uint -p 0:u32 zero:u32:61 iota:u32:1464 i32=24 i32=4
// formula: -k walks_formula -D FORMULA
// run: -k walks -g 61 -D T=uint -p 0:u32 zero:u32:61 iota:u32:1464 i32=24 i32=5
// formula: -k walks_formula -D FORMULA
// run: -k walks -g 61 -D T=uint -p 0:u32 zero:u32:61 iota:u32:1464 i32=24 i32=8
// formula: -k walks_formula -D FORMULA
// run: -k walks -g 61 -D T=uint -p 0:u32 zero:u32:61 iota:u32:1464 i32=24 i32=19
// formula: -k walks_formula -D FORMULA
// run: -k walks -g 61 -D T=uint -p 0:u32 zero:u32:61 iota:u32:1464 i32=24 i32=24
// formula: -k walks_formula -D FORMULA
// run: -k walks -g 61 -D T=uint -p 0:u32 zero:u32:61 iota:u32:3904 i32=64 i32=64
// formula: -k walks_formula -D FORMULA
// run: -k walks -g 61 -D T=uchar -p 0:u32 zero:u32:61 iota:u8:1464 i32=24 i32=23
// formula: -k walks_formula -D FORMULA
// run: -k walks -g 61 -D T=ushort -p 0:u32 zero:u32:61 iota:u16:1464 i32=24 i32=23
// formula: -k walks_formula -D FORMULA
// run: -k walks -g 61 -D T=ulong -p 0:u32 zero:u32:61 iota:u64:1464 i32=24 i32=6
// formula: -k walks_formula -D FORMULA
// run: -k walks -g 61 -D T=ulong -p 0:u32 zero:u32:61 iota:u64:1464 i32=24 i32=23
// formula: -k walks_formula -D FORMULA
// run: -k walks -g 61 -D T=float -p 0:u32 zero:u32:61 iota:f32:1464 i32=24 i32=22
// formula: -k walks_formula -D FORMULA
// run: -k walks -g 61 -D T=double -p 0:u32 zero:u32:61 iota:f64:1464 i32=24 i32=23
// formula: -k walks_formula -D FORMULA
kernel void walks(global uint *out, global const T *in, int stride, int n) {
  int i = get_global_id(0);
  uint s = 0;
  for (int j = 0; j < n; j++)
    s = s * 31 + (uint)in[i * stride + j];
  for (int j = 1; j <= n - 1; j++)
    s = s * 33 ^ (uint)in[i * stride + j];
  global const T *p = in + i * stride;
  for (size_t j = 0; !((size_t)n <= j); j++)
    s = s * 37 + (uint)*p++;
  for (long j = 0; j < n; j++)
    s = s * 41 + (uint)in[i * stride + j] + (j & 1 ? 3 * (uint)in[(i + 1) * stride - n + j] : 0);
  for (int j = 0; j < n; j++) { // left early: stays as it is
    if ((uint)in[i * stride + j] % 16 == 9)
      break;
    s = s * 43 + (uint)in[i * stride + j];
  }
  for (int j = -3; j < n - 3; j++)
    s = s * 47 + (uint)in[i * stride + j + 3];
  uint id = get_global_id(0), length = stride, end = n;
  for (uint k = 0; k < end; k++)
    s = s * 53 + (uint)in[id * length + k];
  for (uint k = 0; k + 2 < end; k++)
    s = s * 59 + (uint)in[k + 2 + length * id];
  out[i] = s;
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
// On a copy of the row.
#define EACH(first, factor, op, value)                                                                                 \
  for (int k = first; k < n; k++)                                                                                      \
    s = s * factor op (value);
kernel void walks_formula(global uint *out, global const T *in, int stride, int n) {
  ALONE
  for (int i = FIRST; i < END; i++) {
    uint r[64], s = 0;
    for (int k = 0; k < n; k++)
      r[k] = (uint)in[i * stride + k];
    EACH(0, 31, +, r[k])
    EACH(1, 33, ^, r[k])
    EACH(0, 37, +, r[k])
    EACH(0, 41, +, r[k] + (k % 2 ? 3 * (uint)in[(i + 1) * stride - n + k] : 0))
    for (int k = 0; k < n && r[k] % 16 != 9; k++)
      s = s * 43 + r[k];
    EACH(0, 47, +, r[k])
    EACH(0, 53, +, r[k])
    EACH(2, 59, +, r[k])
    out[i] = s;
  }
}
#endif
