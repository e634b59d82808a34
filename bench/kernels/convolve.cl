// 5 by 5 on bytes; outside of the image the nearest pixel counts.
constant int weights[25] = {1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36, 24, 6, 4, 16, 24, 16, 4, 1, 4, 6, 4, 1};
kernel void convolve(global const uchar *in, global uchar *out, int n) {
  int x = get_global_id(0), y = get_global_id(1), sum = 128;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++)
      sum += weights[(dy + 2) * 5 + dx + 2] * in[clamp(y + dy, 0, n - 1) * n + clamp(x + dx, 0, n - 1)];
  out[y * n + x] = sum >> 8;
}
