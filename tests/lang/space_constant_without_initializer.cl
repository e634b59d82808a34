constant int table[2];
kernel void k(global int *a) {
  a[0] = table[0];
}
// expect: 1:14: error: variable in constant address space must be initialized
