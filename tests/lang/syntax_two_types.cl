kernel void k(global int float *a) {}
// expect: 1:26: error: cannot combine with previous 'int' declaration specifier
