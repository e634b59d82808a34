// Operations on sub-groups between barriers of the group, with values that live across both.
// Each work-item counts what is wrong in o[check]; o[3] counts the work-items.
// run: -g 64 -l 64 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:4
// expect: 0: 0 0 0 64
// run: -g 33 -l 33 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:4
// expect: 0: 0 0 0 33
// run: -g 40 -l 10 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:4
// expect: 0: 0 0 0 40
// run: -g 8,8 -l 8,8 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:4
// expect: 0: 0 0 0 64
// run: -g 12,10,4 -l 6,5,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:4
// expect: 0: 0 0 0 480
// run: -g 130 -l 65 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:4
// expect: 0: 0 0 0 130
// run: -g 100 -l 48 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:4
// skip: opencl PoCL has no partial groups
// expect: 0: 0 0 0 100
// run: -g 16,4 -l 16,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:4
// expect: 0: 0 0 0 64
// run: -g 1 -l 1 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:4
// expect: 0: 0 0 0 1
#define CHECK(n, ok) \
  if (!(ok)) \
  atomic_inc(&o[n])

#define SELF (uint)get_local_linear_id()
#define FIRST (SELF / get_max_sub_group_size() * get_max_sub_group_size())

kernel void k(global int *o) {
  local int partial[128], total;
  uint self = SELF, l = get_sub_group_local_id(), id = get_sub_group_id();
  int x = (int)self * 3 + 1, up = sub_group_scan_inclusive_add(x);
  if (l == get_sub_group_size() - 1)
    partial[id] = up;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id == 0) { // the first sub-group alone
    int sum = 0;
    for (uint i = l; i < get_num_sub_groups(); i += get_max_sub_group_size())
      sum += partial[i];
    sum = sub_group_reduce_add(sum);
    if (l == 0)
      total = sum;
  }
  for (uint i = 0; i < id; i++)
    up += partial[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  int count = (int)(get_local_size(0) * get_local_size(1) * get_local_size(2)), n = (int)self + 1;
  CHECK(0, up == 3 * (n * (n - 1) / 2) + n);
  CHECK(1, total == 3 * (count * (count - 1) / 2) + count);
  CHECK(2, sub_group_broadcast(up - x, 0) == sub_group_non_uniform_reduce_min(up - x));
  atomic_inc(&o[3]);
}
