kernel void k(global float *out, global const int *in, int n) {
  float4 v = 0.0f;
  float3 w = v.xy;
  out[0] = w.x;
}
// expect: 3:16: error: initializing 'float3' with an expression of incompatible type 'float2'
