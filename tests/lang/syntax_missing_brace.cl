kernel void k(global int *a) {
  if (a[0]) {
    a[0] = 1;
}
// expect: 4:2: error: expected '}'
// expect: 1:30: note: to match this '{'
