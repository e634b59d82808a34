float f(float x) { return x; }
kernel void k(global float *a) {
  a[0] = f(1.0f, 2.0f);
}
// expect: 3:18: error: too many arguments to function call, expected 1, have 2
// expect: 1:7: note: 'f' declared here
