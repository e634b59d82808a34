kernel void k(global float *out, global const int *in, int n) {
  float4 v = 0.0f;
  float *p = &v.x;
  out[0] = *p;
}
// expect: 3:14: error: address of vector element requested
