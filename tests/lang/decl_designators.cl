struct point { int x, y; };
int f(int);
kernel void k(global int *o) {
  struct point p = {x: 1, y: 2};
  struct point q = {z: 1};
  int a[4] = {[3 ... 1] = 2};
  int b[4] = {[2 ... 4] = 2};
  int c[4] = {[0 ... 3] = o[0]++};
  int d[] = {[0 ... 100000] = 1};
  int e[2] = {x: 1};
  int g[4] = {[0 ... p.x] = 1};
  o[0] = p.x + q.x + a[0] + b[0] + c[0] + d[0] + e[0] + g[0];
}
// expect: 4:21: warning: use of GNU old-style field designator extension [-Wgnu-designator]
// expect: 4:27: warning: use of GNU old-style field designator extension [-Wgnu-designator]
// expect: 5:21: warning: use of GNU old-style field designator extension [-Wgnu-designator]
// expect: 5:21: error: field designator 'z' does not refer to any field in type 'struct point'
// expect: 6:15: error: array designator range [3, 1] is empty
// expect: 7:15: error: array designator index (4) exceeds array bounds (4)
// expect: 8:15: error: initializer of an array designator range has side effects or calls
// expect: 9:14: error: array designator range is too large
// expect: 10:15: warning: use of GNU old-style field designator extension [-Wgnu-designator]
// expect: 10:15: error: field designator cannot initialize a non-struct, non-union type
// expect: 11:22: error: expression is not an integer constant expression
