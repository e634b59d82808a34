int f(int x) {
  return;
}
kernel void k(global int *a) {
  a[0] = f(1);
}
// expect: 2:3: error: non-void function 'f' should return a value
