// Integer dot products (cl_khr_integer_dot_product): of vectors of bytes and packed, with a saturating accumulator.
// run: -g 5 -p 4:u32 -p 5:i32 -p 6:u32 -p 7:i32 list:u32:16909060,4286578815,4294967295,2155905152,124576495 list:u32:84281096,2164195711,4294967295,2155905152,3609267711 list:u32:10,4294967290,4294800000,0,1999834075 list:i32:-10,2147483647,2147480000,-2147483648,-1666358331 zero:u32:10 zero:i32:30 zero:u32:10 zero:i32:30
// expect: 4: 70 80 81409 4294967295 260100 4294967295 65536 65536 68952 1999903027
// expect: 5: 70 70 70 60 60 60 16385 -16639 -16639 2147483647 2147467008 2147467008 4 -1020 -1020 2147480004 2147478980 2147478980 65536 -65536 -65536 -2147418112 -2147483648 -2147483648 2904 5976 344 -1666355427 -1666352355 -1666357987
// expect: 6: 70 80 81409 4294967295 260100 4294967295 65536 65536 68952 1999903027
// expect: 7: 70 70 70 60 60 60 16385 -16639 -16639 2147483647 2147467008 2147467008 4 -1020 -1020 2147480004 2147478980 2147478980 65536 -65536 -65536 -2147418112 -2147483648 -2147483648 2904 5976 344 -1666355427 -1666352355 -1666357987
#ifndef cl_khr_integer_dot_product
#error
#endif
kernel void k(global const uint *a, global const uint *b, global const uint *c, global const int *d, global uint *u,
              global int *s, global uint *pu, global int *ps) {
  int i = get_global_id(0);
  uchar4 x = as_uchar4(a[i]), y = as_uchar4(b[i]);
  char4 v = as_char4(x), w = as_char4(y);
  u[2 * i] = dot(x, y);
  u[2 * i + 1] = dot_acc_sat(x, y, c[i]);
  s[6 * i] = dot(v, w);
  s[6 * i + 1] = dot(x, w);
  s[6 * i + 2] = dot(v, y);
  s[6 * i + 3] = dot_acc_sat(v, w, d[i]);
  s[6 * i + 4] = dot_acc_sat(x, w, d[i]);
  s[6 * i + 5] = dot_acc_sat(v, y, d[i]);
  pu[2 * i] = dot_4x8packed_uu_uint(a[i], b[i]);
  pu[2 * i + 1] = dot_acc_sat_4x8packed_uu_uint(a[i], b[i], c[i]);
  ps[6 * i] = dot_4x8packed_ss_int(a[i], b[i]);
  ps[6 * i + 1] = dot_4x8packed_us_int(a[i], b[i]);
  ps[6 * i + 2] = dot_4x8packed_su_int(a[i], b[i]);
  ps[6 * i + 3] = dot_acc_sat_4x8packed_ss_int(a[i], b[i], d[i]);
  ps[6 * i + 4] = dot_acc_sat_4x8packed_us_int(a[i], b[i], d[i]);
  ps[6 * i + 5] = dot_acc_sat_4x8packed_su_int(a[i], b[i], d[i]);
}
