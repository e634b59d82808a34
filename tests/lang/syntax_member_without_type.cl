struct s {
  x;
};
kernel void k(void) {}
// expect: 2:3: error: unknown type name 'x'
