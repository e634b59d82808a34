kernel void k(global float *out, global const int *in, int n) {
  switch (n) {
  default:
    break;
  default:
    break;
  }
}
// expect: 5:3: error: multiple default labels in one switch
// expect: 3:3: note: previous case defined here
