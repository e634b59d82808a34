#define S(x) #y
kernel void k(void) {}
// expect: 1:14: error: '#' is not followed by a macro parameter
