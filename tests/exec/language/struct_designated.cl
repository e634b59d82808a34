// Designated struct initialisers and compound literals.
// run: -g 1 -p 0:i32 zero:i32:5
// expect: 0: 4020 301 4321 8 9
typedef struct { int a, b; struct { int c, d; } in; } s;
int total(s v) { return v.a + 10 * v.b + 100 * v.in.c + 1000 * v.in.d; }
kernel void k(global int *o) {
  s x = {.b = 2, .in = {.d = 4}};
  s y = {.in.c = 3, .a = 1};
  o[0] = total(x);
  o[1] = total(y);
  o[2] = total((s){1, 2, {3, 4}});
  o[3] = ((int[]){7, 8, 9})[1];
  s *p = &(s){.a = 9};
  o[4] = p->a + p->b;
}
