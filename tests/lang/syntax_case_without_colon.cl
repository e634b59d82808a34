kernel void k(global float *out, global const int *in, int n) {
  switch (n) {
  case 1
    out[0] = 1;
  }
}
// expect: 3:9: error: expected ':' after 'case'
