kernel void k(int *a) {
  *a = 1;
}
// expect: 1:20: error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
