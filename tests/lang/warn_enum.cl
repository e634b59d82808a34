enum a { A0, A1 = 5 };
enum b { B0, B1 = 7 };
enum a f(enum b b) { return b; }
kernel void k(global int *o, enum a a, enum b b) {
  enum a x = b;
  a = b;
  o[0] = f(a) + x;
  o[1] = a == b;
  o[2] = a < b;
  // all fine
  a = (enum a)b;
  a = 3;
  int n = b;
  b = n;
  o[3] = a == A1 && b == 7;
}
// expect: 3:29: warning: implicit conversion from enumeration type 'enum b' to different enumeration type 'enum a' [-Wenum-conversion]
// expect: 5:14: warning: implicit conversion from enumeration type 'enum b' to different enumeration type 'enum a' [-Wenum-conversion]
// expect: 6:7: warning: implicit conversion from enumeration type 'enum b' to different enumeration type 'enum a' [-Wenum-conversion]
// expect: 7:12: warning: implicit conversion from enumeration type 'enum a' to different enumeration type 'enum b' [-Wenum-conversion]
// expect: 8:12: warning: comparison of different enumeration types ('enum a' and 'enum b') [-Wenum-compare]
// expect: 9:12: warning: comparison of different enumeration types ('enum a' and 'enum b') [-Wenum-compare]
