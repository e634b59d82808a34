kernel void k(global float *out, global const int *in, int n) {
  switch (n) {
  case 1:
    break;
  case n:
    break;
  }
}
// expect: 5:8: error: expression is not an integer constant expression
