int fib(int n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
kernel void k(global int *a) {
  a[0] = fib(10);
}
// expect: 2:22: error: recursion is not supported in OpenCL: 'fib' calls itself
// expect: 2:35: error: recursion is not supported in OpenCL: 'fib' calls itself
