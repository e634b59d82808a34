// Components as lvalues.
// run: -g 1 -p 0:i32 zero:i32:16
// expect: 0: 11 0 13 8 0 0 0 0 -1 -2 7 0 7 13 7 8
kernel void k(global int *o) {
  int4 a = 0;
  a.x = 1;
  a.wz = (int2)(4, 3);
  a.even += 10;
  a.hi.y *= 2;
  vstore4(a, 0, o);
  int8 b = 7;
  b.s1357 = a;
  b.lo.lo = (int2)(-1, -2);
  vstore8(b, 1, o);
}
