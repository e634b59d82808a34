#define INNER(x) ((x) + undefined_name)
#define OUTER(x) INNER(2 * (x))
kernel void k(global int *a) {
  a[0] = OUTER(a[1]);
}
// expect: 4:10: error: use of undeclared identifier 'undefined_name'
//   |   a[0] = OUTER(a[1]);
//   |          ^
// expect: 2:18: note: expanded from macro 'OUTER'
//   | #define OUTER(x) INNER(2 * (x))
//   |                  ^
// expect: 1:25: note: expanded from macro 'INNER'
//   | #define INNER(x) ((x) + undefined_name)
//   |                         ^
