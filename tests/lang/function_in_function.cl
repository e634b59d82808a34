kernel void k(global int *a) {
  int f(int x) { return x; }
  a[0] = f(1);
}
// expect: 2:16: error: function definition is not allowed here
// expect: 3:10: error: implicit declaration of function 'f' is invalid in OpenCL
