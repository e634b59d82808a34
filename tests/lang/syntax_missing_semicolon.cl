kernel void k(global float *out, global const int *in, int n) {
  int a = 1
  int b = 2;
  out[0] = a + b;
}
// expect: 2:12: error: expected ';' at end of declaration
//   |   int a = 1
//   |            ^
