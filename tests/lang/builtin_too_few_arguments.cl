kernel void k(global float *out, global const int *in, int n) {
  out[0] = clamp(1.0f, 2.0f);
}
// expect: 2:12: error: too few arguments to function call, expected 3, have 2
// expect: 2:12: note: candidate: 'gentype clamp(gentype, gentype, gentype)', gentype being char, uchar, short, ushort, int, uint, long, ulong, half, float, double and vectors of them
// expect: 2:12: note: candidate: 'gentype clamp(gentype, scalar, scalar)', gentype being char, uchar, short, ushort, int, uint, long, ulong, half, float, double vectors
