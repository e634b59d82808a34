// Structs: members, nesting, assignment, comparison of members.
// run: -g 3 -p 0:i32 zero:i32:3
// expect: 0: 30900 130930 230960
struct point { int x, y; };
struct box { struct point min, max; int id; };
kernel void k(global int *o) {
  int n = get_global_id(0);
  struct box b = {{1, 2}, {3, 4}, n};
  struct box c = b;
  c.min.x = n * 10;
  c.max = c.min;
  struct point *p = &c.max;
  p->y += 7;
  o[n] = c.min.x + c.max.x * 2 + c.max.y * 100 + b.max.x * 10000 + c.id * 100000;
}
