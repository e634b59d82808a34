kernel void k(global float *out, global const int *in, int n) {
  float4 v = 0.0f;
  float2 w = 1.0f;
  v = v + w;
  out[0] = v.x;
}
// expect: 4:9: error: cannot convert between vector values of different size ('float4' and 'float2')
