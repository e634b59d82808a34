// Functions of one name that differ in their parameters, always_inline, noinline and other attributes of functions.
// run: -g 2 -p 0:i32 zero:i32:16
// expect: 0: 1 2 3 4 5 6 7 120 1 2 3 4 5 6 8 121
int __attribute__((overloadable)) f(int x) { return 1; }
int __attribute__((overloadable)) f(float x) { return 2; }
int __attribute__((overloadable)) f(int2 x) { return 3; }
int __attribute__((overloadable)) f(int x, int y) { return 4; }
int __attribute__((overloadable)) f(global int *x) { return 5; }
int __attribute__((overloadable)) f(const private int *x) { return 6; }
inline int __attribute__((always_inline)) up(int x) { return x + 7; }
__attribute__((noinline, pure, const)) int keep(int x) { return x + 120; }
__attribute__((work_group_size_hint(2, 1, 1))) __attribute__((vec_type_hint(float4)))
kernel void k(global int *o) {
  int i = get_global_id(0);
  global int *p = o + 8 * i;
  p[0] = f(i), p[1] = f(1.0f), p[2] = f((int2)(i)), p[3] = f(i, i), p[4] = f(o), p[5] = f(&i);
  p[6] = up(i), p[7] = keep(i);
}
