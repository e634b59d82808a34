// Through a tile in local memory, so that reads and writes are both along rows.
#define T 16
kernel void transpose(global const float *in, global float *out, int n) {
  local float t[T][T + 1];
  int x = get_local_id(0), y = get_local_id(1), gx = get_group_id(0) * T, gy = get_group_id(1) * T;
  t[y][x] = in[(gy + y) * n + gx + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(gx + y) * n + gy + x] = t[x][y];
}
