kernel void k(global float *out, global const int *in, int n) {
  struct s { int x; } v = {1};
  out[0] = v->x;
}
// expect: 3:15: error: member reference type 'struct s' is not a pointer; did you mean to use '.'?
