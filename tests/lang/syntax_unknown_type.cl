kernel void k(global flaot *a) {
  a[0] = 1;
}
// expect: 1:22: error: unknown type name 'flaot'; did you mean 'float'?
