// Loops that count down to zero, or up until a number is reached, with pointers that move along, as optimisers make them.
// run: -k down -g 40 iota:i32:480 iota:i32:12 zero:i32:40 i32=12 -p 2:i32
// stats: cpu:x86-64-v3 transposed 1
// stats: cpu:x86-64-v4 transposed 1
// formula: -k rows
// run: -k down -g 7 iota:i32:480 iota:i32:12 zero:i32:7 i32=-5 -p 2:i32
// formula: -k rows
// run: -k up -g 40 iota:i32:480 iota:i32:12 zero:i32:40 i32=12 -p 2:i32
// stats: cpu:x86-64-v3 transposed 1
// formula: -k rows
// run: -k up -g 7 iota:i32:480 iota:i32:12 zero:i32:7 i32=0 -p 2:i32
// formula: -k rows
// run: -k to_own_end -g 40 iota:i32:480 iota:i32:12 zero:i32:40 i32=3 -p 2:i32
// formula: -k to_own_end_formula
kernel void down(global const int *a, global const int *x, global int *out, int n) {
  int row = get_global_id(0), sum = 0;
  if (n > 0) {
    ulong left = (uint)n;
    global const int *p = a + row * n, *q = x;
    do {
      sum += *p++ * *q++;
    } while (--left != 0);
  }
  out[row] = sum;
}
kernel void up(global const int *a, global const int *x, global int *out, int n) {
  int row = get_global_id(0), sum = 0;
  if (n != 0) {
    global const int *p = a + row * n;
    int k = 0;
    do {
      sum += *p++ * x[k];
      if (++k == n)
        break;
    } while (1);
  }
  out[row] = sum;
}
kernel void rows(global const int *a, global const int *x, global int *out, int n) {
  int row = get_global_id(0), sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[row * n + k] * x[k];
  out[row] = sum;
}

// Each work-item has an end of its own, and some begin beyond it.
kernel void to_own_end(global const int *a, global const int *x, global int *out, int n) {
  int first = get_global_id(0), end = (first * n) % 37, sum = 0;
  if (first < end) {
    long i = first;
    do {
      sum += a[i] + x[i % 12];
    } while (++i != (long)end);
  }
  out[first] = sum;
}
kernel void to_own_end_formula(global const int *a, global const int *x, global int *out, int n) {
  int first = get_global_id(0), end = (first * n) % 37, sum = 0;
  for (int i = first; i < end; i++)
    sum += x[i % 12] + a[i];
  out[first] = sum;
}
