// 16-wide vectors of small elements.
// run: -g 1 -p 1:u8 iota:u8:16 zero:u8:32
// expect: 1: 3 4 7 12 19 28 39 52 67 84 103 124 147 172 199 228 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
kernel void k(global const uchar16 *a, global uchar16 *o) {
  uchar16 v = a[0];
  o[0] = v * v + (uchar16)(3);
  o[1] = v.sfedcba9876543210;
}
