// options: error=uninitialized
kernel void k(global int *o) {
  int a, b;
  o[0] = b;
}
// expect: 4:10: error: variable 'b' is uninitialized when used here [-Werror,-Wuninitialized]
// expect: 3:11: note: initialize the variable 'b' to silence this warning
