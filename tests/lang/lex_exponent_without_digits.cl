kernel void k(global float *a) {
  a[0] = 1e + 2;
}
// expect: 2:11: error: exponent has no digits
