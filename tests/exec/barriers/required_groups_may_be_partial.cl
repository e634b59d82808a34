// Groups of a required size, whose bounds are constants, and launches that have partial groups: in one dimension, in
// both, and smaller than one group. The size of such a group is its own.
// run: -k sums -g 16,4 --options -cl-std=CL2.0 -p 0:i32 zero:i32:64
// formula: -k sums_formula -D FORMULA
// run: -k sums -g 16,3 --options -cl-std=CL2.0 -p 0:i32 zero:i32:48
// skip: opencl PoCL has no partial groups
// formula: -k sums_formula -D FORMULA
// run: -k sums -g 13,4 --options -cl-std=CL2.0 -p 0:i32 zero:i32:52
// skip: opencl PoCL has no partial groups
// formula: -k sums_formula -D FORMULA
// run: -k sums -g 11,3 --options -cl-std=CL2.0 -p 0:i32 zero:i32:33
// skip: opencl PoCL has no partial groups
// formula: -k sums_formula -D FORMULA
// run: -k sums -g 5,1 --options -cl-std=CL2.0 -p 0:i32 zero:i32:5
// skip: opencl PoCL has no partial groups
// formula: -k sums_formula -D FORMULA
// run: -k sizes -g 16,4 --options -cl-std=CL2.0 -p 0:i32 zero:i32:64
// formula: -k sizes_formula -D FORMULA
// run: -k sizes -g 16,3 --options -cl-std=CL2.0 -p 0:i32 zero:i32:48
// skip: opencl PoCL has no partial groups
// formula: -k sizes_formula -D FORMULA
// run: -k sizes -g 13,4 --options -cl-std=CL2.0 -p 0:i32 zero:i32:52
// skip: opencl PoCL has no partial groups
// formula: -k sizes_formula -D FORMULA
// run: -k sizes -g 11,3 --options -cl-std=CL2.0 -p 0:i32 zero:i32:33
// skip: opencl PoCL has no partial groups
// formula: -k sizes_formula -D FORMULA
// run: -k sizes -g 5,1 --options -cl-std=CL2.0 -p 0:i32 zero:i32:5
// skip: opencl PoCL has no partial groups
// formula: -k sizes_formula -D FORMULA
kernel __attribute__((reqd_work_group_size(8, 2, 1))) void sums(global int *o) {
  local int t[16];
  int x = get_local_id(0), y = get_local_id(1), w = get_local_size(0), h = get_local_size(1), sum = 0;
  t[y * 8 + x] = 3 * get_global_id(0) + 7 * get_global_id(1);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < h; i++)
    for (int k = 0; k < w; k++)
      sum += t[i * 8 + k];
  o[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum * 100 + w * 10 + h;
}
kernel __attribute__((reqd_work_group_size(8, 2, 1))) void sizes(global int *o) {
  int x = get_local_id(0), y = get_local_id(1), w = get_local_size(0), h = get_local_size(1);
  o[get_global_id(1) * get_global_size(0) + get_global_id(0)] = y * 100000 + (w - 1 - x) * 10000 + w * 100 + h;
}

#ifdef FORMULA // Group by group, by the first work-item alone. The groups at the edges may be smaller than 8 by 2.
kernel void sums_formula(global int *o) {
  int width = get_global_size(0), height = get_global_size(1);
  if (get_global_id(0) || get_global_id(1))
    return;
  for (int at = 0; at < width * height; at++) {
    int left = at % width / 8 * 8, top = at / width / 2 * 2, sum = 0;
    int right = min(left + 8, width), bottom = min(top + 2, height);
    for (int y = top; y < bottom; y++)
      for (int x = left; x < right; x++)
        sum += 3 * x + 7 * y;
    o[at] = 100 * sum + 10 * (right - left) + bottom - top;
  }
}
kernel void sizes_formula(global int *o) {
  int width = get_global_size(0), height = get_global_size(1);
  if (get_global_id(0) || get_global_id(1))
    return;
  for (int at = 0; at < width * height; at++) {
    int x = at % width, y = at / width, right = min(x / 8 * 8 + 8, width);
    o[at] = y % 2 * 100000 + (right - 1 - x) * 10000 + (right - x / 8 * 8) * 100 + min(2, height - y / 2 * 2);
  }
}
#endif
