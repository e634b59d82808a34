// Pre and post increment on scalars, pointers and members.
// run: -g 1 -p 0:i32 zero:i32:10
// expect: 0: 12 2 5 8 7 -128 5 25 255 0
struct s { int a; char c; };
kernel void k(global int *o) {
  int i = 5;
  o[0] = i++ + ++i;
  o[1] = i-- - --i;
  global int *p = o + 2;
  *p++ = i;
  *++p = 7;
  *--p = 8;
  struct s v = {1, 127};
  v.c++;
  ++v.a;
  o[5] = v.c;
  o[6] = v.a++ + v.a;
  float f = 1.5f;
  f++;
  o[7] = (int)(f * 10);
  uchar u = 0;
  u--;
  o[8] = u;
}
