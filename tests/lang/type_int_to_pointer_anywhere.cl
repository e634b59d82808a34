global float *f(global float *p, int n, int *q) {
  p = n;
  int i;
  i = p;
  f(n, p, q);
  q = 0, p = NULL, f(0, 1, 0);
  bool b = p;
  return n;
}
kernel void k(global float *out, int n) { out[0] = f(out, n, 0) ? 1 : 2; }
// expect: 2:7: error: incompatible integer to pointer conversion assigning to '__global float *' from type 'int' [-Wint-conversion]
// expect: 4:7: error: incompatible pointer to integer conversion assigning to 'int' from type '__global float *' [-Wint-conversion]
// expect: 5:5: error: incompatible integer to pointer conversion passing 'int' to parameter of type '__global float *' [-Wint-conversion]
// expect: 5:8: error: incompatible pointer to integer conversion passing '__global float *' to parameter of type 'int' [-Wint-conversion]
// expect: 8:10: error: incompatible integer to pointer conversion returning 'int' from a function with result type '__global float *' [-Wint-conversion]
// expect: 5:3: error: recursion is not supported in OpenCL: 'f' calls itself
// expect: 6:20: error: recursion is not supported in OpenCL: 'f' calls itself
