struct s {
  int x __attribute__((aligned(3)));
};
kernel void k(void) {}
// expect: 2:32: error: requested alignment is not a power of 2
