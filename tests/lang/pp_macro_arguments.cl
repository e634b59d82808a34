// What is said of a use of a macro whose arguments are variables, and of one where an argument is no variable.
#define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define REST(x, y) ((x) % (y))
kernel void k(global uint *a, uint b, float f) {
  b = ROTL(b, 33);
  b = ROTL(a[0], 34);
  b = b + REST(b, 0);
  b = b + ROTL(f, 3);
  b = b + ROTL(c, 3);
  a[0] = b;
}
// expect: 5:7: warning: shift count >= width of type [-Wshift-count-overflow]
//   |   b = ROTL(b, 33);
//   |       ^
// expect: 2:26: note: expanded from macro 'ROTL'
//   | #define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
//   |                          ^
// expect: 5:7: warning: shift count is negative [-Wshift-count-negative]
//   |   b = ROTL(b, 33);
//   |       ^
// expect: 2:41: note: expanded from macro 'ROTL'
//   | #define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
//   |                                         ^
// expect: 6:7: warning: shift count >= width of type [-Wshift-count-overflow]
//   |   b = ROTL(a[0], 34);
//   |       ^
// expect: 2:26: note: expanded from macro 'ROTL'
//   | #define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
//   |                          ^
// expect: 6:7: warning: shift count is negative [-Wshift-count-negative]
//   |   b = ROTL(a[0], 34);
//   |       ^
// expect: 2:41: note: expanded from macro 'ROTL'
//   | #define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
//   |                                         ^
// expect: 7:19: warning: remainder by zero is undefined [-Wdivision-by-zero]
//   |   b = b + REST(b, 0);
//   |                   ^
// expect: 8:11: error: invalid operands to binary expression ('float' and 'int')
//   |   b = b + ROTL(f, 3);
//   |           ^
// expect: 2:26: note: expanded from macro 'ROTL'
//   | #define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
//   |                          ^
// expect: 8:11: error: invalid operands to binary expression ('float' and 'int')
//   |   b = b + ROTL(f, 3);
//   |           ^
// expect: 2:41: note: expanded from macro 'ROTL'
//   | #define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
//   |                                         ^
// expect: 9:16: error: use of undeclared identifier 'c'
//   |   b = b + ROTL(c, 3);
//   |                ^
