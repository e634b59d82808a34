int f(int x) { return x; }
constant int c = f(1);
kernel void k(global int *a) {
  a[0] = c;
}
// expect: 2:18: error: initializer element is not a compile-time constant
