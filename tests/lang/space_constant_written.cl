constant int table[2] = {1, 2};
kernel void k(void) {
  table[0] = 3;
}
// expect: 3:12: error: read-only variable is not assignable
