// __builtin_memcpy, memmove, memset and memcmp: of arrays, structs, parts of them, one number as the bits of another,
// between memories, with numbers of bytes that are known or not, overlapping, and none. Beside gcc.
// run: -g 8 -l 4 -p 0:i32 zero:i32:128 iota:i32:64
// expect: 0: 4592 4592 3719 3719 2021159058 1010 1 0 106 96 5 120 1 -1515828571 113 132 4673 5402 3989 8363 -1819047031 1010 2 2 107 136 13 120 5 -1515828567 113 133 4754 5240 3935 9038 -1364285752 1010 4 4 108 176 21 120 9 -1515828563 113 134 4835 5726 4097 10415 -909524473 1110 8 6 109 216 29 120 13 -1515828559 113 135 4916 4916 3827 7958 -454763266 1010 16 8 110 256 37 120 17 -1515828555 113 136 4997 5726 4097 10577 -2023 1010 32 10 111 296 45 120 21 -1515828551 113 137 5078 6536 4367 13061 454759247 1010 64 12 112 336 53 120 25 -1515828547 113 138 5159 6698 4421 13574 909520481 1110 128 14 113 376 61 120 29 -1515828543 113 139
struct record {
  char name[3];
  short s;
  int values[5];
  double d;
};
static float bits(uint x) {
  float f;
  __builtin_memcpy(&f, &x, sizeof f);
  return f;
}
static ulong pair(const uint *from) {
  ulong l;
  __builtin_memcpy(&l, from, sizeof l);
  return l;
}
static int sum(const int *a, int n) {
  int r = 0;
  for (int i = 0; i < n; i++)
    r = r * 3 + a[i];
  return r;
}
kernel void k(global int *o, global int *in) {
  local char shared[32];
  int i = get_global_id(0), lid = get_local_id(0);
  global int *p = o + i * 16;
  int a[8] = {1, 2, 3, i, 5, 6, 7, 8}, b[8] = {0};
  __builtin_memcpy(b, a, sizeof a);
  p[0] = sum(b, 8);
  __builtin_memcpy(b + 1, a + 2, (i & 3) * sizeof(int));
  p[1] = sum(b, 8);
  __builtin_memmove(b + 1, b, 20);
  p[2] = sum(b, 8);
  __builtin_memmove(b, b + 2, i * 3);
  p[3] = sum(b, 8);
  __builtin_memset(b, 0xa5, 16);
  __builtin_memset((char *)b + 17, i, 3 + (i & 1));
  p[4] = sum(b, 8);
  p[5] = (__builtin_memcmp(a, b, 32) > 0) + 10 * (__builtin_memcmp(b, b, 32) == 0) +
         100 * (__builtin_memcmp("abc", "abd", i & 3) < 0) + 1000 * (__builtin_memcmp("\xff", "\x01", 1) > 0);
  p[6] = (int)bits(0x3f800000u + (uint)i * 0x00800000u);
  uint words[3] = {1, 2, (uint)i};
  p[7] = (int)(pair(words + 1) >> 31);
  struct record r = {"ab", 3, {1, 2, 3, 4, i}, 2.5}, s;
  __builtin_memcpy(&s, &r, sizeof s);
  r.values[4] = 0;
  p[8] = s.values[4] + s.s + s.name[1] + (int)(s.d * 2);
  __builtin_memcpy(s.values + 1, in + i, 12);
  p[9] = sum(s.values, 5);
  __builtin_memcpy(in + 32 + i * 4, __builtin_memcpy(a, in + i * 4, 16), 12);
  p[10] = in[32 + i * 4 + 2] + a[3];
  char *end = (char *)__builtin_memset(s.name, 'x', 2) + 1;
  p[11] = *end + s.name[2];
  __builtin_memcpy(shared + lid * 8, a, 7);
  p[12] = shared[lid * 8 + 4];
  __builtin_memcpy(a, b, 0);
  __builtin_memcpy((char *)a + 1, (char *)b + 2, 5);
  p[13] = a[0] + a[1];
  short h[3] = {1, 2, 3};
  __builtin_memcpy(&h[1], &h[0], 2);
  p[14] = h[0] * 100 + h[1] * 10 + h[2];
  int *aligned = __builtin_assume_aligned(a, 4);
  p[15] = aligned[4] + (int)(__builtin_bit_cast(uint, 1.0f) >> 23) + (int)__builtin_expect_with_probability(i, 3, 0.9);
}
