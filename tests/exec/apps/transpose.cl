// Transposition through padded local memory.
// run: -g 8,8 -l 4,4 -p 1:i32 iota:i32:64 zero:i32:64
// stats: cpu:x86-64-v3 lanes 16, strided 1, contiguous 2, non-temporal 1
// expect: 1: 0 8 16 24 32 40 48 56 1 9 17 25 33 41 49 57 2 10 18 26 34 42 50 58 3 11 19 27 35 43 51 59 4 12 20 28 36 44 52 60 5 13 21 29 37 45 53 61 6 14 22 30 38 46 54 62 7 15 23 31 39 47 55 63
kernel void transpose(global const int *a, global int *o) {
  local int t[4][5];
  int x = get_local_id(0), y = get_local_id(1), n = get_global_size(0);
  t[y][x] = a[get_global_id(1) * n + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  o[(get_group_id(0) * 4 + y) * n + get_group_id(1) * 4 + x] = t[x][y];
}
