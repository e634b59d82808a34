// Vectors that stay vectors, of one work-item at a time: 32 of them are live, more than warps could hold. Vectors of
// four longs stay for that reason alone.
// run: -g 5 -k ints -p 1:u32 iota:u32:5 zero:u32:5
// stats: cpu:x86-64-v3 1 lane: vectors of the language fill the registers
// expect: 1: 180568791 2430388561 86267676 1247641379 4214095495
// run: -g 5 -k longs -p 1:u64 iota:u64:5 zero:u64:5
// stats: cpu:x86-64-v3 1 lane: vectors of the language fill the registers
// expect: 1: 2239561096420158501 5191226339628502638 3992865507317723926 4976647933665240920 18320473612695269251
#define EACH(f) \
  f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15) f(16) f(17) f(18) f(19) f(20) \
  f(21) f(22) f(23) f(24) f(25) f(26) f(27) f(28) f(29) f(30) f(31)
#define FILL(n) x = rotate(x, (V)(n + 3)) * (T)5 + n; V v##n = x ^ n;
#define MIX(n) y = (y ^ v##n) * (T)3; v##n += y;

#define T uint
#define V uint8
kernel void ints(global const T *in, global T *out) {
  int i = get_global_id(0);
  V x = (V)(in[i]) + (V)(0, 1, 2, 3, 4, 5, 6, 7), y = (V)1;
  EACH(FILL)
  for (int r = 0; r < 3; r++) {
    EACH(MIX)
  }
  uint4 s = y.lo ^ y.hi;
  out[i] = s.x ^ s.y ^ s.z ^ s.w;
}
#undef T
#undef V

#define T ulong
#define V ulong4
kernel void longs(global const T *in, global T *out) {
  int i = get_global_id(0);
  V x = (V)(in[i]) + (V)(0, 1, 2, 3), y = (V)1;
  EACH(FILL)
  for (int r = 0; r < 3; r++) {
    EACH(MIX)
  }
  ulong2 s = y.lo ^ y.hi;
  out[i] = s.x ^ s.y;
}
