// rotate, clz, popcount, mul_hi, mad_hi, upsample.
// run: -g 3 -p 1:u32 list:u32:0,2147483649,305419896 zero:u32:27
// expect: 1: 0 0 32 0 0 0 7 43981 8 24 24 0 2 1073741824 1 1073741832 109517 800 591751041 591751041 3 13 152709948 4294967295 21718755 1450748877 19503
kernel void k(global const uint *a, global uint *o) {
  size_t i = get_global_id(0);
  uint x = a[i];
  o += 9 * i;
  o[0] = rotate(x, 4u); o[1] = rotate(x, 36u); o[2] = clz(x); o[3] = popcount(x); o[4] = mul_hi(x, 0x80000000u); o[5] = mul_hi((int)x, -3);
  o[6] = mad_hi(x, x, 7u); o[7] = upsample((ushort)x, (ushort)0xabcd); o[8] = clz((uchar)(x >> 24)) + 100 * rotate((uchar)x, (uchar)3);
}
