// Every compound assignment computes in the common type and converts back.
// run: -g 1 -p 0:i32 zero:i32:12
// expect: 0: 60 -56 150 2 -4 -1 77 12 0 0 0 0
kernel void k(global int *o) {
  int a = 100;
  a += 5; a -= 2; a *= 3; a /= 4; a %= 50; a <<= 3; a >>= 1; a |= 1; a &= ~4; a ^= 0x55;
  o[0] = a;
  char c = 100;
  c += 100;
  o[1] = c;
  uchar u = 100;
  u *= 1.5f;
  o[2] = u;
  int i = 10;
  i *= 0.25f;
  o[3] = i;
  short s = -7;
  s >>= 1;
  o[4] = s;
  s /= 2u > 1u ? 3 : 1;
  o[5] = s;
  global int *p = o;
  p += 7;
  p -= 1;
  *p = 77;
  o[7] |= 12;
}
