kernel void k(global int *a) {
  int x __attribute__((frobnicate)) = 1;
  a[0] = x;
}
// expect: 2:24: warning: unknown attribute 'frobnicate' ignored [-Wunknown-attributes]
