// Kernels with barriers, which are compiled for rows that are whole warps, in groups with such rows and others: last
// groups that are smaller, more than one row, sizes that the source requires or hints at, steps that only some
// work-items take.
// run: -k turn -g 32 -l 16 -p 0:i32 zero:i32:32
// stats: cpu:x86-64-v3 lanes 8, checked 1, contiguous 3
// formula: -k turn_formula -D FORMULA
// run: -k turn -g 48 -l 32 -p 0:i32 zero:i32:48
// skip: opencl PoCL has no partial groups
// formula: -k turn_formula -D FORMULA
// run: -k turn -g 40 -l 16 -p 0:i32 zero:i32:40
// skip: opencl PoCL has no partial groups
// formula: -k turn_formula -D FORMULA
// run: -k turn -g 24 -l 24 -p 0:i32 zero:i32:24
// formula: -k turn_formula -D FORMULA
// run: -k turn -g 16 -l 20 -p 0:i32 zero:i32:16
// skip: opencl PoCL has no partial groups
// formula: -k turn_formula -D FORMULA
// run: -k turn -g 8 -l 16 -p 0:i32 zero:i32:8
// skip: opencl PoCL has no partial groups
// formula: -k turn_formula -D FORMULA
// run: -k turn -g 14 -l 7 -p 0:i32 zero:i32:14
// formula: -k turn_formula -D FORMULA
// run: -k turn -g 32,2 -l 16,2 -p 0:i32 zero:i32:64
// formula: -k turn_formula -D FORMULA
// run: -k turn -g 16,3 -l 8,2 -p 0:i32 zero:i32:48
// skip: opencl PoCL has no partial groups
// formula: -k turn_formula -D FORMULA
// run: -k turn -g 6,4 -l 3,4 -p 0:i32 zero:i32:24
// formula: -k turn_formula -D FORMULA
// run: -k open -g 17 -p 0:i32 zero:i32:17
// stats: cpu:x86-64-v3 lanes 16, permuted 3, contiguous 1
// formula: -k open_formula -D FORMULA
// run: -k open -g 64 -p 0:i32 zero:i32:64
// formula: -k open_formula -D FORMULA
// run: -k whole -g 32 -p 0:i32 zero:i32:32
// stats: cpu:x86-64-v3 lanes 16, checked 1, contiguous 3
// formula: -k whole_formula -D FORMULA
// run: -k whole -g 40 -p 0:i32 zero:i32:40
// skip: opencl PoCL has no partial groups
// formula: -k whole_formula -D FORMULA
// run: -k odd -g 24 -p 0:i32 zero:i32:24
// stats: cpu:x86-64-v3 lanes 8, checked 1, contiguous 3
// formula: -k odd_formula -D FORMULA
// run: -k hint -g 10 -l 5 -p 0:i32 zero:i32:10
// stats: cpu:x86-64-v3 lanes 8, checked 1, contiguous 3
// formula: -k hint_formula -D FORMULA
// run: -k hint -g 32 -l 16 -p 0:i32 zero:i32:32
// formula: -k hint_formula -D FORMULA
// run: -k tree -g 32 -l 32 -p 0:i32 zero:i32:32
// stats: cpu:x86-64-v3 lanes 16, contiguous 6, uniform 1
// formula: -k tree_formula -D FORMULA
// run: -k tree -g 48 -l 32 -p 0:i32 zero:i32:48
// skip: opencl PoCL has no partial groups
// formula: -k tree_formula -D FORMULA
// run: -k tree -g 40 -l 20 -p 0:i32 zero:i32:40
// formula: -k tree_formula -D FORMULA
// run: -k prefix -g 32 -l 16 -p 0:i32 zero:i32:32
// stats: cpu:x86-64-v3 lanes 16, contiguous 7
// formula: -k prefix_formula -D FORMULA
// run: -k prefix -g 30 -l 15 -p 0:i32 zero:i32:30
// formula: -k prefix_formula -D FORMULA
#define TURN                                                                                                            \
  local int t[4][64];                                                                                                  \
  int x = get_local_id(0), y = get_local_id(1), size = get_local_size(0), own = x % 10;                                \
  t[y][x] = 100 * get_global_id(0) + 10 * get_global_id(1);                                                            \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  o[get_global_id(1) * get_global_size(0) + get_global_id(0)] += t[y][x + 1 == size ? 0 : x + 1] + own;
kernel void turn(global int *o) { TURN }
kernel __attribute__((reqd_work_group_size(16, 1, 1))) void whole(global int *o) { TURN }
kernel __attribute__((reqd_work_group_size(12, 1, 1))) void odd(global int *o) { TURN }
kernel __attribute__((work_group_size_hint(5, 1, 1))) void hint(global int *o) { TURN }

kernel void open(global int *o) {
  local int t[1024];
  int x = get_local_id(0), i = get_global_id(0);
  t[x] = 2 * i;
  barrier(CLK_LOCAL_MEM_FENCE);
  int other = get_local_size(0) - 1 - x, first = i - x;
  o[first + other] += t[other] + first + other;
}

kernel void tree(global int *o) {
  local int t[64];
  uint x = get_local_id(0), n = get_local_size(0);
  t[x] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 32; step > 0; step /= 2) {
    if (x < step && x + step < n)
      t[x] += t[x + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  o[get_global_id(0)] += t[0];
}

kernel void prefix(global int *o) {
  local int t[64];
  int x = get_local_id(0), n = get_local_size(0);
  t[x] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 1; step < n; step *= 2) {
    int before = x >= step ? t[x - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[x] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  o[get_global_id(0)] += t[x];
}

#ifdef FORMULA // Group by group, by the first work-item alone. The last group of a row may be smaller.
#define ALONE if (get_global_id(0) || get_global_id(1)) return;
#define ALL (int)get_global_size(0)
#define SIZE (int)get_local_size(0)
int end_of(int first, int size) { return min(first + size, ALL); }
void turned(global int *o, int size) {
  for (int y = 0; y < get_global_size(1); y++)
    for (int i = 0; i < ALL; i++) {
      int first = i / size * size, next = i + 1 == end_of(first, size) ? first : i + 1;
      o[y * ALL + i] = next * 100 + y * 10 + (i - first) % 10;
    }
}
kernel void turn_formula(global int *o) { ALONE turned(o, SIZE); }
kernel void hint_formula(global int *o) { ALONE turned(o, SIZE); }
kernel void whole_formula(global int *o) { ALONE turned(o, 16); }
kernel void odd_formula(global int *o) { ALONE turned(o, 12); }
kernel void open_formula(global int *o) {
  ALONE
  for (int i = 0; i < ALL; i++)
    o[i] = 3 * i;
}
kernel void tree_formula(global int *o) {
  ALONE
  int size = get_local_size(0);
  for (int i = 0; i < ALL; i++)
    for (int k = i / size * size; k < end_of(i / size * size, size); k++)
      o[i] += k;
}
kernel void prefix_formula(global int *o) {
  ALONE
  int size = get_local_size(0);
  for (int i = 0, sum = 0; i < ALL; i++)
    o[i] = sum = i % size ? sum + i : i;
}
#endif
