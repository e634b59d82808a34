// Vectors of narrow elements that each work-item reads and writes at a place of its own.
// run: -k bytes -g 5,3 -l 5,3 -p 1:u8 iota:u8:60 zero:u8:60
// expect: 1: 3 2 1 0 23 22 21 20 43 42 41 40 7 6 5 4 27 26 25 24 47 46 45 44 11 10 9 8 31 30 29 28 51 50 49 48 15 14 13 12 35 34 33 32 55 54 53 52 19 18 17 16 39 38 37 36 59 58 57 56
// run: -k shorts -g 3,5 -l 3,5 -p 1:i16 iota:i16:60 zero:i16:60
// expect: 1: 0 0 0 0 5 6 7 8 17 18 19 20 0 0 0 0 41 42 43 44 -3 -2 -1 0 9 10 11 12 0 0 0 0 33 34 35 36 45 46 47 48 1 2 3 4 0 0 0 0 25 26 27 28 37 38 39 40 0 0 0 0
// run: -k pairs -g 9,2 -l 3,1 -p 1:u16 iota:u16:36 zero:u16:36
// expect: 1: 1 0 19 18 3 2 21 20 5 4 23 22 7 6 25 24 0 0 0 0 11 10 29 28 13 12 31 30 15 14 33 32 17 16 35 34
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
