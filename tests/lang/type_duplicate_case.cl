kernel void k(global float *out, global const int *in, int n) {
  switch (n) {
  case 1:
    break;
  case 3 - 2:
    break;
  }
}
// expect: 5:8: error: duplicate case value '1'
// expect: 3:8: note: previous case defined here
