// More parameters than fit in registers.
// run: -g 1 -p 0:i32 zero:i32:1 i32=1 i64=2 f32=3 f64=4 u8=5 i16=6 f32=7,8,9,10 i32=11,12 i32=13 i32=14 i32=15 i32=16
// expect: 0: 1615514
int f(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) { return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j; }
kernel void k(global int *o, int a, long b, float c, double d, uchar e, short g, float4 v, int2 w, int x, int y, int z, int q) {
  *o = f(a, b, c, d, e, g, v.w, w.y, x, y) + z * 1000 + q * 100000;
}
