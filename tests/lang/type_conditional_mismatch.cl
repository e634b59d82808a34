kernel void k(global float *out, global const int *in, int n) {
  struct s { int x; } v = {1};
  out[0] = n ? v : 2;
}
// expect: 3:14: error: incompatible operand types ('struct s' and 'int')
