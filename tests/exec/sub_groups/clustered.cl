// Reductions of clusters of a sub-group, all of it and what is there of it.
// Each work-item counts what is wrong in o[check]; o[8] counts the work-items.
// run: -g 64 -l 64 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:9
// expect: 0: 0 0 0 0 0 0 0 0 64
// run: -g 33 -l 33 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:9
// expect: 0: 0 0 0 0 0 0 0 0 33
// run: -g 40 -l 10 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:9
// expect: 0: 0 0 0 0 0 0 0 0 40
// run: -g 8,8 -l 8,8 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:9
// expect: 0: 0 0 0 0 0 0 0 0 64
// run: -g 12,10,4 -l 3,5,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:9
// expect: 0: 0 0 0 0 0 0 0 0 480
// run: -g 130 -l 65 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:9
// expect: 0: 0 0 0 0 0 0 0 0 130
// run: -g 100 -l 48 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:9
// skip: opencl PoCL has no partial groups
// expect: 0: 0 0 0 0 0 0 0 0 100
// run: -g 16,4 -l 16,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:9
// expect: 0: 0 0 0 0 0 0 0 0 64
// run: -g 1 -l 1 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:9
// expect: 0: 0 0 0 0 0 0 0 0 1
#define CHECK(n, ok) \
  if (!(ok)) \
  atomic_inc(&o[n])

#define SELF (uint)get_local_linear_id()
#define FIRST (SELF / get_max_sub_group_size() * get_max_sub_group_size())

#define TEST(n, size, name, start, combine, there) \
  if (get_max_sub_group_size() >= size) { \
    int a = start; \
    uint low = self - (self - first) % size; \
    for (uint i = low; i < end && i < low + size; i++) { \
      int b = t[i]; \
      if (there) \
        a = combine; \
    } \
    CHECK(n, sub_group_clustered_reduce_##name(t[self], size) == a); \
  }

kernel void k(global int *o) {
  local int t[128];
  uint self = SELF, first = FIRST, end = first + get_sub_group_size();
  t[self] = (int)(self * 2654435761u >> 22) - 500;
  barrier(CLK_LOCAL_MEM_FENCE);
  TEST(0, 1, add, 0, a + b, true)
  TEST(1, 2, add, 0, a + b, true)
  TEST(2, 4, max, INT_MIN, max(a, b), true)
  TEST(3, 8, xor, 0, a ^ b, true)
  TEST(4, 16, min, INT_MAX, min(a, b), true)
  if (t[self] & 1) {
    TEST(5, 4, add, 0, a + b, b & 1)
    TEST(6, 8, and, -1, a & b, b & 1)
  }
  CHECK(7, sub_group_clustered_reduce_logical_or(t[self] > 400, 1) == (t[self] > 400));
  atomic_inc(&o[8]);
}
