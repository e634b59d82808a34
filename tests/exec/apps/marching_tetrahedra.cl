// Surfaces of a field by tables of cases.
// run: -g 3,2,2 -l 3,1,2 -p 1:f32:40 -p 2:u32 rand:f32:36:1:-1:1 zero:f32:864 zero:u32:12
// tolerance: 0.0001
// expect: 1: 0 0.5442623 0 0.17492186 1 0 0.15019514 1 0.15019514 0 0.5442623 0 0.15019514 1 0.15019514 0 1 0.27719358 0 0 0.5963034 0 0.2366747 1 0.12502915 0.12502915 1 0 0 0.5963034 0.12502915 0.12502915 1 0.59969974 0 1 0 0 0 0
// expect: 2: 12 6 18 24 30 24 24 12 24 24 24 18
constant char tets[6][4] = {{0, 5, 1, 6}, {0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}};
constant char corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
constant char cases[16][7] = {{-1},
                              {0x01, 0x02, 0x03, -1},
                              {0x10, 0x13, 0x12, -1},
                              {0x03, 0x02, 0x12, 0x03, 0x12, 0x13, -1},
                              {0x20, 0x21, 0x23, -1},
                              {0x03, 0x01, 0x21, 0x03, 0x21, 0x23, -1},
                              {0x10, 0x13, 0x23, 0x10, 0x23, 0x20, -1},
                              {0x30, 0x31, 0x32, -1},
                              {0x30, 0x32, 0x31, -1},
                              {0x10, 0x20, 0x23, 0x10, 0x23, 0x13, -1},
                              {0x01, 0x03, 0x23, 0x01, 0x23, 0x21, -1},
                              {0x20, 0x23, 0x21, -1},
                              {0x03, 0x13, 0x12, 0x03, 0x12, 0x02, -1},
                              {0x10, 0x12, 0x13, -1},
                              {0x01, 0x03, 0x02, -1},
                              {-1}};
kernel void cubes(global const float *field, global float *out, global uint *counts) {
  size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), nx = get_global_size(0) + 1,
         ny = get_global_size(1) + 1;
  size_t cell = (z * get_global_size(1) + y) * get_global_size(0) + x;
  float v[8];
  for (int i = 0; i < 8; i++)
    v[i] = field[((z + corner[i][2]) * ny + y + corner[i][1]) * nx + x + corner[i][0]];
  uint n = 0;
  for (int t = 0; t < 6; t++) {
    int code = 0;
    for (int i = 0; i < 4; i++)
      code |= (v[tets[t][i]] < 0) << i;
    constant char *c = cases[code];
    for (; *c >= 0; c++) {
      int a = tets[t][*c >> 4], b = tets[t][*c & 15];
      float s = v[a] / (v[a] - v[b] + 1e-9f);
      float3 pa = (float3)(corner[a][0], corner[a][1], corner[a][2]),
             pb = convert_float3((char3)(corner[b][0], corner[b][1], corner[b][2]));
      if (n < 24)
        vstore3(mix(pa, pb, s) + (float3)(x, y, z), n, out + cell * 72);
      n++;
    }
  }
  counts[cell] = n;
}
