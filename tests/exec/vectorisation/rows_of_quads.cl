// A work-item makes four elements of a row, and stores those that the row has. Quotients and remainders are tested before
// a warp runs, comparisons of positions in rows are not: in rows of 62 elements, 16 work-items, the last one lacks two,
// and no warp of 16 would pass. Stores have masks instead.
// run: -g 48 -p 0:u32 zero:u32:186 iota:u32:92 iota:u32:15 i32=62 i32=5
// stats: cpu:x86-64-v4 plan: lanes 32, gathered 4, contiguous 5, uniform 2
// stats: cpu:x86-64-v3 plan: lanes 8, gathered 4, contiguous 5, uniform 2
// formula: -k quads_formula -D FORMULA
// run: -g 40 -p 0:u32 zero:u32:192 iota:u32:78 iota:u32:9 i32=64 i32=3
// formula: -k quads_formula -D FORMULA
// run: -g 37 -p 0:u32 zero:u32:198 iota:u32:75 iota:u32:6 i32=66 i32=2
// formula: -k quads_formula -D FORMULA
// run: -g 70 -p 0:u32 zero:u32:390 iota:u32:153 iota:u32:12 i32=130 i32=4
// formula: -k quads_formula -D FORMULA
// run: -g 64 -p 0:u32 zero:u32:500 iota:u32:245 iota:u32:1 i32=250 i32=0
// formula: -k quads_formula -D FORMULA
// run: -g 19 -p 0:u32 zero:u32:50 iota:u32:22 iota:u32:30 i32=5 i32=3
// formula: -k quads_formula -D FORMULA
// run: -g 35 -p 0:u32 zero:u32:183 iota:u32:64 iota:u32:3 i32=61 i32=1
// formula: -k quads_formula -D FORMULA
kernel void quads(global int *out, global const int *in, global const int *weights, int width, int n) {
  int count = (width + 3) / 4, at = get_global_id(0), block = at / count, x = at % count * 4;
  int sum[4] = {0, 0, 0, 0};
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 4; i++)
      sum[i] += weights[block * n + k] * in[k * 7 + x + i];
  for (int i = 0; i < 4; i++)
    if (x + i < width)
      out[block * width + x + i] = sum[i];
}

#ifdef FORMULA // Element by element, by the first work-item alone; each work-item of the launch stands for four of them.
kernel void quads_formula(global int *out, global const int *in, global const int *weights, int width, int n) {
  if (get_global_id(0))
    return;
  int quads = (width + 3) / 4;
  for (int row = 0; row * quads < get_global_size(0); row++)
    for (int x = 0; x < width && row * quads + x / 4 < get_global_size(0); x++)
      for (int k = 0; k < n; k++)
        out[row * width + x] += in[7 * k + x] * weights[row * n + k];
}
#endif
