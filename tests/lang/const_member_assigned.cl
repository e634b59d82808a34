struct inner { const int a; };
struct outer { int b; struct inner c[2]; };
kernel void k(global int *o) {
  struct outer v = {1, {{2}, {3}}}, w = {0};
  w = v;
  w.b = 2;
  w.c[0].a = 3;
}
// expect: 5:5: error: cannot assign to variable 'w' with const-qualified data member 'a'
// expect: 1:26: note: data member 'a' declared const here
// expect: 7:12: error: read-only variable is not assignable
