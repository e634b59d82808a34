// Members of a record, one of which is stored as a byte before it is loaded as a whole; cli/cpu runs it one work-item at a
// time, too, where LLVM vectorises over work-items. Expectation by Python.
// run: -g 8 -p 1:u32 -p 0:u64 iota:i64:24 zero:u32:8
// expect: 1: 65 76 79 74 85 80 83 94
// expect: 0: 0 4 71 3 4 77 6 4 67 9 4 69 12 4 95 15 4 69 18 4 67 21 4 77
kernel void k(global long *r, global uint *o) {
  size_t i = get_global_id(0);
  uint v = 69u + (uint)r[i * 3];
  r[i * 3 + 2] ^= v;
  *(global uchar *)&r[i * 3 + 1] = 4;
  o[i] = v ^ (uint)r[i * 3 + 1];
}
