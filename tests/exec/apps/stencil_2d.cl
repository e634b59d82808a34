// Five-point stencil with borders kept.
// run: -g 6,5 -p 1:f32 iota:f32:30 zero:f32:30
// stats: cpu:x86-64-v3 lanes 32, contiguous 8
// expect: 1: 0 1 2 3 4 5 6 3.5 4 4.5 5 11 12 6.5 7 7.5 8 17 18 9.5 10 10.5 11 23 24 25 26 27 28 29
kernel void stencil(global const float *a, global float *o) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1), i = y * w + x;
  if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
    o[i] = a[i];
    return;
  }
  o[i] = 0.25f * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w]) - a[i] * 0.5f;
}
