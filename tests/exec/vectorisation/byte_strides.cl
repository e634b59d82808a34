// Strides in bytes, one for each dimension of a tensor: contiguous where that of the id is the size of an element.
// run: -g 96 -l 32 -k move -p 2:f32:240 iota:f32:400 u64=4 zero:f32:240 u64=0 i32=70 u64=4 u64=280 u64=4
// formula: -k move_formula -D FORMULA
// stats: cpu:x86-64-v3 contiguous 2
// run: -g 96 -l 32 -k move -p 2:f32:240 iota:f32:400 u64=0 zero:f32:240 u64=8 i32=66 u64=8 u64=200 u64=4
// formula: -k move_formula -D FORMULA
// run: -g 96 -l 32 -k move -p 2:f32:420 iota:f32:400 u64=12 zero:f32:420 u64=0 i32=70 u64=0 u64=4 u64=8
// formula: -k move_formula -D FORMULA
// run: -g 40,3 -l 8,1 -k halves -p 0:u16:200 zero:u16:200 iota:u16:400 i32=2 i32=100 i32=2
// formula: -k halves_formula -D FORMULA
// stats: cpu:x86-64-v3 contiguous 2
// run: -g 40,3 -l 8,1 -k halves -p 0:u16:200 zero:u16:200 iota:u16:400 i32=6 i32=2 i32=2
// formula: -k halves_formula -D FORMULA
// run: -g 40,3 -l 8,1 -k halves -p 0:u16:400 zero:u16:400 iota:u16:400 i32=-2 i32=120 i32=4
// formula: -k halves_formula -D FORMULA
// run: -g 50 -k quads -p 0:i32:200 zero:i32:200 iota:i32:400 i32=4
// formula: -k quads_formula -D FORMULA
// run: -g 50 -k quads -p 0:i32:200 zero:i32:200 iota:i32:400 i32=3
// formula: -k quads_formula -D FORMULA
// run: -g 50 -k quads -p 0:i32:200 zero:i32:200 iota:i32:400 i32=1
// formula: -k quads_formula -D FORMULA
kernel void move(global const float *x, ulong offset, global float *y, ulong shift, int n, ulong nb0, ulong nb1, ulong to) {
  global const char *from = (global const char *)x + offset;
  global char *out = (global char *)y + shift;
  int row = get_group_id(0);
  for (int i = get_local_id(0); i < n; i += get_local_size(0))
    *(global float *)(out + (i + row * 70) * to) = *(global const float *)(from + row * nb1 + i * nb0) + 1;
}
kernel void halves(global ushort *y, global const ushort *x, int sx, int sy, int to) {
  int i = get_global_id(0), j = get_global_id(1);
  global const uchar *from = (global const uchar *)(x + 100);
  *(global ushort *)((global uchar *)y + (i + 50) * to + 40 * j * to - 100) = *(global const ushort *)(from + (i * sx + j * sy)) * 3;
}
kernel void quads(global int *y, global const int *x, int stride) {
  int i = get_global_id(0);
  vstore4(vload4(0, x + i * stride) * 5, i, y);
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define ALONE                                                                                                          \
  if (get_global_id(0) || get_global_id(1))                                                                            \
    return;
kernel void move_formula(global const float *x, ulong offset, global float *y, ulong shift, int n, ulong nb0, ulong nb1, ulong to) {
  ALONE
  for (int row = 0; row < 3; row++)
    for (int i = 0; i < n; i++)
      y[shift / 4 + (i + row * 70) * (to / 4)] = x[offset / 4 + row * (nb1 / 4) + i * (nb0 / 4)] + 1;
}
kernel void halves_formula(global ushort *y, global const ushort *x, int sx, int sy, int to) {
  ALONE
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 40; i++)
      y[(i + 50 + 40 * j) * (to / 2) - 50] = x[100 + i * (sx / 2) + j * (sy / 2)] * 3;
}
kernel void quads_formula(global int *y, global const int *x, int stride) {
  ALONE
  for (int i = 0; i < 4 * 50; i++)
    y[i] = 5 * x[i / 4 * stride + i % 4];
}
#endif
