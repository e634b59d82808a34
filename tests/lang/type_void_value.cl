kernel void k(global float *out, global const int *in, int n) {
  out[0] = barrier(CLK_LOCAL_MEM_FENCE);
}
// expect: 2:12: error: assigning to 'float' from incompatible type 'void'
