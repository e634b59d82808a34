float f(float x, float y) { return x + y; }
kernel void k(global float *a) {
  a[0] = f(1.0f);
}
// expect: 3:16: error: too few arguments to function call, expected 2, have 1
// expect: 1:7: note: 'f' declared here
