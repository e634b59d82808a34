// Saturating addition and subtraction for all widths.
// run: -g 1 -p 0:i64 zero:i64:10
// expect: 0: 127 -128 255 0 2147483647 -2147483648 4294967295 9223372036854775807 2147483647 17
kernel void k(global long *o) {
  o[0] = add_sat((char)100, (char)100); o[1] = sub_sat((char)-100, (char)100); o[2] = add_sat((uchar)200, (uchar)100); o[3] = sub_sat((ushort)5, (ushort)6);
  o[4] = add_sat(INT_MAX, 1); o[5] = sub_sat(INT_MIN, 1); o[6] = add_sat(4000000000u, 4000000000u); o[7] = add_sat(LONG_MAX, 1l); o[8] = mad_sat(100000, 100000, 1); o[9] = (long)mad_sat(3u, 4u, 5u);
}
