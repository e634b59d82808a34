// Functions that call functions, forward declarations, static and inline.
// run: -g 4 -p 0:i32 zero:i32:4
// expect: 0: 3 9 16 22
int second(int x);
static inline int first(int x) { return second(x) + 1; }
int second(int x) { return x * 2; }
inline float scale(float x, const float f) { return x * f; }
void store(global int *p, int v) { *p = v; }
kernel void k(global int *o) {
  int i = get_global_id(0);
  store(&o[i], first(first(i)) + (int)scale(i, 2.5f));
}
