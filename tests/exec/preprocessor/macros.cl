// Object-like and function-like macros, nesting, rescanning.
// run: -g 2 -p 0:i32 zero:i32:2 -D SCALE=3 -D TWICE(x)=((x)*2)
// expect: 0: 26 29
#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define APPLY(f, x, y) f(x, y)
#define EMPTY
kernel void k(global int *o) {
  int i = get_global_id(0), self = 5;
#define self self + 1
  o[i] = APPLY(ADD, MUL(i, SCALE), TWICE(10)) EMPTY + (self);
}
