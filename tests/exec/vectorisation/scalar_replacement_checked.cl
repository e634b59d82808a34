// Scalar replacement of an element in a buffer of which the loop accesses other elements, too: a condition before the loop,
// for each warp, says whether the range of those contains the element. Here it does for some work-items, for all, and for
// none.
// run: -k meets -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=0 i32=0 i32=32
// stats: cpu:x86-64-v3 lanes 8, gathered 14, contiguous 1, remainder-loop 1
// formula: -k meets_formula -D FORMULA
// run: -k meets -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=20 i32=0 i32=9
// formula: -k meets_formula -D FORMULA
// run: -k meets -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k meets_formula -D FORMULA
// run: -k meets -D T=uint -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k meets_formula -D FORMULA
// run: -k meets -D T=long -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k meets_formula -D FORMULA
// run: -k meets -D T=ulong -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k meets_formula -D FORMULA
// run: -k meets -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=9 i32=9 i32=9
// formula: -k meets_formula -D FORMULA
// run: -k meets -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=12 i32=30 i32=31
// formula: -k meets_formula -D FORMULA
// run: -k includes -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=0 i32=0 i32=31
// stats: cpu:x86-64-v3 lanes 16, gathered 12, strided 2, contiguous 1, remainder-loop 1
// formula: -k includes_formula -D FORMULA
// run: -k includes -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=20 i32=0 i32=9
// formula: -k includes_formula -D FORMULA
// run: -k includes -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k includes_formula -D FORMULA
// run: -k includes -D T=uint -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k includes_formula -D FORMULA
// run: -k includes -D T=long -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k includes_formula -D FORMULA
// run: -k includes -D T=ulong -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k includes_formula -D FORMULA
// run: -k includes -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=9 i32=9 i32=9
// formula: -k includes_formula -D FORMULA
// run: -k includes -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=12 i32=30 i32=31
// formula: -k includes_formula -D FORMULA
// run: -k back -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=0 i32=0 i32=32
// stats: cpu:x86-64-v3 lanes 8, gathered 12, strided 2, contiguous 1, remainder-loop 1
// formula: -k back_formula -D FORMULA
// run: -k back -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=20 i32=0 i32=9
// formula: -k back_formula -D FORMULA
// run: -k back -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k back_formula -D FORMULA
// run: -k back -D T=uint -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k back_formula -D FORMULA
// run: -k back -D T=long -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k back_formula -D FORMULA
// run: -k back -D T=ulong -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k back_formula -D FORMULA
// run: -k back -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=9 i32=9 i32=9
// formula: -k back_formula -D FORMULA
// run: -k back -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=12 i32=30 i32=31
// formula: -k back_formula -D FORMULA
// run: -k writes -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=0 i32=0 i32=32
// stats: cpu:x86-64-v3 lanes 16, gathered 13, strided 2, contiguous 1, remainder-loop 1
// formula: -k writes_formula -D FORMULA
// run: -k writes -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=20 i32=0 i32=9
// formula: -k writes_formula -D FORMULA
// run: -k writes -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k writes_formula -D FORMULA
// run: -k writes -D T=uint -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k writes_formula -D FORMULA
// run: -k writes -D T=long -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k writes_formula -D FORMULA
// run: -k writes -D T=ulong -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k writes_formula -D FORMULA
// run: -k writes -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=9 i32=9 i32=9
// formula: -k writes_formula -D FORMULA
// run: -k writes -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=12 i32=30 i32=31
// formula: -k writes_formula -D FORMULA
// run: -k sometimes -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=0 i32=0 i32=32
// stats: cpu:x86-64-v3 lanes 32, gathered 11, contiguous 1
// formula: -k sometimes_formula -D FORMULA
// run: -k sometimes -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=20 i32=0 i32=9
// formula: -k sometimes_formula -D FORMULA
// run: -k sometimes -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k sometimes_formula -D FORMULA
// run: -k sometimes -D T=uint -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k sometimes_formula -D FORMULA
// run: -k sometimes -D T=long -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k sometimes_formula -D FORMULA
// run: -k sometimes -D T=ulong -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k sometimes_formula -D FORMULA
// run: -k sometimes -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=9 i32=9 i32=9
// formula: -k sometimes_formula -D FORMULA
// run: -k sometimes -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=12 i32=30 i32=31
// formula: -k sometimes_formula -D FORMULA
// run: -k pairs -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=0 i32=0 i32=32
// stats: cpu:x86-64-v3 lanes 8, gathered 16, strided 4, contiguous 1, remainder-loop 1
// formula: -k pairs_formula -D FORMULA
// run: -k pairs -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=20 i32=0 i32=9
// formula: -k pairs_formula -D FORMULA
// run: -k pairs -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k pairs_formula -D FORMULA
// run: -k pairs -D T=uint -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k pairs_formula -D FORMULA
// run: -k pairs -D T=long -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k pairs_formula -D FORMULA
// run: -k pairs -D T=ulong -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=4 i32=30
// formula: -k pairs_formula -D FORMULA
// run: -k pairs -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=9 i32=9 i32=9
// formula: -k pairs_formula -D FORMULA
// run: -k pairs -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=12 i32=30 i32=31
// formula: -k pairs_formula -D FORMULA
// run: -k strides -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=0 i32=0 i32=10
// stats: cpu:x86-64-v3 lanes 8, gathered 12, strided 2, contiguous 1, remainder-loop 1
// formula: -k strides_formula -D FORMULA
// run: -k strides -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=20 i32=0 i32=3
// formula: -k strides_formula -D FORMULA
// run: -k strides -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=3 i32=2 i32=10
// formula: -k strides_formula -D FORMULA
// run: -k triangular -g 21 -p 0:u32 zero:u32:21 iota:u32:679 i32=5
// stats: cpu:x86-64-v3 lanes 8, gathered 18, transposed 4, contiguous 1, remainder-loop 5
// formula: -k triangular_formula -D FORMULA
// run: -k decomposed -g 16 -l 16 -p 0:u32 zero:u32:16
// stats: cpu:x86-64-v3 lanes 8, gathered 8, strided 32, contiguous 7, uniform 5, remainder-loop 2
// formula: -k decomposed_formula -D FORMULA

