// Loops from an id to a bound in steps of the group or the grid: iterations of all lanes, then those of some; bounds that are
// no multiple of a vector, below its length, and at the ends of types.
// run: -k strides -g 32 -l 32 zero:i32:256 zero:i32:192 u32=64 i32=63 -p 0:i32 -p 1:i32
// stats: cpu:x86-64-v3 lanes 16, gathered 2, strided 9, permuted 1, contiguous 12, uniform-loop 12
// formula: -k strides_formula
// run: -k strides -g 64 -l 32 zero:i32:512 zero:i32:192 u32=61 i32=40 -p 0:i32 -p 1:i32
// formula: -k strides_formula
// run: -k strides -g 32 -l 16 zero:i32:256 zero:i32:192 u32=5 i32=3 -p 0:i32 -p 1:i32
// formula: -k strides_formula
// run: -k strides -g 80 -l 40 zero:i32:640 zero:i32:192 u32=48 i32=47 -p 0:i32 -p 1:i32
// formula: -k strides_formula
// run: -k strides -g 24 -l 12 zero:i32:192 zero:i32:192 u32=33 i32=20 -p 0:i32 -p 1:i32
// formula: -k strides_formula
// run: -k strides -g 64 -l 64 zero:i32:512 zero:i32:192 u32=64 i32=62 -p 0:i32 -p 1:i32
// formula: -k strides_formula
// run: -k strides -g 16 -l 16 zero:i32:128 zero:i32:192 u32=0 i32=-1 -p 0:i32 -p 1:i32
// formula: -k strides_formula
// run: -k rows -g 64 zero:i32:200 zero:i32:200 i32=200 i32=0 -p 0:i32 -p 1:i32
// stats: cpu:x86-64-v3 lanes 32, permuted 1, contiguous 2, uniform-loop 1
// formula: -k rows_formula
// run: -k rows -g 16 zero:i32:150 zero:i32:150 i32=150 i32=3 -p 0:i32 -p 1:i32
// formula: -k rows_formula
// run: -k rows -g 37 zero:i32:149 zero:i32:149 i32=149 i32=30 -p 0:i32 -p 1:i32
// formula: -k rows_formula
// run: -k rows -g 128 zero:i32:100 zero:i32:100 i32=100 i32=99 -p 0:i32 -p 1:i32
// formula: -k rows_formula
// run: -k rows -g 100 zero:i32:7 zero:i32:7 i32=7 i32=0 -p 0:i32 -p 1:i32
// formula: -k rows_formula
kernel void strides(global int *out, global int *grid, uint n, int m) {
  local int t[64], r[128];
  uint l = get_local_id(0), size = get_local_size(0), group = get_group_id(0);
  global int *o = out + 8 * get_global_id(0);
  for (uint i = l; i < 64; i += size)
    t[i] = 0;
  for (uint i = l; i <= 127; i += size)
    r[i] = -1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = l; i < n; i += size) // 64 at most
    t[i] = (int)(10 * i + group);
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (uint i = l; i < n; i += 16)
    sum += t[i];
  o[0] = sum;
  sum = 0;
  for (int i = (int)l; i <= m; i += 16)
    sum += t[i] * (i & 1 ? 2 : 3);
  o[1] = sum;
  sum = 0;
  for (int i = m - (int)l; i >= 0; i -= 16)
    sum += t[i] + 1;
  o[2] = sum;
  sum = 0;
  for (uint i = l - 5; i < n; i += 8) // the first lanes wrap
    sum += t[i] + 1;
  o[3] = sum;
  sum = 0;
  for (size_t i = 2 * l; i < n; i += 2 * size) {
    int x = t[i];
    if (x % 3 == 0)
      sum += x;
    else if (x > 100)
      sum -= t[63 - i];
  }
  o[4] = sum;
  sum = 0;
  for (ulong i = (ulong)l + 0x7ffffffffffffff0ul; i < 0x7ffffffffffffff0ul + n; i += 32)
    sum += t[i & 63] + 1;
  o[5] = sum;
  sum = 0;
  for (int i = (int)l + 0x7fffff00; i <= 0x7fffff00 + m; i += 16) {
    if (i % 5 == 0)
      continue;
    sum += t[i & 63] + 1;
  }
  o[6] = sum;
  for (uint i = l; i < 128; i += 64) // the lower bits backwards
    r[(i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3 | (i & 0x70)] = (int)i;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[7] = r[l] + 1000 * r[l + 64];
  for (int i = (int)get_global_id(0); i < (int)(3 * n); i += (int)get_global_size(0))
    grid[i] += 7 * i + 1;
}
kernel void rows(global int *out, global int *back, int n, int m) {
  int x = get_global_id(0);
  for (int i = x; i < n; i += get_global_size(0))
    out[i] = out[i] + i;
  for (int i = n - 1 - x; m <= i; i -= (int)get_global_size(0))
    back[i] = 2 * i + 1;
}

// What the group has in local memory each work-item computes for itself.
kernel void strides_formula(global int *out, global int *grid, uint n, int m) {
  int l = get_local_id(0), size = get_local_size(0), group = get_group_id(0), t[64], sums[7] = {0, 0, 0, 0, 0, 0, 0};
  global int *o = out + 8 * get_global_id(0);
  for (int i = 0; i < 64; i++)
    t[i] = i < n ? 10 * i + group : 0;
  for (int i = 0; i < 64; i++) {
    bool follows = i >= l && (i - l) % 16 == 0;
    sums[0] += i < n && follows ? t[i] : 0;
    sums[1] += i <= m && follows ? t[i] * (3 - i % 2) : 0;
    sums[2] += m - i >= l && (m - i - l) % 16 == 0 ? t[i] + 1 : 0;
    sums[3] += i < n && l >= 5 && i >= l - 5 && (i - l + 5) % 8 == 0 ? t[i] + 1 : 0;
    if (i < n && i >= 2 * l && (i - 2 * l) % (2 * size) == 0)
      sums[4] += t[i] % 3 == 0 ? t[i] : t[i] > 100 ? -t[63 - i] : 0;
  }
  for (long i = l; i < n + 0l; i += 32)
    sums[5] += t[(i + 48) % 64] + 1;
  for (long i = l; i <= m; i += 16)
    sums[6] += (i + 0x7fffff00l) % 5 ? t[i % 64] + 1 : 0;
  for (int k = 0; k < 7; k++)
    o[k] = sums[k];
  int from = l % 16 / 8 + l % 8 / 4 * 2 + l % 4 / 2 * 4 + l % 2 * 8 + l / 16 * 16; // the lower bits backwards
  o[7] = from < size ? from + 1000 * (from + 64) : -1001;
  for (int i = get_global_id(0); i < 3 * n; i += get_global_size(0))
    grid[i] = 7 * i + 1;
}
kernel void rows_formula(global int *out, global int *back, int n, int m) {
  for (int i = 0; i < n && !get_global_id(0); i++) {
    out[i] = i;
    back[i] = i >= m ? 2 * i + 1 : 0;
  }
}
