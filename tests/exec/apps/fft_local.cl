// Radix-2 FFT of 16 points in one group.
// run: -g 8 -l 8 -p 0:f32 iota:f32:32
// stats: cpu:x86-64-v3 lanes 16, gathered 5, contiguous 5, uniform-loop 1
// tolerance: 2e-5
// expect: 0: 240 256 -96.43744 64.43744 -54.62742 22.627419 -39.945694 7.945694 -32 0 -26.690859 -5.309141 -22.627419 -9.372583 -19.18259 -12.817398 -16 -16 -12.817402 -19.182602 -9.372583 -22.627419 -5.309141 -26.69086 -9.536743e-07 -32 7.945692 -39.945694 22.627415 -54.62742 64.43742 -96.43744
kernel void fft(global float2 *a) {
  local float2 t[16];
  int l = get_local_id(0);
  for (int i = l; i < 16; i += 8) {
    int r = 0;
    for (int b = 0; b < 4; b++) r |= ((i >> b) & 1) << (3 - b);
    t[r] = a[i];
  }
  for (int n = 2; n <= 16; n *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int k = l % (n / 2), base = l / (n / 2) * n + k;
    float ang = -2 * M_PI_F * k / n;
    float2 w = (float2)(cos(ang), sin(ang)), u = t[base], v = t[base + n / 2];
    v = (float2)(v.x * w.x - v.y * w.y, v.x * w.y + v.y * w.x);
    t[base] = u + v;
    t[base + n / 2] = u - v;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  a[l] = t[l];
  a[l + 8] = t[l + 8];
}
