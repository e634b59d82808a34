#if defined(A) && (B > 
kernel void k(void) {}
#endif
// expect: 1:24: error: expected value in expression
