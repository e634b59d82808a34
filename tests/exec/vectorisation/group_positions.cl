// Kernels that ask where a work-item is in the launch by its group: they run like those that ask for global ids, but
// where groups are partial. Expectations by the same formulas in Python.
// run: -k position -g 96 -l 32 zero:i32:90 i32=90 -p 0:i32
// expect: 0: 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10
// run: -k position -g 100 -l 32 zero:i32:90 i32=90 -p 0:i32
// expect: 0: 1 2 3 4 5 6 7 8 9 10 1 2 6 8 10 12 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10
// run: -k position -g 96 -l 32 --offset 5 zero:i32:96 i32=96 -p 0:i32
// expect: 0: 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6
// run: -k position -g 96 -l 1 zero:i32:96 i32=96 -p 0:i32
// expect: 0: 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6
// run: -k strides -g 48 -l 16 zero:i32:100 i64=100 -p 0:i32
// expect: 0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100
// run: -k strides -g 24 -l 8 --offset 7 zero:i32:100 i64=100 -p 0:i32
// expect: 0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100
// run: -k strides -g 12 -l 12 zero:i32:50 i64=50 -p 0:i32
// expect: 0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50
// run: -k plane -g 24,6 -l 8,3 zero:i32:105 i32=21 i32=5 -p 0:i32
// expect: 0: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 220 300 301 302 303 304 305 306 307 308 309 310 311 312 313 314 315 316 317 318 319 320 400 401 402 403 404 405 406 407 408 409 410 411 412 413 414 415 416 417 418 419 420
// run: -k plane -g 20,4 -l 4,4 zero:i32:80 i32=20 i32=4 -p 0:i32
// expect: 0: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 300 301 302 303 304 305 306 307 308 309 310 311 312 313 314 315 316 317 318 319
// run: -k required -g 64 -l 16 zero:i32:64 -p 0:i32
// expect: 0: 0 0 0 1 1 1 2 2 2 3 3 3 4 4 4 5 5 5 6 6 6 7 7 7 8 8 8 9 9 9 10 10 10 11 11 11 12 12 12 13 13 13 14 14 14 15 15 15 16 16 16 17 17 17 18 18 18 19 19 19 20 20 20 21
// run: -k group -g 24 -l 8 zero:i32:24 -p 0:i32
// expect: 0: 0 1 2 3 4 5 6 7 1008 1009 1010 1011 1012 1013 1014 1015 2016 2017 2018 2019 2020 2021 2022 2023
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
// It also asks for the group itself.
kernel void group(global int *out) {
  int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  out[i] = i + 1000 * (int)get_group_id(0);
}
