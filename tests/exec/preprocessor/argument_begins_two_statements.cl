// A macro whose argument begins two statements in a row: both are at the same place of the source.
// run: -g 1 -p 0:i32 zero:i32:2
// expect: 0: 6 11
#define TWICE(a, b) a = b + 1; a = a + b;
#define MEMBERS(t) t first; t second;
struct pair { MEMBERS(int) };
#define DECLARE(t, x) t x##0 = 3; t x##1 = 8;
kernel void k(global int *o) {
  struct pair p;
  DECLARE(int, v)
  TWICE(p.first, 2)
  p.second = v0;
  o[0] = p.first + 1;
  o[1] = p.second + v1;
}
