// Directives are for the kernel that follows them, and some describe nothing.
#pragma kernel problem_size(1)
kernel void j(global int *x) { x[0] = 1; }
#pragma kernel tune(A = 1, 2)
void f(global int *x) { x[0] = A; }
// expect: 2:16: error: '#pragma kernel' directives without a parameter to tune
// expect: 4:16: error: no kernel follows this '#pragma kernel'
