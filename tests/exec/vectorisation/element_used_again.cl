// An element that is loaded again and again stays known, however many others are loaded and stored in between.
// run: -g 9 -k add -p 0:i32:30 iota:i32:480
// stats: cpu:x86-64-v3 lanes 16, contiguous 95
// expect: 0: 0 1 2 3 4 5 6 7 8 9 10 12 14 16 18 20 22 24 26 19 20 22 24 26 28 30 32 34 36 29
#define ADD(k) a[(k) * 10 + i] += a[i];
#define ADD8(k) ADD(k) ADD(k + 1) ADD(k + 2) ADD(k + 3) ADD(k + 4) ADD(k + 5) ADD(k + 6) ADD(k + 7)
kernel void add(global int *a) {
  size_t i = get_global_id(0);
  ADD8(1) ADD8(9) ADD8(17) ADD8(25) ADD8(33) ADD(41) ADD(42) ADD(43) ADD(44) ADD(45) ADD(46) ADD(47)
}
