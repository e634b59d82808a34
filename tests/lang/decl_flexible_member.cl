struct middle { int count; int items[]; int more; };
union either { int count; int items[]; };
struct last { int count, items[]; };
struct none { int count; int items[0]; };
kernel void k(global struct last *l, global int *o) {
  struct last a = {1, {2}};
  struct none b = {1, 2};
  struct last c = {1};
  int d[0];
  o[0] = a.count + b.count + c.count + l->items[2] + d[0];
}
// expect: 1:32: error: flexible array member 'items' with type 'int[]' is not at the end of struct
// expect: 2:31: error: flexible array member 'items' in a union is not allowed
// expect: 6:23: error: initialization of flexible array member is not allowed
// expect: 6:24: warning: excess elements in array initializer [-Wexcess-initializers]
// expect: 7:23: error: initialization of flexible array member is not allowed
