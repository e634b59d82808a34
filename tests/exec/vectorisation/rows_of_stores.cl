// Rows of at most eight work-items, as their stores tell: lanes beyond them would always be off, and masked accesses
// behind the row would wait for the stores before them. Straight, in a loop, and where conditions say nothing of rows.
// run: -g 16,4 -k straight -p 1:f32:64 iota:f32:256 zero:f32:256
// stats: cpu:x86-64-v4 lanes 8, contiguous 8
// stats: cpu:x86-64-v3 lanes 8, contiguous 8
// expect: 1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96
// run: -g 16,4 -k looped -p 1:f32:64 iota:f32:256 zero:f32:256 i32=4
// stats: cpu:x86-64-v4 lanes 8, contiguous 2
// expect: 1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96
// run: -g 100 -k ends -p 0:i32:128 zero:i32:128
// stats: cpu:x86-64-v4 lanes 16, contiguous 2
// expect: 0: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 0 0 0 0 0 0 0 -99 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
kernel void straight(global const float *in, global float *out) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 8)
    for (int i = 0; i < 4; i++)
      out[y * 32 + i * 8 + x] = in[y * 64 + i * 8 + x] + 1;
}
kernel void looped(global const float *in, global float *out, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 8)
    for (int i = 0; i < n; i++)
      out[y * 32 + i * 8 + x] = in[y * 64 + i * 8 + x] + 1;
}
kernel void ends(global int *out) {
  int x = get_global_id(0);
  out[x] = x;
  if (x == 99)
    out[x + 8] = -x;
}
