// A large function that takes a pointer to a private array is inlined: a call would keep the array in memory.
// run: -g 21 -p 0:f32 zero:f32:21 iota:f32:64
// stats: cpu:x86-64-v3 lanes 8, contiguous 10, uniform 6
// tolerance: 1e-05
// expect: 0: -288.30072 -383.0925 -477.88428 -572.67615 -667.4679 -762.25977 -857.0515 -951.84344 -1046.6351 -1141.427 -1236.2188 -1331.0106 -1425.8024 -1520.5942 -1615.386 -1710.1777 -1804.9695 -1899.7615 -1994.5533 -2089.345 -2184.137
#define STEP(i)                                                                                                        \
  if (a[i] > x) {                                                                                                      \
    x += a[(i + 3) % 9] * 0.5f;                                                                                        \
    a[(i + 1) % 9] = x - a[i];                                                                                         \
  } else {                                                                                                             \
    x -= a[(i + 5) % 9] * 0.25f;                                                                                       \
    a[(i + 2) % 9] += 1;                                                                                               \
  }
int settle(int kind, float a[], float x) {
  STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8)
  if (kind == 2)
    return a[4] > 2 ? -1 : 1;
  a[kind] = x;
  return kind;
}

kernel void settle_all(global float *out, global const float *in) {
  float a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  int n = 0;
  for (int i = 0; i < 3; i++) {
    a[i] += in[i];
    n += settle(1, a, in[i + 3]);
    if (settle(2, a, 0.5f) < 0)
      n += settle(3, a, 2);
    else
      n -= settle(5, a, 7);
  }
  float s = n;
  for (int i = 0; i < 9; i++)
    s += a[i] * in[get_global_id(0) + i];
  out[get_global_id(0)] = s;
}
