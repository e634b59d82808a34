// A sub-group exchanges values through local memory with its own barrier, iteration by iteration.
// Each work-item counts what is wrong in o[check]; o[1] counts the work-items.
// run: -g 64 -l 64 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:2
// expect: 0: 0 64
// run: -g 33 -l 33 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:2
// expect: 0: 0 33
// run: -g 40 -l 10 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:2
// expect: 0: 0 40
// run: -g 8,8 -l 8,8 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:2
// expect: 0: 0 64
// run: -g 12,10,4 -l 3,5,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:2
// expect: 0: 0 480
// run: -g 130 -l 65 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:2
// expect: 0: 0 130
// run: -g 100 -l 48 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:2
// skip: opencl PoCL has no partial groups
// expect: 0: 0 100
// run: -g 16,4 -l 16,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:2
// expect: 0: 0 64
// run: -g 1 -l 1 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:2
// expect: 0: 0 1
#define CHECK(n, ok) \
  if (!(ok)) \
  atomic_inc(&o[n])

#define SELF (uint)get_local_linear_id()
#define FIRST (SELF / get_max_sub_group_size() * get_max_sub_group_size())

kernel void k(global int *o) {
  local volatile int t[128];
  uint self = SELF, first = FIRST, size = get_sub_group_size(), l = get_sub_group_local_id();
  t[self] = (int)self;
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < size; d *= 2) { // a prefix sum
    int v = l >= d ? t[self - d] : 0;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    t[self] += v;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_sub_group);
  }
  CHECK(0, t[self] == (int)((first + self) * (l + 1) / 2));
  atomic_inc(&o[1]);
}
