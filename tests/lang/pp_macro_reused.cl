// What is said of a macro that is used several times is said of each use.
#define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define MAJORITY(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
kernel void k(global uint *a, uint b, uint c) {
  uint unset, other, third;
  b = ROTL(b, 3);
  b = ROTL(b, 33);
  b = ROTL(b, 33);
  b = ROTL(b, 33);
  c = MAJORITY(b, c, b);
  c = MAJORITY(b, c, c);
  c = MAJORITY(b, c, unset);
  c = b++ + MAJORITY(c, b, c);
  if (c)
    other = 1;
  c = b + MAJORITY(c, other, c);
  if (MAJORITY(c, b, c) + b)
    third = 1;
  c += MAJORITY(b, third, c);
  MAJORITY(b, c, c);
  b = MAJORITY(c, c, c)[0];
  a[0] = b * c;
}
// expect: 7:7: warning: shift count >= width of type [-Wshift-count-overflow]
//   |   b = ROTL(b, 33);
//   |       ^
// expect: 2:26: note: expanded from macro 'ROTL'
//   | #define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
//   |                          ^
// expect: 7:7: warning: shift count is negative [-Wshift-count-negative]
//   |   b = ROTL(b, 33);
//   |       ^
// expect: 2:41: note: expanded from macro 'ROTL'
//   | #define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
//   |                                         ^
// expect: 8:7: warning: shift count >= width of type [-Wshift-count-overflow]
//   |   b = ROTL(b, 33);
//   |       ^
// expect: 2:26: note: expanded from macro 'ROTL'
//   | #define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
//   |                          ^
// expect: 8:7: warning: shift count is negative [-Wshift-count-negative]
//   |   b = ROTL(b, 33);
//   |       ^
// expect: 2:41: note: expanded from macro 'ROTL'
//   | #define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
//   |                                         ^
// expect: 9:7: warning: shift count >= width of type [-Wshift-count-overflow]
//   |   b = ROTL(b, 33);
//   |       ^
// expect: 2:26: note: expanded from macro 'ROTL'
//   | #define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
//   |                          ^
// expect: 9:7: warning: shift count is negative [-Wshift-count-negative]
//   |   b = ROTL(b, 33);
//   |       ^
// expect: 2:41: note: expanded from macro 'ROTL'
//   | #define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
//   |                                         ^
// expect: 12:22: warning: variable 'unset' is uninitialized when used here [-Wuninitialized]
//   |   c = MAJORITY(b, c, unset);
//   |                      ^~~~~
// expect: 5:13: note: initialize the variable 'unset' to silence this warning
//   |   uint unset, other, third;
//   |             ^
// expect: 13:8: warning: unsequenced modification and access to 'b' [-Wunsequenced]
//   |   c = b++ + MAJORITY(c, b, c);
//   |        ^
// expect: 14:7: warning: variable 'other' is used uninitialized whenever 'if' condition is false [-Wsometimes-uninitialized]
//   |   if (c)
//   |       ^
// expect: 16:23: note: uninitialized use occurs here
//   |   c = b + MAJORITY(c, other, c);
//   |                       ^~~~~
// expect: 5:20: note: initialize the variable 'other' to silence this warning
//   |   uint unset, other, third;
//   |                    ^
// expect: 17:16: warning: variable 'third' is used uninitialized whenever 'if' condition is false [-Wsometimes-uninitialized]
//   |   if (MAJORITY(c, b, c) + b)
//   |                ^
// expect: 19:20: note: uninitialized use occurs here
//   |   c += MAJORITY(b, third, c);
//   |                    ^~~~~
// expect: 5:27: note: initialize the variable 'third' to silence this warning
//   |   uint unset, other, third;
//   |                           ^
// expect: 21:7: error: subscripted value is not an array, pointer, or vector
//   |   b = MAJORITY(c, c, c)[0];
//   |       ^~~~~~~~~~~~~~~~~~~~
// expect: 3:40: note: expanded from macro 'MAJORITY'
//   | #define MAJORITY(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
//   |                                        ^