#ifndef T
#define T int
#endif

uint digest(global const uint *r, uint n) {
  uint h = 0;
  for (uint k = 0; k < n; k++)
    h = h * 31 + r[k];
  return h;
}

// iota begins with 0: the elements are those from 7 on.
#define BEGIN                                                                                                          \
  T i = get_global_id(0);                                                                                              \
  global uint *r = y + 7 + i * 32;                                                                                     \
  a = (a + (int)i) % 32;
#define END o[i] = digest(r, 32);

kernel void meets(global uint *o, global uint *y, int a, int p, int q) {
  BEGIN
  for (T k = p + i % 3; k < (T)q; k++)
    r[a] += r[k] * 3 + (uint)k;
  END
}

kernel void includes(global uint *o, global uint *y, int a, int p, int q) {
  BEGIN
  for (T k = p; k <= (T)q; k++)
    r[a] = r[a] * 5 + r[k];
  END
}

kernel void back(global uint *o, global uint *y, int a, int p, int q) {
  BEGIN
  for (T k = p; k < (T)q; k++)
    r[a] = r[a] * 5 + r[31 - k];
  END
}

kernel void strides(global uint *o, global uint *y, int a, int p, int q) {
  BEGIN
  for (T k = p; k < (T)q; k++)
    r[a] ^= r[k * 3 + 1] + (uint)k;
  END
}

kernel void writes(global uint *o, global uint *y, int a, int p, int q) {
  BEGIN
  for (T k = p; k < (T)q; k++) {
    r[k] = r[a] + (uint)k;
    r[a] = r[a] * 3 + 1;
  }
  END
}

kernel void sometimes(global uint *o, global uint *y, int a, int p, int q) {
  BEGIN
  for (T k = p; k < (T)q; k++) {
    uint x = 1;
    if ((k + i) & 1)
      x = r[k];
    r[a] = r[a] * 3 + x;
  }
  END
}

kernel void pairs(global uint *o, global uint *y, int a, int p, int q) {
  BEGIN
  int b = (a * 5 + (int)i) % 32;
  for (T k = p; k < (T)q; k++) {
    r[a] += r[k];
    r[b] = r[b] * 3 + r[k];
  }
  END
}

kernel void triangular(global uint *o, global uint *y, int n) {
  int g = get_global_id(0);
  global uint *A = y + 7 + g * n * n;
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      A[j * n + j] -= A[j * n + k] * A[j * n + k];
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++)
        A[i * n + j] -= A[i * n + k] * A[j * n + k];
      A[i * n + j] *= A[j * n + j] | 1;
    }
  }
  o[g] = digest(A, n * n);
}

