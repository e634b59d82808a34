kernel void k(global float *out, global const int *in, int n) {
  const int c = 1;
  c++;
}
// expect: 3:4: error: cannot assign to variable 'c' with const-qualified type 'const int'
// expect: 2:13: note: variable 'c' declared const here
