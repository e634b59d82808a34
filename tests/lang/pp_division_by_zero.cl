#define N 0
#if 64 / N > 1
#endif
kernel void k(void) {}
// expect: 2:8: error: division by zero in preprocessor expression
