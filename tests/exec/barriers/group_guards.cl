// Group guards: groups in which conditions on global positions hold for all work-items, and groups at an edge.
// run: -k turn -g 32,4 -l 16,2 -p 0:i32 fill:i32:128:1000 iota:i32:128 i32=32 i32=4
// stats: cpu:x86-64-v3 lanes 16, permuted 1, contiguous 4, group-guard 1
// formula: -k turn_formula -D FORMULA
// run: -k turn -g 32,4 -l 16,2 -p 0:i32 fill:i32:90:1000 iota:i32:90 i32=30 i32=3
// skip: opencl OpenCL leaves a barrier that some work-items never reach undefined
// formula: -k turn_formula -D FORMULA
// run: -k inside -g 32,4 -l 16,2 -p 0:i32 fill:i32:128:1000 iota:i32:128 i32=32 i32=4
// stats: cpu:x86-64-v3 lanes 16, permuted 1, contiguous 4, group-guard 2
// formula: -k inside_formula -D FORMULA
// run: -k inside -g 32,4 -l 16,2 -p 0:i32 fill:i32:81:1000 iota:i32:81 i32=27 i32=3
// formula: -k inside_formula -D FORMULA
// run: -k inside -g 16,2 -l 16,2 -p 0:i32 fill:i32:30:1000 iota:i32:30 i32=15 i32=2
// formula: -k inside_formula -D FORMULA
// run: -k wraps -g 48 -l 16 -p 0:i32 zero:i32:48 u32=4294967285 u64=18446744073709551596 u32=64
// stats: cpu:x86-64-v3 lanes 16, permuted 1, contiguous 9, group-guard 4
// formula: -k wraps_formula -D FORMULA
// run: -k wraps -g 48 -l 16 -p 0:i32 zero:i32:48 u32=4294967264 u64=18446744073709551584 u32=30
// formula: -k wraps_formula -D FORMULA
// run: -k wraps -g 48 -l 16 -p 0:i32 zero:i32:48 u32=0 u64=0 u32=100
// formula: -k wraps_formula -D FORMULA
// run: -k around -g 48 -l 16 -p 0:i32 zero:i32:48 i32=48
// stats: cpu:x86-64-v3 lanes 16, permuted 1, contiguous 3, group-guard 1
// formula: -k around_formula -D FORMULA
// run: -k around -g 48 -l 16 -p 0:i32 zero:i32:48 i32=16
// formula: -k around_formula -D FORMULA
// run: -k around -g 48 -l 16 -p 0:i32 zero:i32:48 i32=0
// formula: -k around_formula -D FORMULA
kernel void turn(global int *o, global const int *a, int w, int h) {
  local int t[2 * 17];
  int x = get_group_id(0) * 16 + get_local_id(0), y = get_global_id(1);
  if (x >= w || y >= h)
    return;
  t[get_local_id(1) * 17 + get_local_id(0)] = a[y * w + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  o[y * w + x] += t[get_local_id(1) * 17 + (get_local_id(0) ^ 1)];
}
kernel void inside(global int *o, global const int *a, int w, int h) {
  local int t[2 * 17];
  int x = get_global_id(0), y = get_global_id(1), at = get_local_id(1) * 17 + get_local_id(0);
  t[at] = -1;
  if (x < w && y < h)
    t[at] = a[y * w + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!(x >= w) && y <= h - 1)
    o[y * w + x] = t[get_local_id(1) * 17 + 15 - get_local_id(0)];
}
// Sums that wrap inside of a group.
kernel void wraps(global int *o, uint base, ulong far, uint n) {
  local int t[16];
  int i = get_global_id(0), l = get_local_id(0);
  t[l] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  int next = t[l ^ 1];
  if ((uint)i - 3u < n)
    o[i] += next;
  if ((uint)i + base < n)
    o[i] += 100 + next;
  if (get_global_id(0) + far < n)
    o[i] += 10000 + next;
  if (i - 20 < (int)n)
    o[i] += 1000000;
}
// The whole group is past a guard around a barrier, or none of it.
kernel void around(global int *o, int n) {
  local int t[16];
  int i = get_global_id(0), l = get_local_id(0);
  t[l] = i;
  if (get_group_id(0) * 16 + l < n) {
    barrier(CLK_LOCAL_MEM_FENCE);
    o[i] = t[15 - l];
  } else {
    o[i] = -i;
  }
}
#ifdef FORMULA
// The formulas have no local memory; groups are 16 x 2, or 16.
kernel void turn_formula(global int *o, global const int *a, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h)
    o[y * w + x] += a[y * w + (x % 2 ? x - 1 : x + 1)];
}
kernel void inside_formula(global int *o, global const int *a, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1), from = x / 16 * 16 + 15 - x % 16;
  if (x < w && y < h)
    o[y * w + x] = from < w ? a[y * w + from] : -1;
}
kernel void wraps_formula(global int *o, uint base, ulong far, uint n) {
  int i = get_global_id(0), next = i % 2 ? i - 1 : i + 1, from_base = base, from_far = far;
  o[i] += i >= 3 && i < n + 3l ? next : 0;
  o[i] += i + from_base >= 0 && i + from_base < (long)n ? 100 + next : 0;
  o[i] += i + from_far >= 0 && i + from_far < (long)n ? 10000 + next : 0;
  o[i] += i < 20 + (long)n ? 1000000 : 0;
}
kernel void around_formula(global int *o, int n) {
  int i = get_global_id(0);
  o[i] = i < n ? i / 16 * 16 + 15 - i % 16 : -i;
}
#endif
