#define N 16
#define N 32
kernel void k(global int *a) { a[0] = N; }
// expect: 2:9: warning: 'N' macro redefined [-Wmacro-redefined]
// expect: 1:9: note: previous definition is here
