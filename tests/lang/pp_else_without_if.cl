#else
kernel void k(void) {}
// expect: 1:2: error: #else without #if
