// Vectors that stay vectors, of one work-item at a time: 32 of them are live.
// run: -g 5 -p 1:u32 iota:u32:5 zero:u32:5
// stats: cpu:x86-64-v3 1 lane: vectors of the language fill the registers
// expect: 1: 180568791 2430388561 86267676 1247641379 4214095495
#define EACH(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15) f(16) f(17) \
  f(18) f(19) f(20) f(21) f(22) f(23) f(24) f(25) f(26) f(27) f(28) f(29) f(30) f(31)
kernel void k(global const uint *in, global uint *out) {
  int i = get_global_id(0);
  uint8 x = (uint8)(in[i]) + (uint8)(0, 1, 2, 3, 4, 5, 6, 7), y = 1u;
#define FILL(n) x = rotate(x, (uint8)(n + 3)) * 5u + n; uint8 v##n = x ^ n;
  EACH(FILL)
  for (int r = 0; r < 3; r++) {
#define MIX(n) y = (y ^ v##n) * 3u; v##n += y;
    EACH(MIX)
  }
  uint4 s = y.lo ^ y.hi;
  out[i] = s.x ^ s.y ^ s.z ^ s.w;
}
