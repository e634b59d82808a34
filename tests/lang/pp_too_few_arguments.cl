#define MAD(a, b, c) ((a) * (b) + (c))
kernel void k(global int *a) { a[0] = MAD(a[1], 2); }
// expect: 2:50: error: too few arguments provided to function-like macro invocation
// expect: 1:9: note: macro 'MAD' defined here
