kernel void k(global float *a) {
  a[0] = 1.0q;
}
// expect: 2:13: error: invalid suffix 'q' on floating constant
