kernel void k(global float *out, global const int *in, int n) {
  again:
  out[0] = 1;
  again:
  out[1] = 1;
}
// expect: 4:3: error: redefinition of label 'again'
// expect: 2:3: note: previous definition is here
