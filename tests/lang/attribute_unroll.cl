kernel void k(global int *o) {
  __attribute__((opencl_unroll_hint(4))) o[0] = 1;
  __attribute__((opencl_unroll_hint(-4))) for (int i = 0; i < 9; i++) o[i] = 1;
  __attribute__((opencl_unroll_hint)) while (o[0]) o[0]--;
}
// expect: 2:3: error: 'opencl_unroll_hint' attribute only applies to 'for', 'while', and 'do' statements
// expect: 3:36: error: 'opencl_unroll_hint' attribute requires a positive integral compile time constant expression
