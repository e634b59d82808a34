kernel void k(global int *a) {
  a[0] = 1 @ 2;
}
// expect: 2:12: error: unexpected character '@'
// expect: 2:11: error: expected ';' after expression
