kernel void k(global float *out, global const int *in, int n) {
  float4 v = 0.0f;
  float2 w = v.xs1;
  out[0] = w.x;
}
// expect: 3:17: error: illegal vector component name 's'
