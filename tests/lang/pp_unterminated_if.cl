#ifdef A
#if 1
kernel void k(void) {}
// expect: 1:2: error: unterminated conditional directive
