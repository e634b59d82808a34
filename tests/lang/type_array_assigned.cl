kernel void k(global float *out, global const int *in, int n) {
  int a[2], b[2];
  a = b;
  out[0] = a[0];
}
// expect: 3:5: error: array type 'int[2]' is not assignable
