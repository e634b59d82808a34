// The last member of a structure may be an array without a size, or of no elements: it takes no room.
// run: -g 1 -p 0:i32 -p 1:i32 iota:i32:8 zero:i32:6
// expect: 0: 0 1 2 3 4 5 10 0
// expect: 1: 4 16 4 1 0 0
struct list { int count; int items[]; };
struct tail { char tag; long2 none[0]; };
kernel void k(global struct list *l, global int *o) {
  int sum = 0;
  for (int i = 0; i < 4; i++)
    sum += l->items[i];
  l->items[5] = sum;
  l->items[6] = l->count;
  struct list copy = *l;
  o[0] = sizeof(struct list);
  o[1] = sizeof(struct tail);
  o[2] = sizeof(copy) + copy.count;
  o[3] = (global int *)l->items - (global int *)l;
}
