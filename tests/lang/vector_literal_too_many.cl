kernel void k(global float *out, global const int *in, int n) {
  float2 v = (float2)(1.0f, 2.0f, 3.0f);
  out[0] = v.x;
}
// expect: 2:35: error: excess elements in vector initializer
