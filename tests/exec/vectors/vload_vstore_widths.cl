// vloadn and vstoren of every width at addresses aligned to elements alone; between all address spaces; of every type.
// run: -k ints -g 1 -p 1:i32 iota:i32:40 zero:i32:33
// expect: 1: 10 12 12 15 18 20 24 28 32 104 112 120 128 136 144 152 160 368 384 400 416 432 448 464 480 496 512 528 544 560 576 592 608
// run: -k bytes -g 1 -p 1:u8 iota:u8:40 zero:u8:33
// expect: 1: 10 12 12 15 18 20 24 28 32 104 112 120 128 136 144 152 160 112 128 144 160 176 192 208 224 240 0 16 32 48 64 80 96
// run: -k doubles -g 1 -p 1:f64 iota:f64:40 zero:f64:33
// expect: 1: 10 12 12 15 18 20 24 28 32 104 112 120 128 136 144 152 160 368 384 400 416 432 448 464 480 496 512 528 544 560 576 592 608
// run: -k spaces -g 1 -p 0:i16 iota:i16:32
// expect: 0: 0 1 5 6 7 5 6 7 8 9 10 11 12 13 4 3 2 1 18 19 20 21 22 23 24 25 26 27 28 29 30 31
#define WIDTHS \
  vstore2(vload2(1, a + 3) * (T)2, 0, o + 0); \
  vstore3(vload3(1, a + 1) * (T)3, 0, o + 2); \
  vstore4(vload4(1, a + 1) * (T)4, 0, o + 5); \
  vstore8(vload8(1, a + 5) * (T)8, 0, o + 9); \
  vstore16(vload16(1, a + 7) * (T)16, 0, o + 17);
#define T int
kernel void ints(global const int *a, global int *o) { WIDTHS }
#undef T
#define T uchar
kernel void bytes(global const uchar *a, global uchar *o) { WIDTHS }
#undef T
#define T double
kernel void doubles(global const double *a, global double *o) { WIDTHS }
constant short fixed[] = {0, 1, 2, 3, 4};
kernel void spaces(global short *a) {
  short mine[9];
  local short shared[8];
  vstore3(vload3(1, a + 2), 1, mine);
  vstore3(vload3(1, mine), 0, shared + 1);
  vstore3(vload3(0, shared + 1), 0, a + 2);
  vstore3(vload3(0, shared + 1), 1, a + 2);
  vstore4(vload4(0, fixed + 1).wzyx, 3, a + 2);
}
