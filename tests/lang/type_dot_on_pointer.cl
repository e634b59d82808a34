kernel void k(global float *out, global const int *in, int n) {
  struct s { int x; } v = {1}, *p = &v;
  out[0] = p.x;
}
// expect: 3:14: error: member reference type 'struct s *' is a pointer; did you mean to use '->'?
