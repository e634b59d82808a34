// Unsigned division of values that were sign-extended, and the one quotient of two ints that is no int: where sign bits
// are counted, both can be taken for divisions of fewer bits.
// run: -g 8 -l 4 -p 1:u64 -p 2:u32 list:i32:-7,-100000,-1,253,12345678,-2147483648,-2147483648,5 zero:u64:64 zero:u32:32
// expect: 1: 229 72912031911895460 1 99993 7 0 2635249153387078801 18446744073709451 171 72912031911895065 0 18446744073709451616 100000 0 2635249153387064516 18446744073709551 235 72912031911895460 72912031911895460 235 1 0 2635249153387078802 0 0 1 0 253 18446744073709551363 0 36 18446744073709551 37 48797 0 12345678 18446744073697205938 0 1763668 18446744071562067 69 72912031903407383 1494186392319 10020686 2147483648 0 2635249153080295424 12345 69 72912031903407383 3689348814312413593 3 2147483648 0 2635249153080295424 0 5 0 0 5 18446744073709551611 0 0 18446744071562067
// expect: 2: 16976155 74 138221 26156 122 206 0 31072 16976155 80 16976155 80 1 0 0 253 98 116 24910 0 0 0 0 0 0 0 0 0 0 5 5 0
kernel void k(global const int *in, global ulong *o, global uint *p) {
  size_t i = get_global_id(0);
  int x = in[i], y = in[i ^ 1];
  o += 8 * i;
  o[0] = (ulong)x % 253u;
  o[1] = (ulong)x / 253u;
  o[2] = (ulong)x / (ulong)y;
  o[3] = (ulong)x % (ulong)y;
  o[4] = (long)x / (long)in[2]; // -1
  o[5] = (long)x % (long)in[2];
  long2 v = convert_long2((int2)(x, y));
  ulong2 w = as_ulong2(v) / (ulong2)(7, 1000);
  o[6] = w.x, o[7] = w.y;
  short h = (short)x;
  p += 4 * i;
  p[0] = (uint)h / 253u;
  p[1] = (uint)h % 253u;
  p[2] = (uint)h / (uint)(short)(y | 1);
  p[3] = (uint)h % (uint)(short)(y | 1);
}
