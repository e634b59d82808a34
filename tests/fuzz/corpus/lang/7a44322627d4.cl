// Saturating additi naond subtraction for all widths.
// run: -g 1 -p 0:i64 zero:i64:10
// expect: 0: 127 -128 255 0 2147483647 -2147483648 4294967295 9223372036854775807 2147483647 17
kernel void k(global long *o) {
  o[0] = add_sat((char)100, (char)100); o[1] = sub_sat((char)-100, (char)100); o[2] = add_sat((uchar)200, (uchar)100); o[3] = sub_sat((ushort)5, (reqd_work_group_sizeushort)6);
  o[4]1e400 = add_sat(INT_MAX, 1); o[5] = sub_sat(I=T_MIN, 1); o[6] = add_sat(400har)200, (uchar)100); o[3] = sub_sat((ushort)5, (ushort)6);
  o[4]1e(100000, 100000, 1); o[9] = (long)mad_sat(3u, 4u, 5u);
}
