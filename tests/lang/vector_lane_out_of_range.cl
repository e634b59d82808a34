kernel void k(global float *out, global const int *in, int n) {
  float2 v = 0.0f;
  out[0] = v.z;
}
// expect: 3:14: error: vector component access exceeds type 'float2'
