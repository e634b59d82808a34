// Conditions between barriers that a whole group or a whole row shares, alone and beside others, in groups of several
// rows; rows that are no multiple of a vector; work-items that have left. The
// formulas have no local memory.
// run: -g 32,4 -l 16,4 -k rows zero:i32:128 i32=1 i32=2 i32=9 -p 0:i32
// formula: -k rows_formula
// run: -g 32,4 -l 16,2 -k rows zero:i32:128 i32=0 i32=1 i32=16 -p 0:i32
// formula: -k rows_formula
// run: -g 18,6 -l 9,3 -k rows zero:i32:108 i32=2 i32=3 i32=1 -p 0:i32
// formula: -k rows_formula
// run: -g 16,4 -l 16,1 -k rows zero:i32:64 i32=0 i32=2 i32=20 -p 0:i32
// formula: -k rows_formula
// run: -g 8,8 -l 4,4 -k rows zero:i32:64 i32=3 i32=2 i32=-1 -p 0:i32
// formula: -k rows_formula
// run: -g 32,4 -l 16,4 -k left zero:i32:128 i32=1 i32=5 -p 0:i32
// skip: opencl OpenCL leaves a barrier that some work-items never reach undefined
// formula: -k left_formula
// run: -g 24,4 -l 12,2 -k left zero:i32:96 i32=2 i32=1 -p 0:i32
// skip: opencl OpenCL leaves a barrier that some work-items never reach undefined
// formula: -k left_formula
// run: -g 16,3 -l 16,1 -k left zero:i32:48 i32=2 i32=16 -p 0:i32
// skip: opencl OpenCL leaves a barrier that some work-items never reach undefined
// formula: -k left_formula
kernel void rows(global int *out, int r, int k, int m) {
  local int t[4][64];
  int x = get_local_id(0), y = get_local_id(1), g = get_group_id(1), h = get_group_id(0);
  t[y][x] = x + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (y == r && g == 0)
    t[y][x] += 100;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (y % k == 0)
    t[y][x] += 1000;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (y > r && x < m && h != 1)
    t[y][x] += 10000;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (y < r && (x & 1) && k > 1)
    t[y][x] += 100000;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_global_id(1) >= 3 && x >= m)
    t[y][x] += 1000000;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = t[y][x];
}

// The same after some work-items have left.
kernel void left(global int *out, int r, int m) {
  local int t[4][64];
  int x = get_local_id(0), y = get_local_id(1);
  t[y][x] = x + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_global_id(1) == 1 || x == 2)
    return;
  t[y][x] += 100;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (y >= r && get_group_id(0) == 0)
    t[y][x] += 1000;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x < m && 7 / (y + r) == 3)
    t[y][x] += 10000;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = t[y][x];
}
kernel void rows_formula(global int *out, int r, int k, int m) {
  int x = get_local_id(0), y = get_local_id(1), sum = x + 1;
  sum += y == r && get_group_id(1) == 0 ? 100 : 0;
  sum += y % k ? 0 : 1000;
  sum += y > r && x < m && get_group_id(0) != 1 ? 10000 : 0;
  sum += y < r && x % 2 && k > 1 ? 100000 : 0;
  sum += get_global_id(1) > 2 && x >= m ? 1000000 : 0;
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}
kernel void left_formula(global int *out, int r, int m) {
  int x = get_local_id(0), y = get_local_id(1), sum = x + 101;
  sum += y >= r && get_group_id(0) == 0 ? 1000 : 0;
  sum += x < m && y + r == 2 ? 10000 : 0;
  if (get_global_id(1) != 1 && x != 2)
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}
