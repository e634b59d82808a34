// Loops that carry their test to the next iteration, and begin again where they end, as SYCL's over the work-items of a
// range.
// run: -k ranges -g 40 zero:i32:160 iota:i32:160 u64=150 -p 0:i32
// stats: cpu:x86-64-v3 contiguous 2, grid-stride 1
// stats: cpu:x86-64-v4 contiguous 2, grid-stride 1
// formula: -k ranges_formula
// run: -k ranges -g 70 zero:i32:160 iota:i32:160 u64=20 -p 0:i32
// formula: -k ranges_formula
// run: -k ends -g 40 zero:i32:160 iota:i32:160 i32=150 -p 0:i32
// stats: cpu:x86-64-v3 contiguous 2
// formula: -k ends_formula
// run: -k ends -g 13 zero:i32:160 iota:i32:160 i32=-5 -p 0:i32
// formula: -k ends_formula
// run: -k begins_again -g 30 zero:i32:60 iota:i32:60 i32=23 -p 0:i32
// formula: -k begins_again_formula
kernel void ranges(global int *out, global const int *in, ulong range) {
  ulong i = get_global_id(0);
  bool more = i < range;
  while (more) {
    out[i] = in[i] * 3 + 1;
    i += get_global_size(0);
    more = i < range;
    if (!more)
      i = get_global_id(0);
  }
}
kernel void ranges_formula(global int *out, global const int *in, ulong range) {
  for (ulong i = get_global_id(0); i < range; i += get_global_size(0))
    out[i] = 1 + 3 * in[i];
}

kernel void ends(global int *out, global const int *in, int n) {
  int i = get_global_id(0), sum = 0;
  uchar done = i >= n;
  while (!done) {
    sum += in[i];
    i = i + (int)get_global_size(0);
    done = i >= n;
    i = done ? 0 : i;
  }
  out[get_global_id(0)] = sum;
}
kernel void ends_formula(global int *out, global const int *in, int n) {
  int sum = 0;
  for (int i = get_global_id(0); i < n; i += (int)get_global_size(0))
    sum += in[i];
  out[get_global_id(0)] = sum;
}

// What the loop leaves is the index that it would begin again with.
kernel void begins_again(global int *out, global const int *in, int n) {
  int i = get_global_id(0), sum = 0;
  bool more = i < n;
  while (more) {
    sum += in[i];
    i += 7;
    more = i < n;
    i = more ? i : sum & 15;
  }
  out[get_global_id(0)] = sum;
  out[get_global_id(0) + get_global_size(0)] = i;
}
kernel void begins_again_formula(global int *out, global const int *in, int n) {
  int x = get_global_id(0), sum = 0;
  for (int i = x; i < n; i += 7)
    sum += in[i];
  out[x] = sum;
  out[x + get_global_size(0)] = x < n ? sum % 16 : x;
}
