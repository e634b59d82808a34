// Rows of 16 work-items copy a tile to local memory, a row of the tile in each iteration. The loop begins at an id;
// numbers are signed and unsigned.
// run: -g 16,16 -l 16,16 -k plain -p 1:i32:256 iota:i32:1280 zero:i32:256 i32=20
// stats: cpu:x86-64-v4 lanes 16, strided 2, contiguous 3, uniform-loop 1
// formula: -k plain_formula -D FORMULA
// run: -g 16,16 -l 16,16 -k natural -p 1:i32:256 iota:i32:1280 zero:i32:256 i32=20
// stats: cpu:x86-64-v4 lanes 16, strided 2, contiguous 3, uniform-loop 1
// formula: -k natural_formula -D FORMULA
#define COPY(TYPE)                                                                                                     \
  local int tile[16][64];                                                                                              \
  TYPE x = get_local_id(0), y = get_local_id(1), id = y * 16 + x;                                                      \
  for (TYPE e = id; e < 1024; e += 256)                                                                                \
    tile[e % 16][e / 16] = in[e / 16 * n + e % 16];                                                                    \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  out[id] = tile[y][x] + tile[x][y + 48];
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void plain(global const int *in, global int *out, int n) {
  COPY(int)
}
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void natural(global const int *in, global int *out, int n) {
  COPY(uint)
}

#ifdef FORMULA // Without the tile, by the first work-item alone.
kernel void plain_formula(global const int *in, global int *out, int n) {
  if (get_global_id(0) || get_global_id(1))
    return;
  for (int y = 0; y < 16; y++)
    for (int x = 0; x < 16; x++)
      out[16 * y + x] = in[x * n + y] + in[(y + 48) * n + x];
}
kernel void natural_formula(global const int *in, global int *out, int n) { plain_formula(in, out, n); }
#endif
