kernel void k(global float *out, global const int *in, int n) {
  do {
    n--;
  } (n > 0);
}
// expect: 4:5: error: expected 'while' in do/while loop
