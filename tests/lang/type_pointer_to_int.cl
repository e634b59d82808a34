kernel void k(global float *out, global const int *in, int n) {
  int a = out;
  out[0] = a;
}
// expect: 2:11: error: incompatible pointer to integer conversion initializing 'int' with an expression of type '__global float *' [-Wint-conversion]
