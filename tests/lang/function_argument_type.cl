struct s { int x; };
float f(float x) { return x; }
kernel void k(global float *a) {
  struct s v = {1};
  a[0] = f(v);
}
// expect: 5:12: error: passing 'struct s' to parameter of incompatible type 'float'
//   |   a[0] = f(v);
//   |            ^
// expect: 2:15: note: passing argument to parameter 'x' here
//   | float f(float x) { return x; }
//   |               ^
