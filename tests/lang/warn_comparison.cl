struct S { int m; };
kernel void k(global int *o, uint u, int i, uchar c, char sc, ushort s, short ss, ulong l, float f, struct S t, global int *q, int4 v, volatile global int *vo) {
  o[0] = i == i;
  o[0] = i != i;
  o[0] = i < i;
  o[0] = i <= i;
  o[0] = f == f;
  o[0] = o[1] == o[1];
  o[0] = q == q;
  o[0] = t.m == t.m;
  o[0] = t.m >= t.m;
  v = v == v;
  o[0] = *vo == *vo;
  o[0] = (i) == i;
  o[0] = o[i] < o[i];
  o[0] = o[i + 1] < o[i + 1];
  o[0] = i + 1 == i + 1;
  o[0] = c == 256;
  o[0] = c != 256;
  o[0] = 256 == c;
  o[0] = c < 256;
  o[0] = c > 255;
  o[0] = c <= 255;
  o[0] = c >= 0;
  o[0] = c < 0;
  o[0] = c < -1;
  o[0] = c == -1;
  o[0] = sc == 128;
  o[0] = sc > 127;
  o[0] = sc >= -128;
  o[0] = sc < -128;
  o[0] = s > 70000;
  o[0] = ss < 32768;
  o[0] = ss == 0x8000;
  o[0] = u < 0;
  o[0] = u == -1;
  o[0] = u > 0xffffffff;
  o[0] = u > 0x100000000l;
  o[0] = i == 0x80000000;
  o[0] = i > 0x7fffffffl;
  o[0] = i < 0x80000000l;
  o[0] = 0x80000000l > i;
  o[0] = (i < 3) == 2;
  o[0] = (i < 3) > 1;
  o[0] = (i < 3) == 1;
  o[0] = !i == 3;
  o[0] = (uchar)i == 300;
  o[0] = c + 1 == 300;
  o[0] = (c & 3) == 4;
  o[0] = (i & 3) == 4;
  o[0] = (i | 4) == 0;
  o[0] = (i | 4) != 0;
  o[0] = i % 4 == 5;
  o[0] = (i & 8) == 4;
  for (uint j = 3; j >= 0; j--)
    o[j] = 1;
}
#define FITS(x) ((x) < 256 && (x) == (x))
kernel void quiet(global int *o, uchar c, volatile global int *v) { o[0] = FITS(c) + (v[1] == v[1]); }
// expect: 3:12: warning: self-comparison always evaluates to true [-Wtautological-compare]
// expect: 4:12: warning: self-comparison always evaluates to false [-Wtautological-compare]
// expect: 5:12: warning: self-comparison always evaluates to false [-Wtautological-compare]
// expect: 6:12: warning: self-comparison always evaluates to true [-Wtautological-compare]
// expect: 8:15: warning: self-comparison always evaluates to true [-Wtautological-compare]
// expect: 9:12: warning: self-comparison always evaluates to true [-Wtautological-compare]
// expect: 10:14: warning: self-comparison always evaluates to true [-Wtautological-compare]
// expect: 11:14: warning: self-comparison always evaluates to true [-Wtautological-compare]
// expect: 12:9: warning: self-comparison always evaluates to true [-Wtautological-compare]
// expect: 14:14: warning: self-comparison always evaluates to true [-Wtautological-compare]
// expect: 15:15: warning: self-comparison always evaluates to false [-Wtautological-compare]
// expect: 18:12: warning: result of comparison of constant 256 with expression of type 'uchar' is always false [-Wtautological-compare]
// expect: 19:12: warning: result of comparison of constant 256 with expression of type 'uchar' is always true [-Wtautological-compare]
// expect: 20:14: warning: result of comparison of constant 256 with expression of type 'uchar' is always false [-Wtautological-compare]
// expect: 21:12: warning: result of comparison of constant 256 with expression of type 'uchar' is always true [-Wtautological-compare]
// expect: 26:12: warning: result of comparison of constant -1 with expression of type 'uchar' is always false [-Wtautological-compare]
// expect: 27:12: warning: result of comparison of constant -1 with expression of type 'uchar' is always false [-Wtautological-compare]
// expect: 28:13: warning: result of comparison of constant 128 with expression of type 'char' is always false [-Wtautological-compare]
// expect: 32:12: warning: result of comparison of constant 70000 with expression of type 'ushort' is always false [-Wtautological-compare]
// expect: 33:13: warning: result of comparison of constant 32768 with expression of type 'short' is always true [-Wtautological-compare]
// expect: 34:13: warning: result of comparison of constant 32768 with expression of type 'short' is always false [-Wtautological-compare]
// expect: 38:12: warning: result of comparison of constant 4294967296 with expression of type 'uint' is always false [-Wtautological-compare]
// expect: 41:12: warning: result of comparison of constant 2147483648 with expression of type 'int' is always true [-Wtautological-compare]
// expect: 42:22: warning: result of comparison of constant 2147483648 with expression of type 'int' is always true [-Wtautological-compare]
// expect: 43:18: warning: result of comparison of constant 2 with boolean expression is always false [-Wtautological-compare]
// expect: 44:18: warning: result of comparison of constant 1 with boolean expression is always false [-Wtautological-compare]
// expect: 46:10: warning: logical not is only applied to the left hand side of this comparison [-Wlogical-not-parentheses]
// expect: 46:10: note: add parentheses after the '!' to evaluate the comparison first
// expect: 46:10: note: add parentheses around left hand side expression to silence this warning
// expect: 46:13: warning: result of comparison of constant 3 with boolean expression is always false [-Wtautological-compare]
// expect: 47:19: warning: result of comparison of constant 300 with expression of type 'uchar' is always false [-Wtautological-compare]
