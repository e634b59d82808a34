_Static_assert(sizeof(int) == 8, "int must have 8 bytes");
kernel void k(void) {}
// expect: 1:1: error: static_assert failed "int must have 8 bytes"
