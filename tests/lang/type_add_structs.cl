kernel void k(global float *out, global const int *in, int n) {
  struct s { int x; } v = {1};
  v = v + v;
  out[0] = v.x;
}
// expect: 3:9: error: invalid operands to binary expression ('struct s' and 'struct s')
