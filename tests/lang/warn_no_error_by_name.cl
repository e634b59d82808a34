// options: werror no-error=uninitialized
kernel void k(global int *o) {
  int b;
  o[0] = b;
  o[1] = o[1] / 0;
}
// expect: 4:10: warning: variable 'b' is uninitialized when used here [-Wuninitialized]
// expect: 3:8: note: initialize the variable 'b' to silence this warning
// expect: 5:17: error: division by zero is undefined [-Werror,-Wdivision-by-zero]
