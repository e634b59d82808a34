void take(uchar c) {}
short give(void) { return 70000; }
kernel void k(global int *o, global uchar *u) {
  char c = 300;
  uchar d = -1, e = 256, f = -300;
  int i = 0x1ffffffffL, j = 0xffffffff;
  i = 1.5f;
  i = 3.0f;
  j = 1e10f;
  u[0] = 1.25;
  take(1000);
  o[0] = c + d + e + f + i + j;
  o[1] = (char)300 + (int)1.5f;
  bool b = 256;
  o[2] = b;
}
// expect: 2:27: warning: implicit conversion from 'int' to 'short' changes value from 70000 to 4464 [-Wconstant-conversion]
// expect: 4:12: warning: implicit conversion from 'int' to 'char' changes value from 300 to 44 [-Wconstant-conversion]
// expect: 5:21: warning: implicit conversion from 'int' to 'uchar' changes value from 256 to 0 [-Wconstant-conversion]
// expect: 5:30: warning: implicit conversion from 'int' to 'uchar' changes value from -300 to 212 [-Wconstant-conversion]
// expect: 6:11: warning: implicit conversion from 'long' to 'int' changes value from 8589934591 to -1 [-Wconstant-conversion]
// expect: 7:7: warning: implicit conversion from 'float' to 'int' changes value from 1.5 to 1 [-Wliteral-conversion]
// expect: 9:7: warning: implicit conversion of out of range value from 'float' to 'int' is undefined [-Wliteral-conversion]
// expect: 10:10: warning: implicit conversion from 'double' to 'uchar' changes value from 1.25 to 1 [-Wliteral-conversion]
// expect: 11:8: warning: implicit conversion from 'int' to 'uchar' changes value from 1000 to 232 [-Wconstant-conversion]
