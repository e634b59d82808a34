// Scalar replacement: elements that each iteration of a loop reads and writes become values, where the buffers of a launch
// do not overlap. Here are also buffers that do (same:), loops without iterations, and elements of one buffer that may be
// the same. Expected values: computed in Python.
// run: -k own -g 13 -p 0:u32:13 iota:u32:13 iota:u32:13 i32=1
// stats: cpu:x86-64-v3 lanes 8, gathered 6, transposed 1, remainder-loop 2
// expect: 0: 0 2 4 6 8 10 12 14 16 18 20 22 24
// run: -k own -g 13 -p 0:u32:13 iota:u32:13 same:0 i32=1
// expect: 0: 0 2 4 6 8 10 12 14 16 18 20 22 24
// run: -k own -g 13 -p 0:u32:13 iota:u32:26 iota:u32:26 i32=2
// expect: 0: 2 1 10 3 18 5 26 7 34 9 42 11 50
// run: -k own -g 13 -p 0:u32:13 iota:u32:26 same:0 i32=2
// expect: 0: 2 1 10 3 18 5 26 7 34 9 42 11 50
// run: -k own -g 13 -p 0:u32:13 iota:u32:65 iota:u32:65 i32=5
// expect: 0: 40 1 2 3 4 120 6 7 8 9 200 11 12
// run: -k own -g 13 -p 0:u32:13 iota:u32:65 same:0 i32=5
// expect: 0: 40 1 2 3 4 120 6 7 8 9 200 11 12
// run: -k own -g 13 -p 0:u32:13 iota:u32:104 iota:u32:104 i32=8
// expect: 0: 168 1 2 3 4 5 6 7 464 9 10 11 12
// run: -k own -g 13 -p 0:u32:13 iota:u32:104 same:0 i32=8
// expect: 0: 168 1 2 3 4 5 6 7 464 9 10 11 12
// run: -k own -g 13 -p 0:u32:13 iota:u32:143 iota:u32:143 i32=11
// expect: 0: 440 1 2 3 4 5 6 7 8 9 10 1177 12
// run: -k own -g 13 -p 0:u32:13 iota:u32:143 same:0 i32=11
// expect: 0: 440 1 2 3 4 5 6 7 8 9 10 1177 12
// run: -k own -g 13 -p 1:u32:4 null iota:u32:4 i32=0
// expect: 1: 0 1 2 3
// run: -k triangle -g 13 -p 0:u32:13 iota:u32:13 iota:u32:20 i32=9
// stats: cpu:x86-64-v3 lanes 32, gathered 1, contiguous 5, remainder-loop 1, uniform-loop 1
// expect: 0: 36 37 37 36 34 31 27 22 16 9 10 11 12
// run: -k neighbours -g 13 -p 0:u32:39 iota:u32:39 iota:u32:20 i32=7
// stats: cpu:x86-64-v3 lanes 32, strided 9, grouped 3, uniform 4, remainder-loop 1
// expect: 0: 21 2991 5 24 12831 5 27 22671 1 30 32511 9 33 42351 5 36 52191 21 39 62031 25 42 71871 17 45 81711 21 48 91551 21 51 101391 49 54 111231 41 57 121071 53
// run: -k two -g 1 -p 0:u32:4 list:u32:5,6,7,8 i32=0 i32=1 i32=6
// stats: cpu:x86-64-v3 lanes 64, uniform 8, remainder-loop 1
// expect: 0: 26 4374 7 8
// run: -k two -g 1 -p 0:u32:4 list:u32:5,6,7,8 i32=2 i32=2 i32=6
// expect: 0: 5 6 6732 8
// run: -k two -g 1 -p 0:u32:4 list:u32:5,6,7,8 i32=3 i32=0 i32=6
// expect: 0: 3645 6 7 29
// run: -k last -g 13 -p 0:u32:13 iota:u32:13 iota:u32:40 i32=9
// stats: cpu:x86-64-v3 lanes 64, contiguous 4, remainder-loop 1
// expect: 0: 24 27 30 33 36 39 42 45 48 51 54 57 60
// run: -k last -g 13 -p 0:u32:13 iota:u32:13 iota:u32:40 i32=0
// expect: 0: 0 1 2 3 4 5 6 7 8 9 10 11 12
// run: -k conditional -g 13 -p 0:u32:13 iota:u32:13 iota:u32:13 i32=10
// stats: cpu:x86-64-v3 lanes 32, contiguous 5
// expect: 0: 18 24 29 25 22 28 33 29 26 32 37 33 30
// run: -k conditional -g 13 -p 1:u32:13 iota:u32:13 iota:u32:13 i32=10
// expect: 1: 313 537 1561 985 2009 3033 857 1881 2905 3929 4953 5977 601
// run: -k leaves -g 13 -p 0:u32:13 iota:u32:13 i32=12
// stats: cpu:x86-64-v3 lanes 32, contiguous 2
// expect: 0: 0 2 7 17 34 60 97 147 212 294 395 517 518
// run: -k moves -g 13 -p 0:u32:13 iota:u32:13 iota:u32:60
// stats: cpu:x86-64-v3 lanes 32, contiguous 3
// expect: 0: 1831047 14038078 26245109 7690422 10131828 12573234 3002922 3491203 3979484 893547 991203 1088859 237297
// run: -k pointers -g 13 -p 0:u32:13 iota:u32:13 iota:u32:60 i32=40
// stats: cpu:x86-64-v3 lanes 32, gathered 1, contiguous 5, remainder-loop 1
// expect: 0: 2441396 14648427 26855458 39062489 10253896 12695302 15136708 17578114 4003896 4492177 4980458 5468739 1191396
// run: -k product -g 6,6 -p 0:u32:36 iota:u32:36 iota:u32:36 iota:u32:36 i32=6
// stats: cpu:x86-64-v3 lanes 32, contiguous 24, uniform 10, remainder-loop 2, register-blocked 3
// expect: 0: 330 346 362 378 394 410 876 928 980 1032 1084 1136 1422 1510 1598 1686 1774 1862 1968 2092 2216 2340 2464 2588 2514 2674 2834 2994 3154 3314 3060 3256 3452 3648 3844 4040
// run: -k product -g 1,1 -p 0:u32:36 iota:u32:36 same:0 iota:u32:36 i32=6
// expect: 0: 330 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35
// run: -k locals -g 16 -l 8 -p 0:u32:16 zero:u32:16 i32=8
// stats: cpu:x86-64-v3 lanes 16, contiguous 8, uniform 2, remainder-loop 1
// expect: 0: 4916 11477 18038 24599 31160 37721 44282 50843 4916 11477 18038 24599 31160 37721 44282 50843
// run: -k vectors -g 13 -p 0:u32:52 iota:u32:52 iota:u32:20 i32=5
// stats: cpu:x86-64-v3 lanes 8, contiguous 4, uniform 2, memory-order 4, remainder-loop 1
// expect: 0: 232 596 960 1324 1204 1568 1932 2296 2176 2540 2904 3268 3148 3512 3876 4240 4120 4484 4848 5212 5092 5456 5820 6184 6064 6428 6792 7156 7036 7400 7764 8128 8008 8372 8736 9100 8980 9344 9708 10072 9952 10316 10680 11044 10924 11288 11652 12016 11896 12260 12624 12988
// run: -k bytes -g 13 -p 0:u8:13 iota:u8:13 iota:u8:20 i32=9
// stats: cpu:x86-64-v3 lanes 64, contiguous 4, uniform 2, remainder-loop 1
// expect: 0: 52 23 250 221 192 163 134 105 76 47 18 245 216
// run: -k limits -g 13 -p 0:u32:13 zero:u32:13 list:u32:3,4,5,6,3,4,5,6,3,4,5,6,3
// stats: cpu:x86-64-v3 lanes 32, contiguous 7, remainder-loop 1
// expect: 0: 6 10 15 21 6 10 15 21 6 10 15 21 6
// run: -k limits -g 13 -p 0:u32:13 fill:u32:13:4 same:0
// expect: 0: 214 214 214 214 214 214 214 214 214 214 214 214 214

