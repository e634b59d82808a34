kernel void k(global float *out, global const int *in, int n) {
  switch (out[0]) {
  case 1:
    break;
  }
}
// expect: 2:11: error: statement requires expression of integer type ('float' invalid)
