#define SCALE(x) ((x) * factor)
kernel void k(global float *a) {
  a[0] = SCALE(a[1]);
}
// expect: 3:10: error: use of undeclared identifier 'factor'
//   |   a[0] = SCALE(a[1]);
//   |          ^
// expect: 1:25: note: expanded from macro 'SCALE'
//   | #define SCALE(x) ((x) * factor)
//   |                         ^
