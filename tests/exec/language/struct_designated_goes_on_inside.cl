// Initialisers after a designator of several steps go on in the innermost aggregate, then further out.
// run: -g 1 -p 0:i32 zero:i32:19
// expect: 0: 0 4 5 7 8 9 1 2 3 0 1 2 3 4 0 6 7 8 9
struct inner { int x, y; };
struct outer { int a[3]; struct inner b; int c; };
struct with_anonymous { int first; struct { int left, right; }; int last; };
kernel void k(global int *o) {
  struct outer v = {.a[1] = 4, 5, {7, 8}, 9}, w = {.b.x = 1, 2, 3};
  int m[2][3] = {[0][1] = 1, 2, 3, 4};
  struct with_anonymous n = {.left = 7, 8, 9, .first = 6};
  o[0] = v.a[0], o[1] = v.a[1], o[2] = v.a[2], o[3] = v.b.x, o[4] = v.b.y, o[5] = v.c;
  o[6] = w.b.x, o[7] = w.b.y, o[8] = w.c;
  for (int i = 0; i < 6; i++)
    o[9 + i] = m[i / 3][i % 3];
  o[15] = n.first, o[16] = n.left, o[17] = n.right, o[18] = n.last;
}
