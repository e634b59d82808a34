kernel void k(global float *out, global const int *in, int n) {
  float4 v = 0.0f;
  float2 w = 0.0f;
  out[0] = dot(v, w);
}
// expect: 4:12: error: no matching function for call to 'dot'
// expect: 4:12: note: candidate: 'scalar dot(gentype, gentype)', gentype being half, float, double and vectors of them
// expect: 4:12: note: candidate: 'uint dot(gentype, gentype)', gentype being uchar vectors
// expect: 4:12: note: candidate: 'int dot(gentype, gentype)', gentype being char vectors
// expect: 4:12: note: candidate: 'int dot(gentype, igentype)', gentype being uchar vectors
// expect: 4:12: note: candidate: 'int dot(gentype, ugentype)', gentype being char vectors
