// Reductions and scans of sub-groups, against loops over local memory.
// Each work-item counts what is wrong in o[check]; o[30] counts the work-items.
// run: -g 64 -l 64 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:31
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 64
// run: -g 33 -l 33 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:31
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 33
// run: -g 40 -l 10 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:31
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 40
// run: -g 8,8 -l 8,8 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:31
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 64
// run: -g 12,10,4 -l 3,5,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:31
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 480
// run: -g 130 -l 65 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:31
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 130
// run: -g 100 -l 48 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:31
// skip: opencl PoCL has no partial groups
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 100
// run: -g 16,4 -l 16,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:31
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 64
// run: -g 1 -l 1 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:31
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1
#define CHECK(n, ok) \
  if (!(ok)) \
  atomic_inc(&o[n])

#define SELF (uint)get_local_linear_id()
#define FIRST (SELF / get_max_sub_group_size() * get_max_sub_group_size())


#define TEST(n, T, name, start, combine) \
  { \
    T all = start, up = start, before = start; \
    for (uint i = first; i < end; i++) { \
      T a = all, b = t[i]; \
      all = combine; \
      if (i == self) \
        before = a, up = all; \
    } \
    T x = t[self]; \
    CHECK(n, sub_group_reduce_##name(x) == all); \
    CHECK(n + 1, sub_group_scan_inclusive_##name(x) == up); \
    CHECK(n + 2, sub_group_scan_exclusive_##name(x) == before); \
  }

kernel void k(global int *o) {
  local int t[128];
  uint self = SELF, first = FIRST, end = first + get_sub_group_size();
  t[self] = (int)(self * 2654435761u >> 20) - 2000;
  barrier(CLK_LOCAL_MEM_FENCE);
  TEST(0, int, add, 0, a + b)
  TEST(3, int, min, INT_MAX, min(a, b))
  TEST(6, int, max, INT_MIN, max(a, b))
  TEST(9, uint, min, UINT_MAX, min(a, b))
  TEST(12, uint, max, 0, max(a, b))
  TEST(15, long, add, 0, a + b)
  TEST(18, ulong, max, 0, max(a, b))
  TEST(21, float, add, 0, a + b) // sums of small integers are exact
  TEST(24, float, min, INFINITY, fmin(a, b))
  TEST(27, double, max, -INFINITY, fmax(a, b))
  atomic_inc(&o[30]);
}
