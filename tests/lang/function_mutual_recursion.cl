int odd(int n);
int even(int n) {
  return n == 0 ? 1 : odd(n - 1);
}
int odd(int n) {
  return n == 0 ? 0 : even(n - 1);
}
kernel void k(global int *a) {
  a[0] = even(10);
}
// expect: 6:23: error: recursion is not supported in OpenCL: 'even' -> 'odd' -> 'even'
// expect: 3:23: note: called by 'even' here
