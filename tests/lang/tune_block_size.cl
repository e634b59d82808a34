// A block without the size of the problem.
#pragma kernel tune(A = 1, 2)
#pragma kernel block_size(A)
kernel void k(global int *x) { x[0] = A; }
// expect: 3:16: error: block_size without problem_size
