// Braces around an element that was initialised before: nothing of the earlier initialiser remains.
// run: -g 1 -p 0:i32 zero:i32:16
// expect: 0: 1 2 3 7 0 0 0 9 5 0 5 0 8 0 6 0
struct pair { int x, y; };
kernel void k(global int *o) {
  int b[2][3] = {{1, 2, 3}, {4, 5, 6}, [1] = {7}};
  struct pair whole = {3, 4};
  struct pair p[5] = {whole, {2, 2}, [0] = {.y = 9}, [1 ... 3] = {5}, [3] = {8}, [4].x = 6};
  for (int i = 0; i < 6; i++)
    o[i] = b[i / 3][i % 3];
  for (int i = 0; i < 5; i++) {
    o[6 + 2 * i] = p[i].x;
    o[7 + 2 * i] = p[i].y;
  }
}
