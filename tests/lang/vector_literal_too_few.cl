kernel void k(global float *out, global const int *in, int n) {
  float4 v = (float4)(1.0f, 2.0f, 3.0f);
  out[0] = v.x;
}
// expect: 2:14: error: too few elements in vector initialization (expected 4 elements, have 3)
