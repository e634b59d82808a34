kernel void k(global ulong *a) {
  a[0] = 18446744073709551616;
}
// expect: 2:10: error: integer literal is too large to be represented in any integer type
