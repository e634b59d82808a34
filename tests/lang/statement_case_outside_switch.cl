kernel void k(global float *out, global const int *in, int n) {
  case 1:
  out[0] = 1;
}
// expect: 2:3: error: 'case' statement not in switch statement
