// Kernels with barriers, which are compiled for rows that are whole warps, in groups with such rows and others: last
// groups that are smaller, more than one row, sizes that the source requires or hints at, steps that only some
// work-items take.
// run: -k turn -g 32 -l 16 -p 0:i32 zero:i32:32
// stats: cpu:x86-64-v3 lanes 8, checked 1, contiguous 3
// expect: 0: 100 201 302 403 504 605 706 807 908 1009 1100 1201 1302 1403 1504 5 1700 1801 1902 2003 2104 2205 2306 2407 2508 2609 2700 2801 2902 3003 3104 1605
// run: -k turn -g 48 -l 32 -p 0:i32 zero:i32:48
// skip: opencl PoCL has no partial groups
// expect: 0: 100 201 302 403 504 605 706 807 908 1009 1100 1201 1302 1403 1504 1605 1706 1807 1908 2009 2100 2201 2302 2403 2504 2605 2706 2807 2908 3009 3100 1 3300 3401 3502 3603 3704 3805 3906 4007 4108 4209 4300 4401 4502 4603 4704 3205
// run: -k turn -g 40 -l 16 -p 0:i32 zero:i32:40
// skip: opencl PoCL has no partial groups
// expect: 0: 100 201 302 403 504 605 706 807 908 1009 1100 1201 1302 1403 1504 5 1700 1801 1902 2003 2104 2205 2306 2407 2508 2609 2700 2801 2902 3003 3104 1605 3300 3401 3502 3603 3704 3805 3906 3207
// run: -k turn -g 24 -l 24 -p 0:i32 zero:i32:24
// expect: 0: 100 201 302 403 504 605 706 807 908 1009 1100 1201 1302 1403 1504 1605 1706 1807 1908 2009 2100 2201 2302 3
// run: -k turn -g 16 -l 20 -p 0:i32 zero:i32:16
// skip: opencl PoCL has no partial groups
// expect: 0: 100 201 302 403 504 605 706 807 908 1009 1100 1201 1302 1403 1504 5
// run: -k turn -g 8 -l 16 -p 0:i32 zero:i32:8
// skip: opencl PoCL has no partial groups
// expect: 0: 100 201 302 403 504 605 706 7
// run: -k turn -g 14 -l 7 -p 0:i32 zero:i32:14
// expect: 0: 100 201 302 403 504 605 6 800 901 1002 1103 1204 1305 706
// run: -k turn -g 32,2 -l 16,2 -p 0:i32 zero:i32:64
// expect: 0: 100 201 302 403 504 605 706 807 908 1009 1100 1201 1302 1403 1504 5 1700 1801 1902 2003 2104 2205 2306 2407 2508 2609 2700 2801 2902 3003 3104 1605 110 211 312 413 514 615 716 817 918 1019 1110 1211 1312 1413 1514 15 1710 1811 1912 2013 2114 2215 2316 2417 2518 2619 2710 2811 2912 3013 3114 1615
// run: -k turn -g 16,3 -l 8,2 -p 0:i32 zero:i32:48
// skip: opencl PoCL has no partial groups
// expect: 0: 100 201 302 403 504 605 706 7 900 1001 1102 1203 1304 1405 1506 807 110 211 312 413 514 615 716 17 910 1011 1112 1213 1314 1415 1516 817 120 221 322 423 524 625 726 27 920 1021 1122 1223 1324 1425 1526 827
// run: -k turn -g 6,4 -l 3,4 -p 0:i32 zero:i32:24
// expect: 0: 100 201 2 400 501 302 110 211 12 410 511 312 120 221 22 420 521 322 130 231 32 430 531 332
// run: -k open -g 17 -p 0:i32 zero:i32:17
// stats: cpu:x86-64-v3 lanes 16, permuted 3, contiguous 1
// expect: 0: 0 3 6 9 12 15 18 21 24 27 30 33 36 39 42 45 48
// run: -k open -g 64 -p 0:i32 zero:i32:64
// expect: 0: 0 3 6 9 12 15 18 21 24 27 30 33 36 39 42 45 48 51 54 57 60 63 66 69 72 75 78 81 84 87 90 93 96 99 102 105 108 111 114 117 120 123 126 129 132 135 138 141 144 147 150 153 156 159 162 165 168 171 174 177 180 183 186 189
// run: -k whole -g 32 -p 0:i32 zero:i32:32
// stats: cpu:x86-64-v3 lanes 16, checked 1, contiguous 3
// expect: 0: 100 201 302 403 504 605 706 807 908 1009 1100 1201 1302 1403 1504 5 1700 1801 1902 2003 2104 2205 2306 2407 2508 2609 2700 2801 2902 3003 3104 1605
// run: -k whole -g 40 -p 0:i32 zero:i32:40
// skip: opencl PoCL has no partial groups
// expect: 0: 100 201 302 403 504 605 706 807 908 1009 1100 1201 1302 1403 1504 5 1700 1801 1902 2003 2104 2205 2306 2407 2508 2609 2700 2801 2902 3003 3104 1605 3300 3401 3502 3603 3704 3805 3906 3207
// run: -k odd -g 24 -p 0:i32 zero:i32:24
// stats: cpu:x86-64-v3 lanes 8, checked 1, contiguous 3
// expect: 0: 100 201 302 403 504 605 706 807 908 1009 1100 1 1300 1401 1502 1603 1704 1805 1906 2007 2108 2209 2300 1201
// run: -k hint -g 10 -l 5 -p 0:i32 zero:i32:10
// stats: cpu:x86-64-v3 lanes 8, checked 1, contiguous 3
// expect: 0: 100 201 302 403 4 600 701 802 903 504
// run: -k hint -g 32 -l 16 -p 0:i32 zero:i32:32
// expect: 0: 100 201 302 403 504 605 706 807 908 1009 1100 1201 1302 1403 1504 5 1700 1801 1902 2003 2104 2205 2306 2407 2508 2609 2700 2801 2902 3003 3104 1605
// run: -k tree -g 32 -l 32 -p 0:i32 zero:i32:32
// stats: cpu:x86-64-v3 lanes 16, contiguous 6, uniform 1
// expect: 0: 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496
// run: -k tree -g 48 -l 32 -p 0:i32 zero:i32:48
// skip: opencl PoCL has no partial groups
// expect: 0: 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 496 632 632 632 632 632 632 632 632 632 632 632 632 632 632 632 632
// run: -k tree -g 40 -l 20 -p 0:i32 zero:i32:40
// expect: 0: 190 190 190 190 190 190 190 190 190 190 190 190 190 190 190 190 190 190 190 190 590 590 590 590 590 590 590 590 590 590 590 590 590 590 590 590 590 590 590 590
// run: -k prefix -g 32 -l 16 -p 0:i32 zero:i32:32
// stats: cpu:x86-64-v3 lanes 16, contiguous 7
// expect: 0: 0 1 3 6 10 15 21 28 36 45 55 66 78 91 105 120 16 33 51 70 90 111 133 156 180 205 231 258 286 315 345 376
// run: -k prefix -g 30 -l 15 -p 0:i32 zero:i32:30
// expect: 0: 0 1 3 6 10 15 21 28 36 45 55 66 78 91 105 15 31 48 66 85 105 126 148 171 195 220 246 273 301 330
#define TURN                                                                                                            \
  local int t[4][64];                                                                                                  \
  int x = get_local_id(0), y = get_local_id(1), size = get_local_size(0), own = x % 10;                                \
  t[y][x] = 100 * get_global_id(0) + 10 * get_global_id(1);                                                            \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  o[get_global_id(1) * get_global_size(0) + get_global_id(0)] += t[y][x + 1 == size ? 0 : x + 1] + own;
kernel void turn(global int *o) { TURN }
kernel __attribute__((reqd_work_group_size(16, 1, 1))) void whole(global int *o) { TURN }
kernel __attribute__((reqd_work_group_size(12, 1, 1))) void odd(global int *o) { TURN }
kernel __attribute__((work_group_size_hint(5, 1, 1))) void hint(global int *o) { TURN }

kernel void open(global int *o) {
  local int t[1024];
  int x = get_local_id(0), i = get_global_id(0);
  t[x] = 2 * i;
  barrier(CLK_LOCAL_MEM_FENCE);
  int other = get_local_size(0) - 1 - x, first = i - x;
  o[first + other] += t[other] + first + other;
}

kernel void tree(global int *o) {
  local int t[64];
  uint x = get_local_id(0), n = get_local_size(0);
  t[x] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 32; step > 0; step /= 2) {
    if (x < step && x + step < n)
      t[x] += t[x + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  o[get_global_id(0)] += t[0];
}

kernel void prefix(global int *o) {
  local int t[64];
  int x = get_local_id(0), n = get_local_size(0);
  t[x] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 1; step < n; step *= 2) {
    int before = x >= step ? t[x - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[x] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  o[get_global_id(0)] += t[x];
}
