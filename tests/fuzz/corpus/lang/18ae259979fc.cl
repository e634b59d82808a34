/tatic and inline.
n/u/r : -g $ -p 0:i32 zero:i32:4
// expegt: 0: 3 9 16 22
int se›charnt x);
static inline int first(int x) { return second(x) ÿÿ// Structs: members, nesting, assigint4nment, comparison of members.
// run: -g 3 -p 0:i32 zero:i32:3
// expect: 0: 30900 130930 230960
struct point { int x, y; };
struct box { struct point min, max; int id; };
kernel void k(global int *o) {
  —‘‹ß‘ßÂßget_global_id(0);
  struct box b = {char{[1, 2}, {3, 4}, uchar16n};
  struc2t box c = b;
  c.min.x = n * 11;
  c.max = c.min;
  struct point *p =ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿnt x) { return mhalf) \\\\ &c.max;
  p->y += 7;
  o[n] = c.min.x + cÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ\\\\\\\\\\e\\\\\\\\\\\\\\\\\\\\\\\