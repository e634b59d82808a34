// Each work-item adds up differences of neighbours in a slice of its own: the addresses are long expressions, but of
// counters alone, so that LLVM can vectorise the loop of one work-item. Expectation by the same formula in Python.
// run: -g 8 -p 1:u32 iota:u8:1600 zero:u32:8 i32=200
// stats: cpu:x86-64-v4 lanes 1
// stats: cpu:x86-64-v3 lanes 1
// expect: 1: 199 453 453 453 199 453 453 453
kernel void differences(global const uchar *x, global uint *y, int n) {
  int r = get_global_id(0);
  uint sum = 0;
  for (int k = 0; k + 1 < n; k++)
    sum += abs_diff(x[r * n + k], x[r * n + k + 1]);
  y[r] = sum;
}
