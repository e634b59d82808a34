// options: std=200
kernel void k(atomic_int a, global atomic_long *b) {
}
// expect: 2:26: error: 'atomic_int' cannot be used as the type of a kernel parameter
