kernel void k(global float *out, global const int *in, int n) {
  struct s { int x; } v = {1};
  out[0] = v;
}
// expect: 3:12: error: assigning to 'float' from incompatible type 'struct s'
