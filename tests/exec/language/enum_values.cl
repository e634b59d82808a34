// Enumerations and their constants.
// run: -g 1 -p 0:i32 zero:i32:5
// expect: 0: 0 6 19 20 -1
enum colour { RED, GREEN = 5, BLUE };
typedef enum { A = -1, B = 1 << 4, C = B | 3 } flags;
kernel void k(global int *o) {
  enum colour c = BLUE;
  flags f = C;
  int a[GREEN];
  o[0] = RED; o[1] = c; o[2] = f; o[3] = sizeof a; o[4] = A;
}
