// Divisions by zero, but for those that are never made.
#pragma kernel tune(A = 1, 2)
#pragma kernel restriction(A == 2 || 4 % (A - 2) == 0)
#pragma kernel restriction(1 / (A - 1) >= 0)
kernel void k(global int *x) { x[0] = A; }
// expect: 4:28: error: division by zero for some of the parameters' values
