// Every form of components as an lvalue, for every width: .xyzw, .s0 to .sF, .hi, .lo, .even, .odd, in any order,
// nested, assigned and compounded; increments of components; components after pointers.
// run: -g 1 -p 0:i32 zero:i32:152
// expect: 0: 15 1 2 1 7 22 8 7 6 4 12 14 1 5 6 12 8 9 28 5 6 13 4 3 22 11 30 33 1 2 1 6 2 8 3 14 2 251 10 6 78 5 110 111 112 113 1 2 3 4 1 22 2 39 3 60 4 85 4 11 4 13 14 1 99 4 8 7 6 5 4 3 2 1 9 10 11 12 13 14 15 16 0 1 2 3 4 5 6 7 20 22 21 26 22 30 23 34 24 38 25 42 26 46 27 50 9 11 12 13 14 15 16 7 18 19 70 81 4 3 2 8 115 114 113 112 0 110 1 108 107 106 105 104 103 102 101 100 2 3 4 3 1 3 2 1 9 1 7 2 8 9
kernel void k(global int *o) {
  { int2 v = (int2)(10, 11);
    v.y = 1;
    v.x += 5;
    vstore2(v, 0, o); o += 2; }
  { int2 v = (int2)(10, 11);
    v.hi = 1;
    v.lo = 2;
    vstore2(v, 0, o); o += 2; }
  { int2 v = (int2)(10, 11);
    v.even -= 3;
    v.odd *= 2;
    vstore2(v, 0, o); o += 2; }
  { int2 v = (int2)(10, 11);
    v.yx = (int2)(7, 8);
    vstore2(v, 0, o); o += 2; }
  { int2 v = (int2)(10, 11);
    v.s1 = 4;
    v.S0 = 6;
    vstore2(v, 0, o); o += 2; }
  { int3 v = (int3)(10, 11, 12);
    v.z = 1;
    v.xy += (int2)(2, 3);
    vstore3(v, 0, o); o += 3; }
  { int3 v = (int3)(10, 11, 12);
    v.lo = (int2)(5, 6);
    vstore3(v, 0, o); o += 3; }
  { int3 v = (int3)(10, 11, 12);
    v.zxy = (int3)(7, 8, 9);
    v.s2 <<= 2;
    vstore3(v, 0, o); o += 3; }
  { int3 v = (int3)(10, 11, 12);
    v.even.x = 5;
    v.odd.lo = 6;
    v.hi.x += 1;
    vstore3(v, 0, o); o += 3; }
  { int4 v = (int4)(10, 11, 12, 13);
    v.xyzw = (int4)(4, 3, 2, 1);
    v.wz += (int2)(10, 20);
    vstore4(v, 0, o); o += 4; }
  { int4 v = (int4)(10, 11, 12, 13);
    v.hi = (int2)(1, 2);
    v.lo *= 3;
    vstore4(v, 0, o); o += 4; }
  { int4 v = (int4)(10, 11, 12, 13);
    v.even = (int2)(1, 2);
    v.odd -= 5;
    vstore4(v, 0, o); o += 4; }
  { int4 v = (int4)(10, 11, 12, 13);
    v.wxzy = (int4)(4, 3, 2, 1);
    v.S31 ^= (int2)(255, 15);
    vstore4(v, 0, o); o += 4; }
  { int4 v = (int4)(10, 11, 12, 13);
    v.hi.lo = 77;
    v.even.hi += 1;
    v.yzw.zx = (int2)(5, 6);
    vstore4(v, 0, o); o += 4; }
  { int8 v = (int8)(10, 11, 12, 13, 14, 15, 16, 17);
    v.hi = (int4)(1, 2, 3, 4);
    v.lo += 100;
    vstore8(v, 0, o); o += 8; }
  { int8 v = (int8)(10, 11, 12, 13, 14, 15, 16, 17);
    v.even = (int4)(1, 2, 3, 4);
    v.odd *= (int4)(2, 3, 4, 5);
    vstore8(v, 0, o); o += 8; }
  { int8 v = (int8)(10, 11, 12, 13, 14, 15, 16, 17);
    v.hi.odd = (int2)(1, 2);
    v.even.lo = (int2)(3, 4);
    v.s07 += (int2)(1, 2);
    v.s4567.wzyx.lo.hi = 99;
    vstore8(v, 0, o); o += 8; }
  { int8 v = (int8)(10, 11, 12, 13, 14, 15, 16, 17);
    v.s76543210 = (int8)(1, 2, 3, 4, 5, 6, 7, 8);
    vstore8(v, 0, o); o += 8; }
  { int16 v = (int16)(10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25);
    v.hi = (int8)(0, 1, 2, 3, 4, 5, 6, 7);
    v.lo -= 1;
    vstore16(v, 0, o); o += 16; }
  { int16 v = (int16)(10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25);
    v.even = (int8)(20, 21, 22, 23, 24, 25, 26, 27);
    v.odd <<= 1;
    vstore16(v, 0, o); o += 16; }
  { int16 v = (int16)(10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25);
    v.sFEDC = (int4)(1, 2, 3, 4);
    v.sab += (int2)(50, 60);
    v.S0 = 9;
    v.odd.odd.odd = (int2)(7, 8);
    vstore16(v, 0, o); o += 16; }
  { int16 v = (int16)(10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25);
    v.sfedcba9876543210 = (int16)(100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115);
    v.lo.hi.even = (int2)(0, 1);
    vstore16(v, 0, o); o += 16; }
  { int4 v = (int4)(1, 2, 3, 4);
    int a = v.x++, b = --v.s3;
    v.yz++;
    vstore4(v, 0, o); o[4] = a; o[5] = b; o += 6; }
  { int4 a[2] = {(int4)(1), (int4)(2)}, *p = a + 1;
    p->hi = (int2)(8, 9);
    (*p).x = 7;
    a[0].even = p->odd;
    vstore4(a[0], 0, o); vstore4(a[1], 1, o); o += 8; }
}
