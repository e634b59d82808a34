kernel void k(global int *o) { o[0] = sizeof(void) + sizeof(int); }
// expect: 1:39: error: invalid application of 'sizeof' to a void type
