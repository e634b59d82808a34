kernel void k(global float *out, global const int *in, int n) {
  out[0] = n.x;
}
// expect: 2:14: error: member reference base type 'int' is not a structure or union
