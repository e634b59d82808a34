kernel void k(global float *out, global const int *in, int n) {
  out[0] = sin(out);
}
// expect: 2:12: error: no matching function for call to 'sin'
// expect: 2:12: note: candidate: 'gentype sin(gentype)', gentype being half, float, double and vectors of them
