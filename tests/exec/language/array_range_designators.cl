// Designators of GNU C: [first ... last] and "name:".
// run: -g 1 -p 0:i32 zero:i32:24
// expect: 0: 0 6 6 6 9 0 0 4 0 4 8 0 23 0 4 4 3 0 0 7 506 67 0 0
struct point { int x, y; };
constant int table[] = {[0 ... 2] = 5, [4 ... 5] = 6, 7};
kernel void k(global int *o) {
  int n = get_global_id(0) + 3;
  int a[6] = {[1 ... 3] = n * 2, 9};
  struct point p[3] = {[0 ... 1].y = n + 1, 8};
  struct point q = {y: n, x: 2};
  int b[2][3] = {[0 ... 1][1 ... 2] = 4, [1] = {n}};
  for (int i = 0; i < 6; i++)
    o[i] = a[i];
  for (int i = 0; i < 3; i++) {
    o[6 + 2 * i] = p[i].x;
    o[7 + 2 * i] = p[i].y;
  }
  o[12] = q.x * 10 + q.y;
  for (int i = 0; i < 6; i++)
    o[13 + i] = b[i / 3][i % 3];
  o[19] = sizeof table / sizeof *table;
  o[20] = table[2] * 100 + table[3] * 10 + table[4];
  o[21] = table[5] * 10 + table[6];
}
