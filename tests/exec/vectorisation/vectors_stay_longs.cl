// Vectors of four that stay vectors: more of them are live than warps of work-items could hold.
// run: -g 5 -p 1:u64 iota:u64:5 zero:u64:5
// stats: cpu:x86-64-v3 1 lane: vectors of the language fill the registers
// expect: 1: 2239561096420158501 5191226339628502638 3992865507317723926 4976647933665240920 18320473612695269251
#define EACH(f) \
  f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15) f(16) f(17) f(18) f(19) f(20) \
  f(21) f(22) f(23) f(24) f(25) f(26) f(27) f(28) f(29) f(30) f(31)
kernel void k(global const ulong *in, global ulong *out) {
  int i = get_global_id(0);
  ulong4 x = (ulong4)(in[i]) + (ulong4)(0, 1, 2, 3), y = 1ul;
#define FILL(n) x = rotate(x, (ulong4)(n + 3)) * 5ul + n; ulong4 v##n = x ^ n;
  EACH(FILL)
  for (int r = 0; r < 3; r++) {
#define MIX(n) y = (y ^ v##n) * 3ul; v##n += y;
    EACH(MIX)
  }
  ulong2 s = y.lo ^ y.hi;
  out[i] = s.x ^ s.y;
}
