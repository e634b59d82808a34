kernel void k(global float *out, global const int *in, int n) {
  float4 v = 0.0f;
  v.xx = (float2)(1.0f, 2.0f);
  out[0] = v.x;
}
// expect: 3:8: error: vector is not assignable (contains duplicate components)
