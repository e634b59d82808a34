static int never(int x) { return x; }
static inline int never_inline(int x) { return x; }
static int used(int x) { return x; }
static int measured(int x) { return x; }
static __attribute__((unused)) int said(int x) { return x; }
int extern_one(int x) { return x; }
static int calls_itself_only(int x);
#define MAKE(name) static int name(int x) { return x; }
MAKE(from_macro)
kernel void k(global int *o, int n) {
  int set, both = 3, counted = 0;
  volatile int seen;
  set = 3;
  both = 4;
  both += 2;
  seen = 3;
  for (int i = 0, unused_step = 3; i < n; i++, unused_step++)
    counted += i;
  int value = n, __attribute__((unused)) said_so;
  said_so = 2;
  int chained;
  o[1] = chained = 3;
  int4 lanes;
  lanes.x = 3;
unused:
  if (n)
    goto out;
  o[0] = used(n) + sizeof(measured(n)) + value;
out:
__attribute__((unused)) another:
  return;
}
// expect: 25:1: warning: unused label 'unused' [-Wunused-label]
// expect: 30:25: warning: unused label 'another' [-Wunused-label]
// expect: 11:7: warning: variable 'set' set but not used [-Wunused-but-set-variable]
// expect: 11:12: warning: variable 'both' set but not used [-Wunused-but-set-variable]
// expect: 11:22: warning: variable 'counted' set but not used [-Wunused-but-set-variable]
// expect: 1:12: warning: unused function 'never' [-Wunused-function]
// expect: 2:19: warning: unused function 'never_inline' [-Wunused-function]
// expect: 9:6: warning: unused function 'from_macro' [-Wunused-function]
