kernel void k(global float *out, global const int *in, int n) {
  if (n)
    continue;
}
// expect: 3:5: error: 'continue' statement not in loop statement
