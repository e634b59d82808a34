kernel void k(global float *out, global const int *in, int n) {
  int a = 1;
  float a = 2;
  out[0] = a;
}
// expect: 3:9: error: redefinition of 'a' with a different type: 'float' vs 'int'
// expect: 2:7: note: previous definition is here
