// Expressions name parameters, sets, and integer arguments of the kernel.
#pragma kernel tune(A = 1, 2)
#pragma kernel set(TWICE = 2 * A)
#pragma kernel restriction(n % TWICE == 0 && m > A)
#pragma kernel restriction(FOO > 1)
#pragma kernel tuning_key(f, x)
kernel void k(global int *x, int n, ulong m, float f) { x[0] = TWICE; }
// expect: 5:28: error: 'FOO' is neither a parameter nor an integer argument of the kernel
// expect: 6:27: error: 'f' is neither a parameter nor an integer argument of the kernel
// expect: 6:30: error: 'x' is neither a parameter nor an integer argument of the kernel
