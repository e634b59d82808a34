kernel void k(global float *out, global const int *in, int n) {
  struct s { int x; } v = {1};
  if (v)
    out[0] = 1;
}
// expect: 3:7: error: statement requires expression of scalar type ('struct s' invalid)
