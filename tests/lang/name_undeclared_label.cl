kernel void k(global float *out, global const int *in, int n) {
  goto done;
  out[0] = 1;
}
// expect: 2:8: error: use of undeclared label 'done'
