// Variadic macros.
// run: -g 1 -p 0:i32 zero:i32:3
// expect: 0: 321 7 164
#define SUM3(a, ...) add3(a, __VA_ARGS__)
#define FIRST(x, ...) x
#define CALL(f, ...) f(__VA_ARGS__)
int add3(int a, int b, int c) { return a + 10 * b + 100 * c; }
kernel void k(global int *o) {
  o[0] = SUM3(1, 2, 3);
  o[1] = FIRST(7, 8, 9);
  o[2] = CALL(add3, 4, (5, 6), 1);
}
