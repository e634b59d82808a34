#ifndef BLOCK_SIZE
#error BLOCK_SIZE must be defined
#endif
kernel void k(void) {}
// expect: 2:2: error: BLOCK_SIZE must be defined
