#define SCALE(x) ((x) * 2.0f)
kernel void k(global float *a) {
  a[0] = SCALE(b[1]);
}
// expect: 3:16: error: use of undeclared identifier 'b'
