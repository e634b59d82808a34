// Tiled matrix multiplication through local memory.
// run: -g 16,16 -l 8,8 -p 2:f32:16 iota:f32:256 iota:f32:256 zero:f32:256 i32=16
// stats: cpu:x86-64-v3 lanes 16, contiguous 28, uniform 32, register-blocked 1
// expect: 2: 19840 19960 20080 20200 20320 20440 20560 20680 20800 20920 21040 21160 21280 21400 21520 21640
#define T 8
kernel void sgemm(global const float *a, global const float *b, global float *c, int n) {
  local float as[T][T], bs[T][T];
  int x = get_local_id(0), y = get_local_id(1), row = get_global_id(1), col = get_global_id(0);
  float sum = 0;
  for (int t = 0; t < n; t += T) {
    as[y][x] = a[row * n + t + x];
    bs[y][x] = b[(t + y) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < T; k++)
      sum += as[y][k] * bs[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + col] = sum;
}
