// Operations on the work-items of a sub-group that are there: in branches, in loops, after an early return.
// Each work-item counts what is wrong in o[check]; o[25] counts the work-items.
// run: -g 64 -l 64 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:26
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 64
// run: -g 33 -l 33 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:26
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 33
// run: -g 40 -l 10 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:26
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 40
// run: -g 8,8 -l 8,8 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:26
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 64
// run: -g 12,10,4 -l 3,5,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:26
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 480
// run: -g 130 -l 65 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:26
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 130
// run: -g 100 -l 48 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:26
// skip: opencl PoCL has no partial groups
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 100
// run: -g 16,4 -l 16,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:26
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 64
// run: -g 1 -l 1 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:26
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1
#pragma OPENCL EXTENSION cl_khr_subgroup_non_uniform_arithmetic : enable
#define CHECK(n, ok) \
  if (!(ok)) \
  atomic_inc(&o[n])

#define SELF (uint)get_local_linear_id()
#define FIRST (SELF / get_max_sub_group_size() * get_max_sub_group_size())

#define TEST(n, T, name, start, combine, there) \
  { \
    T all = start, up = start, before = start; \
    for (uint i = first; i < end; i++) { \
      if (!(there)) \
        continue; \
      T a = all, b = t[i]; \
      all = combine; \
      if (i == self) \
        before = a, up = all; \
    } \
    T x = t[self]; \
    CHECK(n, sub_group_non_uniform_reduce_##name(x) == all); \
    CHECK(n + 1, sub_group_non_uniform_scan_inclusive_##name(x) == up); \
    CHECK(n + 2, sub_group_non_uniform_scan_exclusive_##name(x) == before); \
  }

kernel void k(global int *o) {
  local int t[128];
  uint self = SELF, first = FIRST, end = first + get_sub_group_size();
  t[self] = (int)(self * 2654435761u >> 24) - 100;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&o[25]);
  if (self % 3 == 1) {
    TEST(0, int, mul, 1, a * b, i % 3 == 1)
    CHECK(3, sub_group_elect() == (self - first < 3));
  } else {
    TEST(4, int, xor, 0, a ^ b, i % 3 != 1)
    TEST(7, uint, and, ~0u, a & b, i % 3 != 1)
  }
  // Rounds of a loop: work-item i makes i % 5 of them.
  for (uint round = 0; round < self % 5; round++) {
    TEST(10, int, add, 0, a + b, i % 5 > round)
    if (round == 1)
      continue;
    CHECK(13, sub_group_non_uniform_reduce_add(1) == sub_group_reduce_add(1));
    TEST(14, int, max, INT_MIN, max(a, b), i % 5 > round)
  }
  // Together again.
  TEST(17, int, or, 0, a | b, true)
  switch (self % 4) {
  case 0:
    return;
  case 1:
    TEST(20, int, min, INT_MAX, min(a, b), i % 4 == 1)
    break;
  case 2:
    CHECK(23, sub_group_any(t[self] < 0) == sub_group_non_uniform_any(t[self] < 0));
  }
  int sum = 0;
  for (uint i = first; i < end; i++)
    sum += i % 4 != 0;
  CHECK(24, sub_group_non_uniform_reduce_add(1) == sum);
}
