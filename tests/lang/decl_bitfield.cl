struct s {
  int x : 3;
};
kernel void k(void) {}
// expect: 2:9: error: bit-fields are not supported in OpenCL
