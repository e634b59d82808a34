// 400 accesses with a stride that may be one: the kernel is doubled once for all of them, so that no access has a test.
// run: -g 40 -l 40 -k many -p 0:u32 zero:u32:40 iota:u32:14803 i32=1
// formula: -k formula
// stats: cpu:x86-64-v4 gathered 400, contiguous 402, unit-version 1
// run: -g 40 -l 40 -k many -p 0:u32 zero:u32:40 iota:u32:14842 i32=2
// formula: -k formula
#define TWO(k) s += x[i * stride + (k) * 37] + x[i * stride + (k) * 37 + 37];
#define TEN(k) TWO(k) TWO(k + 2) TWO(k + 4) TWO(k + 6) TWO(k + 8)
#define HUNDRED(k) TEN(k) TEN(k + 10) TEN(k + 20) TEN(k + 30) TEN(k + 40) TEN(k + 50) TEN(k + 60) TEN(k + 70) \
  TEN(k + 80) TEN(k + 90)
kernel void many(global uint *y, global const uint *x, int stride) {
  int i = get_global_id(0);
  uint s = 0;
  HUNDRED(0) HUNDRED(100) HUNDRED(200) HUNDRED(300)
  y[i] = s;
}

// The first work-item does it all, one work-item after another.
kernel void formula(global uint *out, global const uint *x, int stride) {
  for (int i = 0; i < 40 && get_global_id(0) == 0; i++)
    out[i] = 400 * i * stride + 37 * (399 * 400 / 2);
}
