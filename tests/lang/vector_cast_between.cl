kernel void k(global float *out, global const int *in, int n) {
  int4 v = 1;
  float4 w = (float4)v;
  out[0] = w.x;
}
// expect: 3:14: error: invalid conversion between ext-vector type 'float4' and 'int4'
