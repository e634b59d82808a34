// Memory seen through pointers of other types.
// run: -g 2 -p 0:u8 -p 1:u32 zero:u8:8 list:u32:67305985,134678021
// expect: 0: 4 3 2 1 8 7 6 5
// expect: 1: 287510630 287510630
kernel void k(global uchar *o, global uint *a) {
  size_t i = get_global_id(0);
  global uchar *b = (global uchar *)(a + i);
  for (int j = 0; j < 4; j++)
    o[i * 4 + j] = b[3 - j];
  uint x = 0x11223344;
  uchar *c = (uchar *)&x;
  c[1] = 0xff;
  ushort *s = (ushort *)&x;
  a[i] = x + s[1];
}
