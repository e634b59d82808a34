// A macro that is read as a whole is used again and again, with arguments of the same types and of others: the uses have
// the values that functions of the same body have. Its variables are changed in between, and the macro is redefined.
// run: -g 4 -p 0:u32 zero:u32:4 iota:u32:16
// expect: 0: 0 0 0 0
#define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define CHOOSE(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define LINEAR(x, y) (x * 3 - y % 5 + ~(x) / 7 - -(y))
#define SHIFT(x, n) ((x) >> (n) ^ (x) << (n))
uint rotl(uint x, int n) { return (x << n) | (x >> (32 - n)); }
uint choose(uint x, uint y, uint z) { return z ^ (x & (y ^ z)); }
int linear_int(int x, int y) { return x * 3 - y % 5 + ~x / 7 - -y; }
ulong linear_mixed(uint x, ulong y) { return x * 3 - y % 5 + ~x / 7 - -y; }
long shift_long(long x, uint n) { return x >> n ^ x << n; }
uint shift_uint(uint x, ulong n) { return x >> n ^ x << n; }
uint never_changed(uint a, uint b, uint c) {
  uint x = CHOOSE(a, b, c), y = CHOOSE(b, c, a);
  return ROTL(x, 3) + CHOOSE(c, a, b) + ROTL(y, 3) + CHOOSE(a, b, c) + ROTL(a, 3);
}
kernel void k(global uint *o, global uint *in) {
  size_t at = get_global_id(0);
  uint a = in[at + 1] * 0x9e3779b9U, b = in[at + 5] * 2654435769U, c = in[at + 8], bad = 0;
  for (uint round = 1; round < 5; round++) {
    int i = (int)(a >> 5) - 1000, j = 77 - (int)round;
    long l = -((long)a << 20 | b);
    ulong ul = l;
    uint want[8] = {rotl(a, 7), rotl(b, 30), choose(a, b, c), linear_int(i, j), (uint)linear_mixed(c, ul),
                    (uint)shift_long(l, round), shift_uint(a, round + 0ul), rotl(a, 7)};
    uint r = ROTL(a, 7);
    bad += r != want[0];
    r = ROTL(b, 30);
    bad += r != want[1];
    r = CHOOSE(a, b, c);
    bad += r != want[2];
    r = LINEAR(i, j);
    bad += r != want[3];
    r = LINEAR(c, ul);
    bad += r != want[4];
    r = SHIFT(l, round);
    bad += r != want[5];
    ulong wide = round;
    r = SHIFT(a, wide);
    bad += r != want[6];
    r = 0;
    r += ROTL(a, 7) + CHOOSE(a, b, c);
    bad += r != want[7] + want[2];
    r = c & 1 ? ROTL(a, 7) : CHOOSE(a, b, c);
    bad += r != (c & 1 ? want[0] : want[2]);
    r = c & 2 ? ROTL(b, 30) / CHOOSE(a, b, c) : LINEAR(i, j);
    bad += r != (c & 2 ? want[1] / want[2] : want[3]);
    if (CHOOSE(a, b, c) + 1 != want[2] + 1 || !(ROTL(b, 30) == want[1]))
      bad++;
    uint list[2] = {ROTL(a, 7), ROTL(b, 30)};
    bad += list[ROTL(a, 7) & 1] != want[want[0] & 1];
    bad += never_changed(a, b, c) != rotl(choose(a, b, c), 3) + choose(c, a, b) + rotl(choose(b, c, a), 3) +
                                         choose(a, b, c) + rotl(a, 3);
    bad += sizeof(SHIFT(l, round)) != 8 || sizeof(ROTL(a, 7)) != 4;
    {
      long a = l;
      r = (uint)SHIFT(a, round);
      bad += r != want[5];
    }
    a = ROTL(b, 30), b = CHOOSE(a, b, c) | 1;
    bad += a != want[1];
    c = ROTL(a, 7) ^ ROTL(b, 30) ^ ROTL(c, 9);
  }
#undef ROTL
#define ROTL(x, n) ((x) * (n))
  uint r = ROTL(a, 7);
  bad += r != a * 7;
  r = ROTL(a, 7);
  bad += r != a * 7;
  r = ROTL(a, 7);
  bad += r != a * 7;
  o[at] = bad;
}
