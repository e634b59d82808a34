// All forms of component access.
// run: -g 1 -p 0:i32 zero:i32:32
// expect: 0: 13 12 11 10 20 22 24 26 21 23 25 27 24 24 26 26 10 11 27 26 24 25 26 27 33 49 0 0 0 0 0 0
kernel void k(global int *o) {
  int4 a = (int4)(10, 11, 12, 13);
  int8 b = (int8)(20, 21, 22, 23, 24, 25, 26, 27);
  vstore4(a.wzyx, 0, o);
  vstore4(b.even, 1, o);
  vstore4(b.odd, 2, o);
  vstore4(b.s0246.hi.xxyy, 3, o);
  vstore4((int4)(a.lo, b.s7, b.S6), 4, o);
  vstore4(b.hi, 5, o);
  o[24] = a.x + b.s3;
  int16 c = (int16)(b, b);
  o[25] = c.sa + c.sF;
}
