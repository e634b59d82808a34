// Register blocking: several rows of work-items run together, where loops load the same for all of them. Rows that are
// no multiple of those, early tests that some rows pass, loops that rows leave at different times, barriers, groups
// whose columns are no multiple.
// run: -k product -g 9,9 -p 2:u32:81 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2 zero:u32:81 i32=9
// stats: cpu:x86-64-v3 lanes 32, contiguous 7, uniform 5, register-blocked 3
// formula: -k product_formula -D FORMULA
// run: -k product -g 5,5 -l 5,5 -p 2:u32:25 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6 zero:u32:25 i32=5
// formula: -k product_formula -D FORMULA
// run: -k product -g 8,8 -l 4,2 -p 2:u32:64 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4 zero:u32:64 i32=8
// formula: -k product_formula -D FORMULA
// run: -k product -g 6,6 -l 6,4 -p 2:u32:36 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6 zero:u32:36 i32=6
// skip: opencl PoCL has no partial groups
// formula: -k product_formula -D FORMULA
// run: -k guarded -g 8,8 -p 2:u32:32 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6 zero:u32:32 i32=5 i32=6
// stats: cpu:x86-64-v3 lanes 32, contiguous 7, uniform 5, register-blocked 3
// formula: -k guarded_formula -D FORMULA
// run: -k guarded -g 16,8 -l 16,8 -p 2:u32:30 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9 zero:u32:30 i32=7 i32=4
// formula: -k guarded_formula -D FORMULA
// run: -k guarded -g 7,9 -p 2:u32:17 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6 zero:u32:17 i32=3 i32=5
// formula: -k guarded_formula -D FORMULA
// run: -k guarded -g 4,4 -p 2:u32:2 list:u32:1,6,11 list:u32:3,10,6,2,9,5,1,8,4 zero:u32:2 i32=0 i32=3
// formula: -k guarded_formula -D FORMULA
// run: -k twice -g 8,12 -p 2:u32:35 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6 zero:u32:35 i32=7 i32=5
// stats: cpu:x86-64-v3 lanes 8, contiguous 7, uniform 5, register-blocked 3
// formula: -k twice_formula -D FORMULA
// run: -k twice -g 3,8 -p 2:u32:24 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12 list:u32:3,10,6,2,9,5,1,8,4 zero:u32:24 i32=8 i32=3
// formula: -k twice_formula -D FORMULA
// run: -k twice -g 16,10 -p 2:u32:54 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6 zero:u32:54 i32=9 i32=6
// formula: -k twice_formula -D FORMULA
// run: -k triangle -g 5,5 -p 2:u32:25 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6 zero:u32:25 i32=5
// formula: -k triangle_formula -D FORMULA
// run: -k triangle -g 8,8 -p 2:u32:64 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4 zero:u32:64 i32=8
// formula: -k triangle_formula -D FORMULA
// run: -k updates -g 4,4 -p 2:u32:16 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9 zero:u32:16 i32=4
// formula: -k updates_formula -D FORMULA
// run: -k updates -g 7,7 -p 2:u32:49 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9 zero:u32:49 i32=7
// formula: -k updates_formula -D FORMULA
// run: -k product -g 5,5 -p 2:u32:25 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4 same:0 zero:u32:25 i32=5
// formula: -k product_formula -D FORMULA
// run: -k tiled -g 8,8 -l 8,8 -p 2:u32:64 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4 zero:u32:64 i32=8
// stats: cpu:x86-64-v3 lanes 8, contiguous 36, uniform 32, register-blocked 1
// formula: -k tiled_formula -D FORMULA
// run: -k tiled -g 8,8 -l 8,8 -p 2:u32:25 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6 zero:u32:25 i32=5
// formula: -k tiled_formula -D FORMULA
// run: -k tiled -g 16,16 -l 8,8 -p 2:u32:121 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7 zero:u32:121 i32=11
// formula: -k tiled_formula -D FORMULA
// run: -k rounds -g 8,8 -l 8,8 -p 2:u32:64 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4 zero:u32:64 i32=3
// stats: cpu:x86-64-v3 lanes 8, contiguous 18, uniform 4, register-blocked 2
// formula: -k rounds_formula -D FORMULA
// run: -k rounds -g 16,4 -l 16,4 -p 2:u32:64 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4 zero:u32:64 i32=3
// formula: -k rounds_formula -D FORMULA
// run: -k rounds -g 8,6 -l 8,6 -p 2:u32:48 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5,10,2 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4,0,7,3,10,6,2 zero:u32:48 i32=3
// formula: -k rounds_formula -D FORMULA
// run: -k rounds -g 5,3 -l 5,3 -p 2:u32:15 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2 zero:u32:15 i32=3
// formula: -k rounds_formula -D FORMULA
// run: -k rounds -g 20,1 -l 20,1 -p 2:u32:20 list:u32:1,6,11,3,8,0,5,10,2,7,12,4,9,1,6,11,3,8,0,5 list:u32:3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9,5,1,8,4 zero:u32:20 i32=3
// formula: -k rounds_formula -D FORMULA
kernel void product(global const uint *a, global const uint *b, global uint *c, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  uint sum = 0;
  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

// Rows beyond the matrix, and lanes.
kernel void guarded(global const uint *a, global const uint *b, global uint *c, int rows, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= n || y >= rows) return;
  uint sum = 1;
  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

// Early tests, one inside of the other; the second one is passed by rows that the first one stops.
kernel void twice(global const uint *a, global const uint *b, global uint *c, int rows, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (y % 5 == 3) return;
  if (y < rows) {
    if (x >= n) return;
    uint sum = 0;
    for (int k = 0; k < n; k++) sum = sum * 3 + a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
  }
}

// A loop that rows leave at different times, beside one that they run together.
kernel void triangle(global const uint *a, global const uint *b, global uint *c, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  uint sum = 0, most = 0;
  for (int k = 0; k < n; k++) {
    sum += a[y * n + k] * b[k * n + x];
    if (k > y) sum ^= b[k * n + x];
  }
  for (int k = 0; k <= y; k++) most = max(most, b[k * n + x]);
  c[y * n + x] = sum + most;
}

// Each row stores in each iteration, and rows read what is theirs.
kernel void updates(global const uint *a, global const uint *b, global uint *c, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  for (int k = 0; k < n; k++) {
    uint v = b[k * n + x];
    c[y * n + x] += a[y * n + k] * v;
    if (v % 7 == 3) continue;
    c[y * n + x] ^= v;
  }
}

#define TILE 8
kernel void tiled(global const uint *a, global const uint *b, global uint *c, int n) {
  local uint as[TILE][TILE], bs[TILE][TILE];
  int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  uint sum = 0;
  for (int t = 0; t < n; t += TILE) {
    as[ly][lx] = y < n && t + lx < n ? a[y * n + t + lx] : 0;
    bs[ly][lx] = x < n && t + ly < n ? b[(t + ly) * n + x] : 0;
    if (ly == 1) bs[1][lx] += 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; k++) sum += as[ly][k] * bs[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (x < n && y < n) c[y * n + x] = sum;
}

// Values of each row live across barriers.
kernel void rounds(global const uint *a, global const uint *b, global uint *c, int n) {
  local uint t[64];
  int x = get_local_id(0), y = get_local_id(1), w = get_local_size(0), h = get_local_size(1);
  uint mine = a[y * w + x], sum = mine * 3;
  t[y * w + x] = mine;
  for (int round = 0; round < n; round++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < h; k++) sum += t[y * w] * b[k * w + x] + t[k * w + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[y * w + x] = sum + round;
  }
  c[y * w + x] = sum ^ mine;
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
#define ROWS ((int)get_global_size(1))
kernel void product_formula(global const uint *a, global const uint *b, global uint *c, int n) {
  ALONE
  for (int y = 0; y < ROWS; y++)
    for (int x = 0; x < END; x++) {
      uint sum = 0;
      for (int k = n; k-- > 0;)
        sum += b[k * n + x] * a[y * n + k];
      c[y * n + x] = sum;
    }
}
kernel void guarded_formula(global const uint *a, global const uint *b, global uint *c, int rows, int n) {
  ALONE
  for (int at = 0; at < rows * n; at++) {
    uint sum = 1;
    for (int k = 0; k < n; k++)
      sum += a[at / n * n + k] * b[k * n + at % n];
    if (at % n < END && at / n < ROWS)
      c[at] = sum;
  }
}
kernel void twice_formula(global const uint *a, global const uint *b, global uint *c, int rows, int n) {
  ALONE
  for (int at = 0; at < rows * n; at++) {
    uint sum = 0;
    for (int k = 0; k < n; k++)
      sum = sum * 3 + a[at / n * n + k] * b[k * n + at % n];
    if (at / n % 5 != 3 && at % n < END && at / n < ROWS)
      c[at] = sum;
  }
}
kernel void triangle_formula(global const uint *a, global const uint *b, global uint *c, int n) {
  ALONE
  for (int y = 0; y < ROWS; y++)
    for (int x = 0; x < END; x++) {
      uint sum = 0, most = 0;
      for (int k = 0; k < n; k++) {
        uint of_b = b[k * n + x], next = sum + a[y * n + k] * of_b;
        sum = k > y ? next ^ of_b : next;
        most = k <= y && of_b > most ? of_b : most;
      }
      c[y * n + x] = sum + most;
    }
}
kernel void updates_formula(global const uint *a, global const uint *b, global uint *c, int n) {
  ALONE
  for (int y = 0; y < ROWS; y++)
    for (int x = 0; x < END; x++) {
      uint value = c[y * n + x];
      for (int k = 0; k < n; k++) {
        value += a[y * n + k] * b[k * n + x];
        value = b[k * n + x] % 7 == 3 ? value : value ^ b[k * n + x];
      }
      c[y * n + x] = value;
    }
}
kernel void tiled_formula(global const uint *a, global const uint *b, global uint *c, int n) {
  ALONE
  for (int at = 0; at < n * n; at++) {
    uint sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[at / n * n + k] * b[k * n + at % n];
    c[at] = sum;
  }
}
// Round by round, all work-items of the group.
kernel void rounds_formula(global const uint *a, global const uint *b, global uint *c, int n) {
  ALONE
  int w = get_local_size(0), h = get_local_size(1);
  uint t[64], sums[64];
  for (int i = 0; i < w * h; i++) {
    t[i] = a[i];
    sums[i] = a[i] * 3;
  }
  for (int round = 0; round < n; round++) {
    for (int i = 0; i < w * h; i++)
      for (int k = 0; k < h; k++)
        sums[i] += t[i / w * w] * b[k * w + i % w] + t[k * w + i % w];
    for (int i = 0; i < w * h; i++)
      t[i] = sums[i] + round;
  }
  for (int i = 0; i < w * h; i++)
    c[i] = sums[i] ^ a[i];
}
#endif
