// Heat in tiles whose border shrinks from step to step: a loop is left before a barrier.
// run: -g 24,16 -l 8,8 -p 2:f32:60 rand:f32:120:3:300:340 rand:f32:120:4:0:2 zero:f32:120 i32=13 i32=9 i32=2 f32=0.1,0.05,0.02,0.3
// stats: cpu:x86-64-v3 lanes 16, gathered 2, contiguous 16, group-guard 1
// tolerance: 1e-05
// expect: 2: 291.61478 313.60754 310.4076 290.13052 295.29913 310.85464 292.81323 320.4188 305.8444 320.47507 313.4328 313.99258 0 299.83847 314.0506 317.15646 298.92865 291.28976 294.25073 308.82834 318.01938 321.79498 312.31815 294.6874 310.66318 0 295.4327 292.23007 311.1952 319.73022 313.3929 313.83768 294.73352 320.68457 303.54276 295.69485 304.81863 312.49884 0 300.9625 293.42932 306.49408 313.54788 318.89 299.4181 308.63635 320.65958 288.32407 307.46613 293.5233 312.86578 0 307.1876 307.2684 303.15482 303.5977 293.38916 312.05975 309.29834 301.29922
#define BLOCK ((int)get_local_size(0))
#define MAXB 16
#define IN_RANGE(x, lo, hi) ((x) >= (lo) && (x) <= (hi))
kernel void hotspot(global const float *temp_in, global const float *power, global float *temp_out, int cols, int rows,
                    int iteration, float4 c) {
  local float on[MAXB][MAXB], pw[MAXB][MAXB], next[MAXB][MAXB];
  int bx = get_group_id(0), by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
  int small_r = BLOCK - iteration * 2, small_c = BLOCK - iteration * 2;
  int y0 = small_r * by - iteration, x0 = small_c * bx - iteration;
  int y1 = y0 + BLOCK - 1, x1 = x0 + BLOCK - 1;
  int y = y0 + ty, x = x0 + tx;
  int index = cols * y + x;
  if (IN_RANGE(y, 0, rows - 1) && IN_RANGE(x, 0, cols - 1)) {
    on[ty][tx] = temp_in[index];
    pw[ty][tx] = power[index];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int valid_y0 = (y0 < 0) ? -y0 : 0, valid_y1 = (y1 > rows - 1) ? BLOCK - 1 - (y1 - rows + 1) : BLOCK - 1;
  int valid_x0 = (x0 < 0) ? -x0 : 0, valid_x1 = (x1 > cols - 1) ? BLOCK - 1 - (x1 - cols + 1) : BLOCK - 1;
  int n = max(ty - 1, valid_y0), s = min(ty + 1, valid_y1), w = max(tx - 1, valid_x0), e = min(tx + 1, valid_x1);
  bool computed = false;
  for (int i = 0; i < iteration; i++) {
    computed = false;
    if (IN_RANGE(tx, i + 1, BLOCK - i - 2) && IN_RANGE(ty, i + 1, BLOCK - i - 2) && IN_RANGE(tx, valid_x0, valid_x1) &&
        IN_RANGE(ty, valid_y0, valid_y1)) {
      computed = true;
      next[ty][tx] =
          on[ty][tx] + c.x * (pw[ty][tx] + (on[s][tx] + on[n][tx] - 2.0f * on[ty][tx]) * c.y +
                              (on[ty][e] + on[ty][w] - 2.0f * on[ty][tx]) * c.z + (80.0f - on[ty][tx]) * c.w);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == iteration - 1)
      break;
    if (computed)
      on[ty][tx] = next[ty][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (computed)
    temp_out[index] = next[ty][tx];
}
