// Votes, broadcasts, reductions and scans of whole groups.
// Each work-item counts what is wrong in o[check]; o[23] counts the work-items.
// run: -g 64 -l 64 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// skip: opencl PoCL takes more than ten minutes to compile it
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 64
// run: -g 33 -l 33 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// skip: opencl PoCL takes more than ten minutes to compile it
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 33
// run: -g 40 -l 10 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// skip: opencl PoCL takes more than ten minutes to compile it
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 40
// run: -g 8,8 -l 8,8 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// skip: opencl PoCL takes more than ten minutes to compile it
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 64
// run: -g 12,10,4 -l 3,5,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// skip: opencl PoCL takes more than ten minutes to compile it
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 480
// run: -g 130 -l 65 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// skip: opencl PoCL takes more than ten minutes to compile it
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 130
// run: -g 100 -l 48 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// skip: opencl PoCL takes more than ten minutes to compile it
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 100
// run: -g 16,4 -l 16,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// skip: opencl PoCL takes more than ten minutes to compile it
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 64
// run: -g 1 -l 1 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// skip: opencl PoCL takes more than ten minutes to compile it
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1
#define CHECK(n, ok) \
  if (!(ok)) \
  atomic_inc(&o[n])

#define SELF (uint)get_local_linear_id()
#define FIRST (SELF / get_max_sub_group_size() * get_max_sub_group_size())

#define TEST(n, T, name, start, combine) \
  { \
    T all = start, up = start, before = start; \
    for (uint i = 0; i < count; i++) { \
      T a = all, b = t[i]; \
      all = combine; \
      if (i == self) \
        before = a, up = all; \
    } \
    T x = t[self]; \
    CHECK(n, work_group_reduce_##name(x) == all); \
    CHECK(n + 1, work_group_scan_inclusive_##name(x) == up); \
    CHECK(n + 2, work_group_scan_exclusive_##name(x) == before); \
  }

kernel void k(global int *o) {
  local int t[128];
  uint lx = get_local_size(0), ly = get_local_size(1), lz = get_local_size(2), count = lx * ly * lz, self = SELF;
  t[self] = (int)(self * 2654435761u >> 20) - 2000;
  barrier(CLK_LOCAL_MEM_FENCE);
  TEST(0, int, add, 0, a + b)
  TEST(3, int, min, INT_MAX, min(a, b))
  TEST(6, uint, max, 0, max(a, b))
  TEST(9, long, add, 0, a + b)
  TEST(12, float, add, 0, a + b)
  TEST(15, double, min, INFINITY, fmin(a, b))
  CHECK(18, work_group_all(t[self] > -3000) == 1 && !work_group_any(t[self] > 3000));
  CHECK(19, work_group_any(self == count - 1) == 1 && work_group_all(self < count - 1) == 0);
  CHECK(20, work_group_broadcast(t[self], lx / 2, ly / 2, lz / 2) == t[(lz / 2 * ly + ly / 2) * lx + lx / 2]);
  CHECK(21, work_group_broadcast((float)t[self], lx - 1, ly - 1, lz - 1) == (float)t[count - 1]);
  int sum = 0;
  for (int i = 0; i < 3; i++) // in a loop, whose bound the work-items share
    sum += work_group_reduce_add(t[self] * i);
  CHECK(22, sum == work_group_reduce_add(t[self]) * 3);
  atomic_inc(&o[23]);
}
