kernel void k(global float *out, global const int *in, int n) {
  struct s { int count; } v = {1};
  out[0] = v.cuont;
}
// expect: 3:14: error: no member named 'cuont' in 'struct s'; did you mean 'count'?
