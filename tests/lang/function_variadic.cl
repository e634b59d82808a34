int f(int x, ...) { return x; }
kernel void k(global int *a) {
  a[0] = f(1, 2);
}
// expect: 1:14: error: invalid prototype, variadic arguments are not allowed in OpenCL
