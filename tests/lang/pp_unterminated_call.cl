#define SQ(a) ((a) * (a))
kernel void k(global int *a) { a[0] = SQ(a[1]; }
// expect: 2:39: error: unterminated function-like macro invocation
// expect: 1:9: note: macro 'SQ' defined here
// expect: 3:1: error: expected expression
