// Vectors of narrow elements that each work-item reads and writes at a place of its own.
// run: -k bytes -g 5,3 -l 5,3 -p 1:u8 iota:u8:60 zero:u8:60
// expect: 1: 3 2 1 0 23 22 21 20 43 42 41 40 7 6 5 4 27 26 25 24 47 46 45 44 11 10 9 8 31 30 29 28 51 50 49 48 15 14 13 12 35 34 33 32 55 54 53 52 19 18 17 16 39 38 37 36 59 58 57 56
// run: -k shorts -g 3,5 -l 3,5 -p 1:i16 iota:i16:60 zero:i16:60
// expect: 1: 0 0 0 0 5 6 7 8 17 18 19 20 0 0 0 0 41 42 43 44 -3 -2 -1 0 9 10 11 12 0 0 0 0 33 34 35 36 45 46 47 48 1 2 3 4 0 0 0 0 25 26 27 28 37 38 39 40 0 0 0 0
// run: -k pairs -g 9,2 -l 3,1 -p 1:u16 iota:u16:36 zero:u16:36
// expect: 1: 1 0 19 18 3 2 21 20 5 4 23 22 7 6 25 24 0 0 0 0 11 10 29 28 13 12 31 30 15 14 33 32 17 16 35 34
// run: -k wide -g 2,3 -l 2,3 -p 1:i8 rand:i8:96:3 zero:i8:96
// expect: 1: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 52 -53 -1 -121 84 95 -30 -122 -122 -30 95 84 -121 -1 -53 52 73 -59 -69 100 -52 -58 -62 -98 -98 -62 -58 -52 100 -69 -59 73 7 -53 11 58 -17 38 -114 -49 -49 -114 38 -17 58 11 -53 7 -11 9 -31 9 -26 34 21 -110 -110 21 34 -26 9 -31 9 -11 -67 90 13 -102 -82 -39 50 78 78 50 -39 -82 -102 13 90 -67
// run: -k words -g 3,2 -l 3,2 -p 1:i16 rand:i16:48:3 zero:i16:48
// expect: 1: -19642 4775 -23841 -7293 7435 -25365 14184 8856 -7200 7925 -8394 -18049 -24745 14141 -23514 -19978 -7306 -18882 22020 -13180 32182 -19764 31468 -18522 -6632 13893 -21653 24227 12387 28070 31026 24796 6809 -27002 -4214 12524 20057 11339 -11835 -21651 -32244 -9417 -27980 1136 10303 -19219 20798 -6912
kernel void bytes(global const uchar4 *in, global uchar4 *out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[x * get_global_size(1) + y] = in[y * get_global_size(0) + x].wzyx;
}
kernel void shorts(global const short4 *in, global short4 *out) {
  int x = get_global_id(0), y = get_global_id(1);
  short4 v = in[y * get_global_size(0) + x];
  if ((x + y) % 3)
    out[x * get_global_size(1) + y] = v - (short)7;
}
kernel void pairs(global const ushort2 *in, global ushort2 *out) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x != 4)
    out[x * get_global_size(1) + y] = in[y * get_global_size(0) + x].yx;
}
kernel void wide(global const char16 *in, global char16 *out) {
  int x = get_global_id(0), y = get_global_id(1);
  char16 v = in[y * get_global_size(0) + x];
  if (x + y)
    out[x * get_global_size(1) + y] = v.sfedcba9876543210 + v;
}
kernel void words(global const short *in, global short *out) {
  int x = get_global_id(0), y = get_global_id(1);
  short8 v = vload8(y * get_global_size(0) + x, in);
  vstore8(v.s13570246, x * get_global_size(1) + y, out);
}
