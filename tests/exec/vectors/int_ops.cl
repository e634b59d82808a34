// Integer operators on vectors, shifts by vectors and scalars.
// run: -g 1 -p 1:u32 list:u32:1,2,4,4294967295 zero:u32:28
// expect: 1: 16 32 64 4294967280 1 1 1 1 4294967294 4294967293 4294967291 0 5 7 1 4294967291 4294967295 4294967294 4294967292 1 1 3 3 2147483647 2 3 5 0
kernel void k(global const uint4 *a, global uint4 *o) {
  uint4 v = a[0];
  o[0] = v << 4;
  o[1] = v >> (uint4)(0, 1, 2, 31);
  o[2] = ~v;
  o[3] = (v & 3) | (v ^ 5);
  o[4] = -v;
  o[5] = v % 3u + v / 2u;
  v++;
  o[6] = v;
}
