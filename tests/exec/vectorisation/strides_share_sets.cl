// Work-items that each walk along memory of their own, in several arrays. Where the stride puts the lines of all lanes
// into a few sets of the cache, which the launch tells, fewer of them run at a time. The bits are the same.
// run: -g 5 -k sweep -p 1:f32 -p 2:f32 fill:f32:60:2 iota:f32:60 iota:f32:60 i32=12
// formula: -k sweep_formula -D FORMULA
// run: -g 3,2 -k sweep2 -p 1:i32 iota:i32:4096 zero:i32:4096 i32=512 i32=3
// formula: -k sweep2_formula -D FORMULA
// run: -g 3,2 -k sweep2 -p 1:i32 iota:i32:4096 zero:i32:4096 i32=511 i32=3
// formula: -k sweep2_formula -D FORMULA
// run: -g 5 -k products -p 2:i32 iota:i32:4096 iota:i32:4096 zero:i32:5 i32=512 i32=37
// formula: -k products_formula -D FORMULA
// run: -g 35 -k products -p 2:i32 iota:i32:20000 iota:i32:20000 zero:i32:35 i32=512 i32=38
// formula: -k products_formula -D FORMULA
// run: -g 35 -k products -p 2:i32 iota:i32:20000 iota:i32:20000 zero:i32:35 i32=511 i32=38
// formula: -k products_formula -D FORMULA
// run: -g 7 -k recursions -p 3:f32 iota:f32:8192 iota:f32:8192 iota:f32:8192 zero:f32:7 i32=512 i32=9
// tolerance: 1e-4
// stats: cpu:x86-64-v3 lanes 8, gathered
// formula: -k recursions_formula -D FORMULA
// run: -g 12 -k recursions -p 3:f32 iota:f32:8192 iota:f32:8192 iota:f32:8192 zero:f32:12 i32=512 i32=70
// tolerance: 1e-4
// formula: -k recursions_formula -D FORMULA
// run: -g 12 -k recursions -p 3:f32 iota:f32:8192 iota:f32:8192 iota:f32:8192 zero:f32:12 i32=513 i32=70
// tolerance: 1e-4
// formula: -k recursions_formula -D FORMULA
// run: -g 3 -k recursions -p 3:f32 iota:f32:8192 iota:f32:8192 iota:f32:8192 zero:f32:3 i32=1024 i32=33
// tolerance: 1e-4
// formula: -k recursions_formula -D FORMULA
kernel void sweep(global const float *a, global float *b, global float *x, int n) {
  int i = get_global_id(0);
  for (int j = 1; j < n; j++) {
    x[i * n + j] = x[i * n + j] - x[i * n + j - 1] * a[i * n + j] / (b[i * n + j - 1] + 3);
    b[i * n + j] = b[i * n + j] - a[i * n + j] / (b[i * n + j - 1] + 5);
  }
}
kernel void sweep2(global const int *a, global int *b, int n, int m) {
  int i = get_global_id(0), k = get_global_id(1);
  for (int j = 1; j < m; j++)
    b[i * n + k * 8 + j] = b[i * n + k * 8 + j - 1] + a[i * n + j] / (1 + k);
}
kernel void products(global const int *a, global const int *b, global int *o, int n, int m) {
  int i = get_global_id(0), s = 0;
  for (int k = 0; k < m; k++)
    s += a[i * n + k] * (b[i * n + k] + k);
  o[i] = s;
}
kernel void recursions(global float *x, global const float *a, global float *b, global float *o, int n, int m) {
  int i = get_global_id(0);
  for (int j = 1; j < m; j++) {
    x[i * n + j] = x[i * n + j] - x[i * n + j - 1] * a[i * n + j] / (b[i * n + j - 1] * 2 + 3);
    b[i * n + j] = b[i * n + j] - a[i * n + j] / (b[i * n + j - 1] + 5);
  }
  o[i] = x[i * n + m - 1] + b[i * n + m - 1];
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
kernel void sweep_formula(global const float *a, global float *b, global float *x, int n) {
  ALONE
  for (int i = FIRST; i < END; i++) {
    float x_before = x[i * n], b_before = b[i * n];
    for (int k = i * n + 1; k < (i + 1) * n; k++) {
      x[k] = x_before = x[k] - x_before * a[k] / (b_before + 3);
      b[k] = b_before = b[k] - a[k] / (b_before + 5);
    }
  }
}
kernel void sweep2_formula(global const int *a, global int *b, int n, int m) {
  ALONE
  for (int i = FIRST; i < END; i++)
    for (int k = 0; k < get_global_size(1); k++) {
      int sum = b[i * n + k * 8];
      for (int j = 1; j < m; j++) {
        sum += a[i * n + j] / (1 + k);
        b[i * n + k * 8 + j] = sum;
      }
    }
}
kernel void products_formula(global const int *a, global const int *b, global int *o, int n, int m) {
  ALONE
  for (int i = FIRST; i < END; i++)
    o[i] = 0;
  for (int k = 0; k < m; k++)
    for (int i = FIRST; i < END; i++)
      o[i] += a[i * n + k] * (b[i * n + k] + k);
}
kernel void recursions_formula(global float *x, global const float *a, global float *b, global float *o, int n, int m) {
  ALONE
  for (int i = FIRST; i < END; i++) {
    float x_before = x[i * n], b_before = b[i * n];
    for (int k = i * n + 1; k < i * n + m; k++) {
      x[k] = x_before = x[k] - x_before * a[k] / (b_before * 2 + 3);
      b[k] = b_before = b[k] - a[k] / (b_before + 5);
    }
    o[i] = x_before + b_before;
  }
}
#endif
