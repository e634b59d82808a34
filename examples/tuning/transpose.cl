// Matrices of n rows and columns, transposed, in steps (docs/tuning.md):
//   kiln run transpose.cl -k tiled -g 2048,2048 --time --repeat 11 rand:f32:4194304 zero:f32:4194304 i32=2048

// Reads along rows and writes down columns.
kernel void scatter(global const float *in, global float *out, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  out[x * n + y] = in[y * n + x];
}

// Reads down columns and writes along rows.
kernel void gather(global const float *in, global float *out, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * n + x] = in[x * n + y];
}

// Through a tile in local memory, so that both go along rows.
#define TILE 16
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void tiled(global const float *in, global float *out,
                                                                       int n) {
  local float tile[TILE][TILE + 1];
  int x = get_local_id(0), y = get_local_id(1), left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
  tile[y][x] = in[(top + y) * n + left + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(left + y) * n + top + x] = tile[x][y];
}
