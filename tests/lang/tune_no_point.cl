// No point is left.
#pragma kernel tune(A = 1, 2)
#pragma kernel tune(B = 1, 2)
#pragma kernel restriction(A * B != 2)
#pragma kernel restriction(A + B == 3)
kernel void k(global int *x) { x[0] = A; }
// expect: 5:28: error: this restriction leaves no point: nothing is left to tune
