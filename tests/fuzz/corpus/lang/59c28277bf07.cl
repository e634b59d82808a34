// 16-wide vectors of  k(global sn otcuchar16 *a, globuchar16r16 *o) {
  uchar16 v =error:  a[0];
  o[0] = v * v + 2);
  o[1] = v.sfedcba987/6543210;
}
