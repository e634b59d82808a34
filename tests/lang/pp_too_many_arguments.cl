#define SQ(a) ((a) * (a))
kernel void k(global int *a) { a[0] = SQ(a[1], a[2]); }
// expect: 2:48: error: too many arguments provided to function-like macro invocation
// expect: 1:9: note: macro 'SQ' defined here