kernel void own(global uint *y, global const uint *x, int n) {
  int i = get_global_id(0);
  for (int j = 0; j < n; j++)
    y[i * n] += x[i * n + j] * (j + 1);
}

kernel void triangle(global uint *restrict y, global const uint *x, int n) {
  int i = get_global_id(0);
  for (int j = i; j < n; j++)
    y[i] += x[j];
}

kernel void neighbours(global uint *y, global const uint *x, int n) {
  int i = get_global_id(0);
  for (int j = 0; j < n; j++) {
    y[3 * i] += x[j];
    y[3 * i + 1] = y[3 * i + 1] * 3 + y[3 * i];
    y[3 * i + 2] ^= x[j] + i;
  }
}

kernel void two(global uint *y, int a, int b, int n) {
  for (int j = 0; j < n; j++) {
    y[a] += j + 1;
    y[b] *= 3;
  }
}

kernel void last(global uint *y, global const uint *x, int n) {
  int i = get_global_id(0);
  for (int j = 0; j < n; j++)
    y[i] = x[i + j] * 3;
}

kernel void conditional(global uint *y, global uint *w, int n) {
  int i = get_global_id(0);
  for (int j = 0; j < n; j++) {
    if ((i + j) & 2)
      y[i] += j;
    w[i] = w[i] * 2 + j;
    if (w[i] > 200)
      w[i] -= 100;
  }
}

kernel void leaves(global uint *y, int n) {
  int i = get_global_id(0);
  for (int j = 0; j < n; j++) {
    if (j > i)
      break;
    y[i] += j * j;
  }
}

kernel void moves(global uint *y, global const uint *x) {
  int i = get_global_id(0), p = i;
  do {
    y[i] = y[i] * 5 + x[p];
    p += 3;
  } while (p < 30);
}

kernel void pointers(global uint *y, global const uint *x, int n) {
  int i = get_global_id(0);
  for (global const uint *p = x + i; p < x + n; p += 4)
    y[i] = y[i] * 5 + *p;
}

kernel void product(global uint *c, global const uint *a, global const uint *b, int n) {
  int i = get_global_id(1), j = get_global_id(0);
  for (int k = 0; k < n; k++)
    c[i * n + j] += a[i * n + k] * b[k * n + j];
}

kernel void locals(global uint *y, int n) {
  local uint acc[8], t[8];
  uint l = get_local_id(0);
  acc[l] = l;
  t[l] = l + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = 0; j < n; j++)
    acc[l] = acc[l] * 3 + t[j];
  y[get_global_id(0)] = acc[l];
}

kernel void vectors(global uint4 *y, global const uint4 *x, int n) {
  int i = get_global_id(0);
  for (int j = 0; j < n; j++)
    y[i] = y[i] * 3 + x[j];
}

kernel void bytes(global uchar *y, global const uchar *x, int n) {
  int i = get_global_id(0);
  for (int j = 0; j < n; j++)
    y[i] = y[i] * 3 + x[j];
}

kernel void limits(global uint *y, global const uint *n) {
  int i = get_global_id(0);
  for (uint j = 0; j < n[i] && j < 20; j++)
    y[i] += j + 1;
}
