kernel void k(global int *a) {
  extern int x;
  a[0] = x;
}
// expect: 2:14: error: extern variable must reside in constant address space
