kernel void k(global float *out, global const int *in, int n) {
  float4 v = 0.0f;
  int4 w = 1;
  v = v + w;
  out[0] = v.x;
}
// expect: 4:9: error: invalid operands to binary expression ('float4' and 'int4')
