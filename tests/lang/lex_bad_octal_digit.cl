kernel void k(global int *a) {
  a[0] = 0779;
}
// expect: 2:13: error: invalid digit '9' in octal constant
