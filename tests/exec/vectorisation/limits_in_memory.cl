// Limits of loops that are in memory: loaded once where the loop writes none, in every iteration where it may write them.
// Expected values: computed in Python.
// run: -k rows -g 19 -p 0:u32 zero:u32:19 list:i32:0,0,2,6,7,10,10,12,16,17,20,20,22,26,27,30,30,32,36,37 iota:u32:60
// stats: cpu:x86-64-v3 lanes 16, gathered 1, contiguous 3
// expect: 0: 0 2 68 42 218 0 242 788 272 1028 0 882 2308 702 2438 0 1922 4628 1332
// run: -k grows -g 19 -p 0:u32 -p 1:u32 zero:u32:19 list:u32:3,4,5,6,3,4,5,6,3,4,5,6,3,4,5,6,3,4,5
// stats: cpu:x86-64-v3 lanes 32, contiguous 3
// expect: 0: 179 1636 14757 132854 179 1636 14757 132854 179 1636 14757 132854 179 1636 14757 132854 179 1636 14757
// expect: 1: 6 8 10 12 6 8 10 12 6 8 10 12 6 8 10 12 6 8 10

kernel void rows(global uint *y, global const int *begin, global const uint *x) {
  int i = get_global_id(0);
  uint s = 0;
  for (int k = begin[i]; k < begin[i + 1]; k++)
    s += x[k] * (k + 1);
  y[i] = s;
}

kernel void grows(global uint *y, global uint *n) {
  int i = get_global_id(0);
  uint r = 0;
  for (uint k = 0; k < n[i] && k < 30; k++) {
    r = r * 3 + k;
    if (k % 2 == 0)
      n[i]++;
  }
  y[i] = r;
}
