kernel void k(global float *out, global const int *in, int n) {
  for (int i = 0, i < n, i++)
    out[i] = 0;
}
// expect: 2:19: error: redefinition of 'i'
// expect: 2:12: note: previous definition is here
// expect: 2:20: error: expected ';' in 'for' statement specifier
