kernel void k(global float *out, global const int *in, int n) {
  float4 v = vload4(0, in);
  out[0] = v.x;
}
// expect: 2:14: error: initializing 'float4' with an expression of incompatible type 'int4'
