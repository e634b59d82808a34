// A macro that is read as a whole is used many times in one function and then in another one, with negations, counts of
// shifts that have another width, and variables that lie elsewhere than most: the values are those of functions.
// run: -g 4 -p 0:u32 zero:u32:4 iota:u32:16
// expect: 0: 0 0 0 0
#define ROTL(x, n) (((x) << (n)) | ((x) >> (64 - (n))))
#define NEGATED(x, y) (-(x) * 3 + ~(y) - ((x) & -(y)))
#define SIGNED(x, y) ((x) * (y) - ~(x) / 7 % -(5))
ulong rotl(ulong x, int n) { return (x << n) | (x >> (64 - n)); }
uint negated(uint x, uint y) { return -x * 3 + ~y - (x & -y); }
uint twice(uint x) { return negated(x, x); }
int as_signed(int x, int y) { return x * y - ~x / 7 % -5; }
uint one(uint a, uint b, ulong l, int i, int j) {
  uint aside __attribute__((aligned(16))) = a;
  uint bad = 0, c = 0;
  ulong m = l;
  int k = i;
  for (int round = 0; round < 3; round++) {
    m = ROTL(m, 7);
    m = ROTL(m, 7);
    m = ROTL(m, 7);
    m = ROTL(m, 7);
    l = rotl(rotl(rotl(rotl(l, 7), 7), 7), 7);
    bad += m != l;
    c = NEGATED(a, b);
    c = NEGATED(c, b);
    c = NEGATED(b, c);
    c = NEGATED(c, aside);
    c = NEGATED(c, a);
    bad += c != negated(negated(negated(b, negated(negated(a, b), b)), a), a);
    k = SIGNED(i, j);
    k = SIGNED(k, i);
    k = SIGNED(j, k);
    k = SIGNED(k, j);
    bad += k != as_signed(as_signed(j, as_signed(as_signed(i, j), i)), j);
    a += c;
    aside = a;
    i = k & 1023;
    j += 3;
  }
  return bad;
}
uint other(ulong l, uint a, uint b) {
  ulong m = ROTL(l, 7);
  m = ROTL(m, 7);
  m = ROTL(m, 7);
  uint c = NEGATED(b, a);
  c = NEGATED(c, c);
  c = NEGATED(c, c);
  return (m != rotl(rotl(rotl(l, 7), 7), 7)) + (c != twice(twice(negated(b, a))));
}
kernel void k(global uint *o, global uint *in) {
  size_t at = get_global_id(0);
  uint a = in[at + 1] * 0x9e3779b9U, b = in[at + 5] * 2654435769U;
  ulong l = (ulong)a << 32 | b;
  o[at] = one(a, b, l, (int)at - 9, 5) + other(l, a, b);
}
