// Kernels that ask where a work-item is in the launch by its group: they run like those that ask for global ids, but
// where groups are partial.
// run: -k position -g 96 -l 32 zero:i32:90 i32=90 -p 0:i32
// formula: -k position_formula -D FORMULA
// run: -k position -g 100 -l 32 zero:i32:90 i32=90 -p 0:i32
// skip: opencl partial groups
// formula: -k position_formula -D FORMULA
// run: -k position -g 96 -l 32 --offset 5 zero:i32:96 i32=96 -p 0:i32
// formula: -k position_formula -D FORMULA
// run: -k position -g 96 -l 1 zero:i32:96 i32=96 -p 0:i32
// formula: -k position_formula -D FORMULA
// run: -k strides -g 48 -l 16 zero:i32:100 i64=100 -p 0:i32
// formula: -k strides_formula -D FORMULA
// run: -k strides -g 24 -l 8 --offset 7 zero:i32:100 i64=100 -p 0:i32
// formula: -k strides_formula -D FORMULA
// run: -k strides -g 12 -l 12 zero:i32:50 i64=50 -p 0:i32
// formula: -k strides_formula -D FORMULA
// run: -k plane -g 24,6 -l 8,3 zero:i32:105 i32=21 i32=5 -p 0:i32
// formula: -k plane_formula -D FORMULA
// run: -k plane -g 20,4 -l 4,4 zero:i32:80 i32=20 i32=4 -p 0:i32
// formula: -k plane_formula -D FORMULA
// run: -k required -g 64 -l 16 zero:i32:64 -p 0:i32
// formula: -k required_formula -D FORMULA
// run: -k narrow -g 600 -l 300 zero:i32:600 -p 0:i32
// formula: -k narrow_formula -D FORMULA
// run: -k group -g 24 -l 8 zero:i32:24 -p 0:i32
// formula: -k group_formula -D FORMULA
kernel void position(global int *out, int n) {
  int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (i < n)
    atomic_add(&out[i], 1 + i % 10);
}
// Narrow parts, and a size of the launch.
kernel void strides(global int *out, long n) {
  int size = get_local_size(0), lid = get_local_id(0), first = size * (int)get_group_id(0);
  for (long i = first + lid; i < n; i += size * (int)get_num_groups(0))
    out[i] += 1 + i;
}
kernel void plane(global int *out, int width, int height) {
  int x = get_local_id(0) + get_local_size(0) * get_group_id(0);
  uint y = get_group_id(1) * (uint)get_local_size(1) + (uint)get_local_id(1);
  if (x < width && y < height)
    out[y * width + x] += x + 100 * y;
}
kernel __attribute__((reqd_work_group_size(16, 1, 1))) void required(global int *out) {
  int i = get_group_id(0) * 16 + get_local_id(0);
  out[i] = i / 3;
}
// A byte does not hold the local id.
kernel void narrow(global int *out) {
  uchar lid = get_local_id(0);
  int i = get_group_id(0) * get_local_size(0) + lid;
  atomic_add(&out[i], 1);
}
// It also asks for the group itself.
kernel void group(global int *out) {
  int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  out[i] = i + 1000 * (int)get_group_id(0);
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
// Positions in the launch from 0 on.
#define SIZE ((int)get_global_size(0))
kernel void position_formula(global int *out, int n) {
  ALONE
  int size = get_local_size(0);
  for (int p = 0; p < SIZE; p++) { // the last group may be smaller, and takes itself for an earlier one
    int i = p / size * min(size, SIZE - p / size * size) + p % size;
    if (i < n)
      out[i] += 1 + i % 10;
  }
}
kernel void strides_formula(global int *out, long n) {
  ALONE
  for (int i = 0; i < n; i++)
    out[i] += 1 + i;
}
kernel void plane_formula(global int *out, int width, int height) {
  ALONE
  for (int at = 0; at < width * height; at++)
    out[at] += at % width + 100 * (at / width);
}
kernel void required_formula(global int *out) {
  ALONE
  for (int i = 0; i < SIZE; i++)
    out[i] = i / 3;
}
kernel void narrow_formula(global int *out) {
  ALONE
  int size = get_local_size(0);
  for (int i = 0; i < SIZE; i++)
    out[i / size * size + i % size % 256]++;
}
kernel void group_formula(global int *out) {
  ALONE
  for (int i = 0; i < SIZE; i++)
    out[i] = i + 1000 * (i / (int)get_local_size(0));
}
#endif
