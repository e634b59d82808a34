// Both sides of a branch store to one place: one store of a selected value, without a branch.
// run: -g 5 -p 2:i32 u32=12 rand:i32:60:3:0:100 zero:i32:60
// expect: 2: 50 58 95 12 36 76 97 49 86 75 30 63 35 45 46 84 17 30 68 90 98 89 60 78 77 48 90 60 20 73 56 78 93 30 11 85 60 64 74 40 49 42 77 67 28 59 64 50 22 51 7 64 88 68 38 89 83 37 44 42
kernel void merge_runs(uint n, global const int *in, global int *out) {
  uint a = get_global_id(0) * n, b = a + n / 2, at = a;
  uint a_end = b, b_end = a + n;
  while (a < a_end && b < b_end) {
    if (in[b] < in[a]) {
      out[at] = in[b];
      b++;
    } else {
      out[at] = in[a];
      a++;
    }
    at++;
  }
  while (a < a_end)
    out[at++] = in[a++];
  while (b < b_end)
    out[at++] = in[b++];
}
