// Macros that are read as a whole where their arguments are variables or numbers have the values that they have with
// other arguments.
// run: -g 4 -p 0:u32 zero:u32:4 iota:u32:16
// expect: 0: 0 0 0 0
#define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define CHOOSE(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define MIXED(x, y) (x - y - 3 * x + y << 2 & 0xffU)
#define UNARY(x, y) (-(x) + ~(y) * -3)
#define LESS(x, y) ((x) * 5 < (y) + 7 == 1)
#define QUOTIENT(x, y) ((x) / ((y) + 1) % 7)
#define FIRST(x, y) ((x) + 1)
#define SCALED(x, y) ((x) * (y) + 2)
#define JOIN(x, y) x##y
#define MIX(x, y, z) ROTL(((x) ^ (y)) + (z) * 3, 11)
#define LOOKUP(w, i, x) CHOOSE((w)[i + 2] | x, w[i], ~w[(i) + 1])
#define TIMES(x, y) (x * 3 + (y))
#define BARE(x, y) TIMES((x | y), x & y)
kernel void k(global uint *o, global uint *in) {
  size_t at = get_global_id(0);
  uint a = in[at + 1] * 0x9e3779b9U, b = in[at + 5] * 2654435769U, c = in[at + 8], bad = 0;
  global uint *w = in + 12;
  int i = (int)at - 2, j = 3;
  short s = (short)a;
  float f = 0.5f;
  double d = 2.5;
  w[at] = a;
  bad += 1 * ROTL(a, 7) != ROTL(w[at], 7);
  bad += 1 * CHOOSE(a, b, c) != CHOOSE(w[at], b, c);
  bad += 1 * MIXED(a, c) != MIXED(w[at], c);
  bad += 1 * UNARY(a, b) != UNARY(w[at], b);
  bad += 1 * JOIN(RO, TL)(a, 7) != ROTL(w[at], 7);
  bad += 0 + FIRST(a, w[at]) != FIRST(w[at], a);
  w[at] = i;
  int *p = &i;
  bad += 1 * LESS(i, j) != LESS(p[0], j);
  bad += 1 * QUOTIENT(i, j) != QUOTIENT(p[0], j);
  bad += 1 * SCALED(i, f) != SCALED(p[0], f);
  bad += 1 * SCALED(f, d) != SCALED(f, 2.5);
  short *q = &s;
  bad += 1 * UNARY(s, i) != UNARY(q[0], i);
  bad += 1 * SCALED(s, 3) != SCALED(q[0], 3);
  // Arguments of several tokens, which are operators of other macros.
  bad += 1 * MIX(a, in[at + 5], c) != ROTL((a ^ in[at + 5]) + c * 3, 11);
  bad += 1 * LOOKUP(in, at, b) != CHOOSE(in[at + 2] | b, in[at], ~in[at + 1]);
  bad += 1 * BARE(a, b) != (a | b) * 3 + (a & b);
  a = ROTL(b, 3);
  b = ROTL(in[at + 5] * 2654435769U, 3);
  o[at] = bad + (a != b);
}
