// Array initialisers: partial, nested, unsized, designated.
// run: -g 1 -p 0:i32 zero:i32:20
// expect: 0: 1 2 0 0 0 9 12 15 1 2 0 4 0 0 0 0 7 8 3 0
kernel void k(global int *o) {
  int a[5] = {1, 2};
  int b[] = {3, 4, 5};
  int c[2][3] = {{1, 2}, {4}};
  int d[4] = {[2] = 7, 8};
  int e[2][2] = {1, 2, 3};
  for (int i = 0; i < 5; i++) o[i] = a[i];
  for (int i = 0; i < 3; i++) o[5 + i] = b[i] * (int)(sizeof b / sizeof b[0]);
  for (int i = 0; i < 6; i++) o[8 + i] = c[i / 3][i % 3];
  for (int i = 0; i < 4; i++) o[14 + i] = d[i];
  o[18] = e[1][0];
  o[19] = e[1][1];
}
