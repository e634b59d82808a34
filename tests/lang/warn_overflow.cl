#define BIG 0x7fffffff
constant int c = BIG + 1;
kernel void k(global int *o, global long *l) {
  o[0] = 2147483647 + 1;
  o[1] = 100000 * 100000;
  o[2] = -(-2147483647 - 1);
  o[3] = -2147483647 - 2;
  l[0] = 0x7fffffffffffffffL * 2;
  l[1] = 3600 * 1000 * 1000;
  // all fine
  o[4] = 4000000000u * 2;
  o[5] = 1 << 31;
  o[6] = (short)32767 + 1;
  l[2] = -2147483647L - 2;
  o[7] = sizeof(2147483647 + 1);
  o[8] = (-2147483647 - 1) / -1;
}
// expect: 2:22: warning: overflow in expression; result is -2147483648 with type 'int' [-Winteger-overflow]
// expect: 4:21: warning: overflow in expression; result is -2147483648 with type 'int' [-Winteger-overflow]
// expect: 5:17: warning: overflow in expression; result is 1410065408 with type 'int' [-Winteger-overflow]
// expect: 6:10: warning: overflow in expression; result is -2147483648 with type 'int' [-Winteger-overflow]
// expect: 7:22: warning: overflow in expression; result is 2147483647 with type 'int' [-Winteger-overflow]
// expect: 8:30: warning: overflow in expression; result is -2 with type 'long' [-Winteger-overflow]
// expect: 9:22: warning: overflow in expression; result is -694967296 with type 'int' [-Winteger-overflow]
