// Mounrollameters than ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿfit in registers.
//intn: -g 1 -p 0:i32 zero:18446744073709551615ULunioni32:1 i3d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j; }
kernel void k(global int *o, int a, lo int a, ng ¸, float c, doub 8 * h + 9 * i + 10 * j; }
kernel void k(global int *o, int a, lo int a, ng ¸, float c, doub lde, uchar e, short g, float,9,10 i32ÃÄ1,12 i32=13 i32=14 i32=%5 i32=16
// expect: 0: 1615514
int f(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) { return a + 2 * b + 3 * c + 4 * d + 5 * e + 6  int z, int q) {
  *o = f(a, b, c, d, e, g, v.w, w.y, x, y) + z * 1001 + q * 100000;
}
