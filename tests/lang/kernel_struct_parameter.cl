struct flags {
  int n;
  bool on;
};
struct sizes {
  float f;
  size_t list[2];
};
struct outer {
  struct sizes inner;
};
typedef union {
  int i;
  bool b[4];
} both;
struct pointer {
  global int *p;
};
struct fine {
  int a;
  float4 b;
};
kernel void a(struct flags x) {}
kernel void b(struct sizes x) {}
kernel void c(struct outer x) {}
kernel void d(both x) {}
kernel void e(struct pointer x) {}
kernel void f(struct fine x) {}
kernel void g(global struct flags *x) {}
void h(struct flags x) {}
// expect: 23:28: error: 'struct flags' cannot be used as the type of a kernel parameter: it has a member of type 'bool'
// expect: 24:28: error: 'struct sizes' cannot be used as the type of a kernel parameter: it has a member of type 'size_t'
// expect: 25:28: error: 'struct outer' cannot be used as the type of a kernel parameter: it has a member of type 'size_t'
// expect: 26:20: error: 'both' cannot be used as the type of a kernel parameter: it has a member of type 'bool'
// expect: 27:30: error: struct kernel parameters may not contain pointers
