// Connected components by compare-and-exchange; each set is known by its least member.
// run: -g 83 -l 83 -p 2:i32 rand:i32:166:6:0:96 iota:i32:97 zero:i32:97 i32=97
// expect: 2: 0 1 1 1 1 1 1 7 8 1 1 7 1 1 1 15 16 1 1 1 1 15 8 1 1 1 1 27 1 29 1 31 1 7 1 1 7 1 1 39 15 7 7 8 1 1 1 1 1 7 1 51 1 1 54 55 56 1 7 7 1 1 62 1 1 1 1 67 1 1 8 27 1 1 1 1 1 1 1 79 1 1 1 83 1 7 1 1 1 89 90 1 8 90 1 1 1
int root(volatile global int *p, int x) {
  int up = p[x];
  while (up != x) {
    int over = p[up];
    if (over != up)
      atomic_cmpxchg(&p[x], up, over);
    x = up;
    up = over;
  }
  return x;
}
kernel void unite(global const int2 *edges, volatile global int *parent, global int *label, int n) {
  int2 e = edges[get_global_id(0)];
  int a = e.x, b = e.y;
  for (;;) {
    a = root(parent, a);
    b = root(parent, b);
    if (a == b)
      break;
    int hi = max(a, b), lo = min(a, b);
    if (atomic_cmpxchg(parent + hi, hi, lo) == hi)
      break;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (int i = get_local_id(0); i < n; i += get_local_size(0))
    label[i] = root(parent, i);
}