kernel void decomposed(global uint *o) {
  local uint t[16][16];
  int x = get_local_id(0);
  for (int c = 0; c < 16; c++)
    t[x][c] = (x * 17 + c) % 97 + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < 15; i++) {
    if (x > i) {
      for (int j = 0; j < i; j++)
        t[x][i] -= t[x][j] * t[j][i];
      t[x][i] *= t[i][i] | 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x > i)
      for (int j = 0; j < i + 1; j++)
        t[i + 1][x] -= t[i + 1][j] * t[j][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  uint h = 0;
  for (int c = 0; c < 16; c++)
    h = h * 31 + t[x][c];
  o[x] = h;
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
// On a copy of the row.
#define EACH_ROW                                                                                                       \
  for (int i = FIRST; i < END; i++) {                                                                                  \
    uint r[32], h = 0;                                                                                                 \
    int at = (a + i) % 32;                                                                                             \
    for (int k = 0; k < 32; k++)                                                                                       \
      r[k] = y[7 + i * 32 + k];
#define END_ROW                                                                                                        \
  for (int k = 0; k < 32; k++)                                                                                         \
    h = h * 31 + r[k];                                                                                                 \
  o[i] = h;                                                                                                            \
  }
kernel void meets_formula(global uint *o, global uint *y, int a, int p, int q) {
  ALONE
  EACH_ROW
    for (int k = p + i % 3; k < q; k++)
      r[at] = r[at] + r[k] * 3 + k;
  END_ROW
}
kernel void includes_formula(global uint *o, global uint *y, int a, int p, int q) {
  ALONE
  EACH_ROW
    for (int k = p; k <= q; k++)
      r[at] = r[at] * 5 + r[k];
  END_ROW
}
kernel void back_formula(global uint *o, global uint *y, int a, int p, int q) {
  ALONE
  EACH_ROW
    for (int k = 31 - p; k > 31 - q; k--)
      r[at] = r[at] * 5 + r[k];
  END_ROW
}
kernel void strides_formula(global uint *o, global uint *y, int a, int p, int q) {
  ALONE
  EACH_ROW
    for (int k = 3 * p + 1; k <= 3 * q - 2; k += 3)
      r[at] ^= r[k] + k / 3;
  END_ROW
}
kernel void writes_formula(global uint *o, global uint *y, int a, int p, int q) {
  ALONE
  EACH_ROW
    for (int k = p; k < q; k++) {
      r[k] = r[at] + k;
      r[at] = r[at] * 3 + 1;
    }
  END_ROW
}
kernel void sometimes_formula(global uint *o, global uint *y, int a, int p, int q) {
  ALONE
  EACH_ROW
    for (int k = p; k < q; k++)
      r[at] = r[at] * 3 + ((k + i) % 2 ? r[k] : 1);
  END_ROW
}
kernel void pairs_formula(global uint *o, global uint *y, int a, int p, int q) {
  ALONE
  EACH_ROW
    for (int k = p; k < q; k++) {
      r[at] += r[k];
      r[(at * 5 + i) % 32] = r[(at * 5 + i) % 32] * 3 + r[k];
    }
  END_ROW
}
// Column by column, with the sums of an element taken at once.
kernel void triangular_formula(global uint *o, global uint *y, int n) {
  ALONE
  for (int g = FIRST; g < END; g++) {
    uint A[32][32], h = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i][j] = y[7 + (g * n + i) * n + j];
    for (int j = 0; j < n; j++)
      for (int i = j; i < n; i++) {
        uint sum = 0;
        for (int k = 0; k < j; k++)
          sum += A[i][k] * A[j][k];
        A[i][j] = (A[i][j] - sum) * (i > j ? A[j][j] | 1 : 1);
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        h = h * 31 + A[i][j];
    o[g] = h;
  }
}
kernel void decomposed_formula(global uint *o) {
  ALONE
  uint t[16][16];
  for (int x = 0; x < 16; x++)
    for (int c = 0; c < 16; c++)
      t[x][c] = (x * 17 + c) % 97 + 1;
  for (int i = 0; i < 15; i++) {
    for (int x = i + 1; x < 16; x++) { // column i below the diagonal
      for (int j = 0; j < i; j++)
        t[x][i] -= t[x][j] * t[j][i];
      t[x][i] *= t[i][i] | 1;
    }
    for (int x = i + 1; x < 16; x++) // row i + 1 from the diagonal on
      for (int j = 0; j <= i; j++)
        t[i + 1][x] -= t[i + 1][j] * t[j][x];
  }
  for (int x = 0; x < 16; x++) {
    o[x] = 0;
    for (int c = 0; c < 16; c++)
      o[x] = o[x] * 31 + t[x][c];
  }
}
#endif
