int __attribute__((overloadable)) f(int a) { return 1; }
float __attribute__((overloadable)) f(int a) { return 2; }
kernel void k(global int *o) { o[0] = f(1); }
// expect: 2:37: error: conflicting types for 'f'
// expect: 1:35: note: previous definition is here
