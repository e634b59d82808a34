kernel void k(global float *out, global const int *in, int n) {
  float4 v = 0.0f;
  out[0] = v.q;
}
// expect: 3:14: error: illegal vector component name 'q'
