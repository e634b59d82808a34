float sin(float x) { return x; }
kernel void k(global float *out, global const int *in, int n) {
  out[0] = sin(1.0f);
}
// expect: none
