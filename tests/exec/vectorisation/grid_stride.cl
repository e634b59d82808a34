// Grid-stride loops, whose iterations all work-items of a row run together, and loops that look like them. The
// formulas run one work-item after another.
// run: -k tiles -g 40 zero:i32:160 i32=150 i32=20 i32=3 -p 0:i32
// stats: cpu:x86-64-v3 lanes 32, contiguous 2, grid-stride 1
// formula: -k tiles_formula -D FORMULA
// run: -k tiles -g 150 zero:i32:160 i32=150 i32=20 i32=3 -p 0:i32
// formula: -k tiles_formula -D FORMULA
// run: -k tiles -g 7 zero:i32:160 i32=100 i32=33 i32=2 -p 0:i32
// formula: -k tiles_formula -D FORMULA
// run: -k tiles -g 300 zero:i32:160 i32=150 i32=70 i32=1 -p 0:i32
// formula: -k tiles_formula -D FORMULA
// run: -k wraps -g 24 zero:i32:100 u32=4294967291 u32=96 -p 0:i32
// stats: cpu:x86-64-v3 lanes 8, contiguous 2, grid-stride 1
// formula: -k wraps_formula -D FORMULA
// run: -k wraps -g 24 zero:i32:100 u32=0 u32=90 -p 0:i32
// formula: -k wraps_formula -D FORMULA
// run: -k wraps -g 33 zero:i32:100 u32=4294967263 u32=50 -p 0:i32
// formula: -k wraps_formula -D FORMULA
// run: -k reaches -g 20 zero:i32:120 i32=-37 i32=70 -p 0:i32
// stats: cpu:x86-64-v3 lanes 8, contiguous 2, grid-stride 1
// formula: -k reaches_formula -D FORMULA
// run: -k reaches -g 64 zero:i32:120 i32=3 i32=66 -p 0:i32
// formula: -k reaches_formula -D FORMULA
// run: -k reaches -g 16 zero:i32:120 i32=5 i32=4 -p 0:i32
// formula: -k reaches_formula -D FORMULA
// run: -k by_row -g 16,3 zero:i32:192 i64=60 -p 0:i32
// stats: cpu:x86-64-v3 lanes 32, contiguous 2, grid-stride 1
// formula: -k by_row_formula -D FORMULA
// run: -k by_row -g 9,4 zero:i32:256 i64=64 -p 0:i32
// formula: -k by_row_formula -D FORMULA
// run: -k follows -g 16 zero:i32:100 u64=84 -p 0:i32
// stats: cpu:x86-64-v3 lanes 8, contiguous 2, grid-stride 1
// formula: -k follows_formula -D FORMULA
// run: -k follows -g 5 zero:i32:100 u64=90 -p 0:i32
// formula: -k follows_formula -D FORMULA
// run: -k leaves -g 16 zero:i32:80 i32=80 -p 0:i32
// stats: cpu:x86-64-v3 lanes 32, contiguous 2
// formula: -k leaves_formula -D FORMULA
// run: -k ends -g 20 zero:i32:90 i32=70 -p 0:i32
// stats: cpu:x86-64-v3 lanes 32, contiguous 3
// formula: -k ends_formula -D FORMULA
// run: -k keeps -g 18 zero:i32:80 i32=80 -p 0:i32
// stats: cpu:x86-64-v3 lanes 16, array 7, contiguous 1, uniform-loop 1
// formula: -k keeps_formula -D FORMULA
// run: -k anywhere -g 16 zero:i32:80 list:i32:0,1,4,9,18,26,37,12,27,7,29,14,35,22,15,8 i32=80 -p 0:i32
// stats: cpu:x86-64-v3 lanes 1
// formula: -k anywhere_formula -D FORMULA
// Some work-items go on to the next iteration early, others run a loop.
kernel void tiles(global int *out, int n, int width, int height) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    int x = i % width, row = i / width, y = row % height, plane = row / height;
    if (x == 3)
      continue;
    int sum = 0;
    for (int k = 0; k < x % 4; k++)
      sum += plane + k;
    out[(plane * height + y) * width + x] += 1 + y * 100 + sum;
  }
}
// The index wraps along the row: the first work-items have no iteration.
kernel void wraps(global int *out, uint start, uint n) {
  for (uint i = (uint)get_global_id(0) + start; i < n; i += (uint)get_global_size(0))
    out[i] += 1 + i;
}
kernel void reaches(global int *out, int start, int n) {
  for (int i = start + (int)get_global_id(0); i <= n; i += (int)get_global_size(0))
    out[i + 40] += 100 + i;
}
// The bound differs by row.
kernel void by_row(global int *out, long n) {
  long y = get_global_id(1), bound = n - y * 10;
  for (long i = get_global_id(0); i < bound; i += get_global_size(0))
    out[y * 64 + i] += 1 + i;
}
// What a work-item has written it reads in its next iteration.
kernel void follows(global int *out, ulong n) {
  ulong size = get_global_size(0);
  for (ulong i = get_global_id(0); i < n; i += size)
    out[i + size] = out[i] + 1;
}
// These loops are not taken apart: a work-item leaves early, keeps something, does something at the end,
// or begins anywhere.
kernel void leaves(global int *out, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    out[i] += 1;
    if (i % 7 == 6)
      break;
  }
}
kernel void keeps(global int *out, int n) {
  int kept[4] = {0, 0, 0, 0};
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    kept[i & 3] += i;
    out[i] = kept[(i + 1) & 3] + kept[i & 3];
  }
}
kernel void ends(global int *out, int n) {
  for (int i = get_global_id(0);; i += get_global_size(0)) {
    if (i >= n) {
      out[i] = -i;
      break;
    }
    out[i] += 1;
  }
}
kernel void anywhere(global int *out, global const int *start, int n) {
  for (int i = start[get_global_id(0)]; i < n; i += get_global_size(0))
    out[i] += 1;
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
#define EACH(type, i) for (type i = FIRST; i < END; i++)
kernel void tiles_formula(global int *out, int n, int width, int height) {
  ALONE
  for (int i = 0; i < n; i++) { // each once, whichever work-item has it
    int x = i % width, plane = i / width / height;
    if (x != 3)
      out[i] += 1 + i / width % height * 100 + x % 4 * plane + (x % 4 > 1) + 2 * (x % 4 > 2);
  }
}
kernel void wraps_formula(global int *out, uint start, uint n) {
  ALONE
  EACH(uint, id) {
    for (ulong i = id + (ulong)start >= 1ul << 32 ? id + start : id + (ulong)start; i < n; i += END)
      out[i] += 1 + i;
  }
}
kernel void reaches_formula(global int *out, int start, int n) {
  ALONE
  for (int i = start; i <= n; i++)
    out[i + 40] += 100 + i;
}
kernel void by_row_formula(global int *out, long n) {
  ALONE
  for (int y = 0; y < get_global_size(1); y++)
    for (int i = 0; i < n - y * 10; i++)
      out[y * 64 + i] += 1 + i;
}
kernel void follows_formula(global int *out, ulong n) {
  ALONE
  for (int i = 0; i < n; i++)
    out[i + END] = i / END + 1;
}
kernel void leaves_formula(global int *out, int n) {
  ALONE
  EACH(int, id) {
    bool leaves = false;
    for (int i = id; i < n && !leaves; i += END) {
      out[i]++;
      leaves = i % 7 == 6;
    }
  }
}
kernel void keeps_formula(global int *out, int n) {
  ALONE
  EACH(int, id) for (int i = id; i < n; i += END) {
    int sums[2] = {0, 0};
    for (int k = id; k <= i; k += END) {
      sums[0] += k % 4 == (i + 1) % 4 ? k : 0;
      sums[1] += k % 4 == i % 4 ? k : 0;
    }
    out[i] = sums[0] + sums[1];
  }
}
kernel void ends_formula(global int *out, int n) {
  ALONE
  for (int i = 0; i < n; i++)
    out[i] += 1;
  for (int i = n; i < n + END; i++)
    out[i] = -i;
}
kernel void anywhere_formula(global int *out, global const int *start, int n) {
  ALONE
  EACH(int, id) for (int i = start[id]; i < n; i += END)
    out[i] += 1;
}
#endif
