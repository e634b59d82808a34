// Initialisers that take the place of others.
struct s { int a, b; struct { int c, d[3]; } in; };
union u { int a; float b; };
int side(void) { return 1; }
void k(void) {
  int a[4] = {1, 2, [0] = 3};
  int b[4] = {[1] = 1, 2, [1] = 3, 4};
  int c[10] = {[0 ... 9] = 1, [3] = 2};
  struct s d = {.a = 1, .a = 2};
  struct s e = {.in = {1, {2}}, .in.c = 3};
  struct s f = {.in.c = 3, .in = {1, {2}}};
  struct s g = {.in.d[1] = 3, .in.d[1] = 2, .in.d[2] = 1};
  union u h = {.a = 1, .b = 2};
  int i[4] = {[2] = 1, [1] = 2, [0] = 3};
  int j[4] = {[0] = 1, [1] = 2, [3] = 3};
  struct s l[2] = {{1, 2}, [0].b = 3, [1] = {.b = 2, .a = 3}};
  int m[2] = {[0] = side(), [0] = 2};
  (void)a; (void)b; (void)c; (void)d; (void)e; (void)f; (void)g; (void)h; (void)i; (void)j; (void)l; (void)m;
}
// expect: 6:27: warning: initializer overrides prior initialization of this subobject [-Winitializer-overrides]
// expect: 6:15: note: previous initialization is here
// expect: 7:33: warning: initializer overrides prior initialization of this subobject [-Winitializer-overrides]
// expect: 7:21: note: previous initialization is here
// expect: 7:36: warning: initializer overrides prior initialization of this subobject [-Winitializer-overrides]
// expect: 7:24: note: previous initialization is here
// expect: 8:37: warning: initializer overrides prior initialization of this subobject [-Winitializer-overrides]
// expect: 8:28: note: previous initialization is here
// expect: 9:30: warning: initializer overrides prior initialization of this subobject [-Winitializer-overrides]
// expect: 9:22: note: previous initialization is here
// expect: 10:41: warning: initializer overrides prior initialization of this subobject [-Winitializer-overrides]
// expect: 10:24: note: previous initialization is here
// expect: 11:35: warning: initializer overrides prior initialization of this subobject [-Winitializer-overrides]
// expect: 11:25: note: previous initialization is here
// expect: 12:42: warning: initializer overrides prior initialization of this subobject [-Winitializer-overrides]
// expect: 12:28: note: previous initialization is here
// expect: 13:29: warning: initializer overrides prior initialization of this subobject [-Winitializer-overrides]
// expect: 13:21: note: previous initialization is here
// expect: 16:36: warning: initializer overrides prior initialization of this subobject [-Winitializer-overrides]
// expect: 16:24: note: previous initialization is here
// expect: 17:35: warning: initializer overrides prior initialization of this subobject [-Winitializer-overrides]
// expect: 17:21: note: previous initialization is here
