// Unroll pragmas change nothing in the result.
// run: -g 2 -p 0:i32 zero:i32:2
// expect: 0: 1640 8199
kernel void k(global int *o) {
  int n = get_global_id(0), r = n;
#pragma unroll
  for (int i = 0; i < 8; i++)
    r = r * 3 + i;
#pragma unroll 4
  for (int i = 0; i < 10; i++)
    r ^= i;
  __attribute__((opencl_unroll_hint(2))) for (int i = 0; i < 3; i++) r += i;
  o[n] = r;
}
