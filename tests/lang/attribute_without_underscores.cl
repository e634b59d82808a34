typedef struct __attribute((packed)) { char a; int b; } first;
typedef struct { char a; int b; } __attribute((__packed__)) second;
typedef struct { char a; int b; } __attribute((packed, __aligned__(2))) third;
_Static_assert(sizeof(first) == 5 && sizeof(second) == 5 && sizeof(third) == 6, "packed");
__attribute((noinline)) int f(int a __attribute((__unused__))) { return 1; }
__attribute((reqd_work_group_size(1, 1, 1))) kernel void k(global int *o) {
  int x __attribute((strange)) = f(2);
  __attribute((opencl_unroll_hint(2))) for (int i = 0; i < 4; i++) o[i] = x;
}
// expect: 7:22: warning: unknown attribute 'strange' ignored [-Wunknown-attributes]
