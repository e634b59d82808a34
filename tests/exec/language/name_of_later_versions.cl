// Names of built-in functions and types that later versions brought are the program's under -cl-std=CL1.2.
// run: -g 1 -p 0:i32 zero:i32:8
// expect: 0: 10 20 30 40 50 60 70 80
int ctz(int x) { return x + 9; }
int work_group_barrier(int x) { return x + 19; }
int atomic_load(global int *p) { return p[0] + 30; }
typedef int atomic_int;
static int atomic_fetch_add(atomic_int x, int y) { return x + y; }
constant int memory_order_relaxed = 50;
int work_group_all(int x) { return x; }
int sub_group_reduce_add(int x) { return x + 10; }
int to_global(int x) { return x - 1; }
kernel void k(global int *out) {
  int get_fence = 81;
  out[0] = ctz(1);
  out[1] = work_group_barrier(1);
  out[2] = atomic_load(out + 2);
  out[3] = atomic_fetch_add(33, 7);
  out[4] = memory_order_relaxed;
  out[5] = work_group_all(60);
  out[6] = sub_group_reduce_add(60);
  out[7] = to_global(get_fence);
}
