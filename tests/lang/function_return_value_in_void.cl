void f(int x) {
  return x;
}
kernel void k(void) {
  f(1);
}
// expect: 2:3: error: void function 'f' should not return a value
