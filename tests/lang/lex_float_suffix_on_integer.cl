kernel void k(global float *a) {
  a[0] = 1f;
}
// expect: 2:11: error: invalid suffix 'f' on integer constant
