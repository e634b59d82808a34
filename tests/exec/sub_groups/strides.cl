// Sub-groups that go through a buffer side by side, each work-item from its number in the sub-group on.
// run: -g 64 -l 32 --options=-cl-std=CL3.0 -k strides zero:i32:200 iota:i32:200 u64=190 -p 0:i32
// stats: cpu:x86-64-v3 contiguous 2
// stats: cpu:x86-64-v4 contiguous 2
// formula: -k formula
// run: -g 30 -l 15 --options=-cl-std=CL3.0 -k strides zero:i32:200 iota:i32:200 u64=77 -p 0:i32
// formula: -k formula
kernel void strides(global int *out, global const int *in, ulong n) {
  ulong per_group = (n + get_num_groups(0) - 1) / get_num_groups(0), first = get_group_id(0) * per_group;
  ulong per_sub_group = (per_group + get_num_sub_groups() - 1) / get_num_sub_groups();
  ulong end = min(n, first + min(per_group, (get_sub_group_id() + 1) * per_sub_group));
  for (ulong i = first + get_sub_group_id() * per_sub_group + get_sub_group_local_id(); i < end; i += get_sub_group_size())
    out[i] = in[i] * 3 + 1;
}
kernel void formula(global int *out, global const int *in, ulong n) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
    out[i] = 1 + 3 * in[i];
}
