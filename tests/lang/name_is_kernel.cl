void f(int kernel) {}
void g(int *kernel) {}
struct s { int kernel; int *global; };
typedef int kernel;
kernel void k(global int *o, int private) {
  int kernel = 1;
  for (int kernel[3];;) break;
  int a, local;
}
constant int kernel = 3;
// expect: 1:12: error: invalid parameter name: 'kernel' is a keyword
// expect: 2:13: error: invalid parameter name: 'kernel' is a keyword
// expect: 3:16: error: invalid name: 'kernel' is a keyword
// expect: 3:35: error: expected identifier or '('
// expect: 4:13: error: invalid name: 'kernel' is a keyword
// expect: 6:7: error: invalid name: 'kernel' is a keyword
// expect: 7:12: error: invalid name: 'kernel' is a keyword
// expect: 8:10: error: invalid name: 'local' is a keyword
// expect: 10:14: error: invalid name: 'kernel' is a keyword
