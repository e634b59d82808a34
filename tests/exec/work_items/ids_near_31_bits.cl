// Rows of memory by ids that fit 31 bits, that cross 2^31 in a warp, and that are beyond: kernels are compiled for
// smaller ones, and again for launches that have larger ones. With barriers, and groups of several rows.
// run: -k rows -g 40 --offset 2147483608 -p 1:i32 iota:i32:40 zero:i32:40 i64=2147483608
// expect: 1: 0 3 6 9 12 15 18 21 24 27 30 33 36 39 42 45 48 51 54 57 60 63 66 69 72 75 78 81 84 87 90 93 96 99 102 105 108 111 114 117
// run: -k rows -g 40 --offset 2147483629 -p 1:i32 iota:i32:40 zero:i32:40 i64=2147483629
// expect: 1: 0 3 6 9 12 15 18 21 24 27 30 33 36 39 42 45 48 51 54 57 60 63 66 69 72 75 78 81 84 87 90 93 96 99 102 105 108 111 114 117
// run: -k rows -g 40 --offset 4294967270 -p 1:i32 iota:i32:40 zero:i32:40 i64=4294967270
// expect: 1: 0 3 6 9 12 15 18 21 24 27 30 33 36 39 42 45 48 51 54 57 60 63 66 69 72 75 78 81 84 87 90 93 96 99 102 105 108 111 114 117
// run: -k signs -g 20 --offset 2147483640 -p 0:i32 zero:i32:20 i64=2147483640
// expect: 0: 1 1 1 1 1 1 1 1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
// run: -k tiles -g 16,2 -l 16,2 --offset 2147483640 -p 1:i32 iota:i32:64 zero:i32:32 i64=2147483640 i32=16
// expect: 1: 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16
// run: -k tiles -g 16,2 -l 16,2 --offset 64 -p 1:i32 iota:i32:64 zero:i32:32 i64=64 i32=16
// expect: 1: 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16
kernel void rows(global const int *a, global int *o, long first) {
  int i = get_global_id(0);
  long place = i - first & 0xffffffffL;
  o[place] = 3 * a[place];
}

kernel void signs(global int *o, long first) {
  int i = get_global_id(0);
  long wide = i;
  o[get_global_id(0) - first] = 1 + 2 * (int)(wide >> 32);
}

kernel void tiles(global const int *a, global int *o, long first, int width) {
  local int t[2][16];
  int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0);
  t[y][x] = a[(column - first & 0xffffffffL) + y * width];
  barrier(CLK_LOCAL_MEM_FENCE);
  o[y * width + x] = t[y][15 - x];
}
