int f(int x) { return x; }
kernel void k(global int *a) {
  int (*p)(int) = f;
  a[0] = p(1);
}
// expect: 3:8: error: pointers to functions are not allowed
// expect: 3:19: error: taking address of function is not allowed
