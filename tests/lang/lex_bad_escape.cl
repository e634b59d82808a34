kernel void k(global char *a) {
  a[0] = '\x';
}
// expect: 2:11: error: \x used with no following hex digits
