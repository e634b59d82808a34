int counter = 0;
kernel void k(global int *a) {
  a[0] = counter;
}
// expect: 1:5: error: program scope variable must reside in constant address space
