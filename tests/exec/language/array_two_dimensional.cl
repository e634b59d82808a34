// Multi-dimensional arrays, passed on as pointer to row.
// run: -g 3 -p 0:i32 zero:i32:3
// expect: 0: 205 1508 435
int trace(int (*m)[3]) { return m[0][0] + m[1][1] + m[2][2]; }
kernel void k(global int *o) {
  int m[3][3], n = get_global_id(0);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      m[i][j] = i * j + n;
  m[n][2] *= 5;
  o[n] = trace(m) + 100 * m[1][2];
}
