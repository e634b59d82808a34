kernel void k(global float *out, global const int *in, int n) {
  int4 v = 1;
  if (v)
    out[0] = 1;
}
// expect: 3:7: error: statement requires expression of scalar type ('int4' invalid)
