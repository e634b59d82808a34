// Local arrays of structs and two-dimensional local arrays.
// run: -g 4,4 -l 4,4 -p 0:i32 iota:i32:16
// expect: 0: 0 399 798 1197 101 500 899 1298 202 601 1000 1399 303 702 1101 1500
typedef struct { int a; short b; } cell;
kernel void k(global int *m) {
  local int t[4][5];
  local cell c[4];
  int x = get_local_id(0), y = get_local_id(1);
  t[y][x] = m[y * 4 + x];
  if (y == 0) { c[x].a = x; c[x].b = -x; }
  barrier(CLK_LOCAL_MEM_FENCE);
  m[y * 4 + x] = t[x][y] * 100 + c[y].a + c[x].b;
}
