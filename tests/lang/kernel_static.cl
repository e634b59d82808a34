static kernel void k(global int *o) {}
// expect: 1:20: error: kernel functions cannot be declared static
