// options: no-error=int-conversion
kernel void k(global float *out, int n) {
  global float *p = n;
  out[0] = *p;
}
// expect: 3:21: warning: incompatible integer to pointer conversion initializing '__global float *' with an expression of type 'int' [-Wint-conversion]
