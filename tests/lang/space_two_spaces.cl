kernel void k(global local int *a) {}
// expect: 1:22: error: multiple address spaces specified for type
