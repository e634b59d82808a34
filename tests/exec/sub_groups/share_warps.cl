// Reductions of a group, whose sub-groups share warps of several registers: a softmax of integers along rows, in one row
// of work-items, and in several that are and are not multiples of a sub-group.
// run: -g 128 -l 64 --options=-cl-std=CL3.0 -k row -p 1:i32 iota:i32:400 zero:i32:128 i32=200
// stats: cpu:x86-64-v4 lanes 64,
// stats: cpu:x86-64-v3 lanes 32,
// formula: -k row_formula -D FORMULA
// run: -g 128 -l 64 --options=-cl-std=CL3.0 -k rows -p 1:i32 iota:i32:400 zero:i32:128 i32=200
// stats: cpu:x86-64-v3 lanes 16,
// formula: -k rows_formula -D FORMULA
// run: -g 64,2 -l 32,2 --options=-cl-std=CL3.0 -k rows -p 1:i32 iota:i32:400 zero:i32:128 i32=200
// formula: -k rows_formula -D FORMULA
// run: -g 60,2 -l 20,2 --options=-cl-std=CL3.0 -k rows -p 1:i32 iota:i32:600 zero:i32:120 i32=200
// formula: -k rows_formula -D FORMULA
kernel void rows(global const int *x, global int *y, int n) {
  int l = get_local_id(1) * get_local_size(0) + get_local_id(0), size = get_local_size(0) * get_local_size(1);
  int group = get_group_id(1) * get_num_groups(0) + get_group_id(0), most = 0, sum = 0;
  x += group * n;
  for (int i = l; i < n; i += size)
    most = max(most, (x[i] * 37 + i) % 101);
  most = work_group_reduce_max(most);
  for (int i = l; i < n; i += size)
    sum += most - (x[i] * 37 + i) % 101;
  sum = work_group_reduce_add(sum);
  y[group * size + l] = sum * 1000 + most + get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id();
}
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void row(global const int *x, global int *y, int n) {
  int l = get_local_id(0), group = get_group_id(0), most = 0, sum = 0;
  x += group * n;
  for (int i = l; i < n; i += 64)
    most = max(most, (x[i] * 37 + i) % 101);
  most = work_group_reduce_max(most);
  for (int i = l; i < n; i += 64)
    sum += most - (x[i] * 37 + i) % 101;
  sum = work_group_reduce_add(sum);
  y[group * 64 + l] = sum * 1000 + most + get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id();
}

#ifdef FORMULA // One row after another, by the first work-item alone.
kernel void rows_formula(global const int *x, global int *y, int n) {
  int size = get_local_size(0) * get_local_size(1), all = get_global_size(0) * get_global_size(1);
  if (get_global_id(0) || get_global_id(1))
    return;
  for (int first = 0; first < all; first += size, x += n) {
    int most = 0, sum = 0;
    for (int i = 0; i < n; i++) {
      int value = (x[i] * 37 + i) % 101;
      most = value > most ? value : most;
      sum += value;
    }
    for (int l = 0; l < size; l++)
      y[first + l] = (n * most - sum) * 1000 + most + l;
  }
}
kernel void row_formula(global const int *x, global int *y, int n) { rows_formula(x, y, n); }
#endif
