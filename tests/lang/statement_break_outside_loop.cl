kernel void k(global float *out, global const int *in, int n) {
  break;
}
// expect: 2:3: error: 'break' statement not in loop or switch statement
