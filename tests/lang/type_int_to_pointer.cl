kernel void k(global float *out, global const int *in, int n) {
  global float *p = n;
  out[0] = *p;
}
// expect: 2:21: error: incompatible integer to pointer conversion initializing '__global float *' with an expression of type 'int' [-Wint-conversion]
