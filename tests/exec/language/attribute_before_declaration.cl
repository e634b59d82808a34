// Attributes before the specifiers of a declaration in a block belong to what it declares.
// run: -g 1 -p 0:i32 zero:i32:2
// expect: 0: 0 0
kernel void k(global int *o) {
  char before __attribute__((unused)) = 1;
  __attribute__((aligned(64))) int x[2] = {1, 2};
  before++;
  __attribute__((aligned(32), unused)) char y = 3;
  int *volatile p = x;
  char *volatile q = &y;
  o[0] = (int)((size_t)p % 64);
  o[1] = (int)((size_t)q % 32);
}
