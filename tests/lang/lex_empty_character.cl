kernel void k(global char *a) {
  a[0] = '';
}
// expect: 2:10: error: empty character constant
