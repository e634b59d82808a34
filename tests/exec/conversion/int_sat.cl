// Saturating conversions between integer types.
// run: -g 6 -p 1:i8 -p 2:u8 -p 3:u16 -p 4:u32 list:i32:-200,-1,0,200,70000,127 zero:i8:6 zero:u8:6 zero:u16:6 zero:u32:6
// expect: 1: -128 -1 0 127 127 127
// expect: 2: 0 0 0 200 255 127
// expect: 3: 0 0 0 200 65535 127
// expect: 4: 0 0 0 200 70000 127
kernel void k(global const int *a, global char *c, global uchar *u, global ushort *s, global uint *w) {
  size_t i = get_global_id(0);
  c[i] = convert_char_sat(a[i]);
  u[i] = convert_uchar_sat(a[i]);
  s[i] = convert_ushort_sat(a[i]);
  w[i] = convert_uint_sat(a[i]);
}
