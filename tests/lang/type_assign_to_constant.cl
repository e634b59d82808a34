kernel void k(global float *out, global const int *in, int n) {
  const int c = 1;
  c = 2;
}
// expect: 3:5: error: cannot assign to variable 'c' with const-qualified type 'const int'
// expect: 2:13: note: variable 'c' declared const here
