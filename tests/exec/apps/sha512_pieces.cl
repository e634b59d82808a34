// SHA-512 over pieces of odd sizes, in a context that is a struct with a union of bytes and words. Expected: another
// implementation.
// run: -g 5 -p 1:u64 rand:u8:500:1 zero:u64:40 i32=100
// expect: 1: 1202000579134368597 8214574790051661858 2423657865453627152 1418631972376745665 769574690020220787 6314201791639118529 5556964707503499871 15245796607271256001 45994786957794119 605023912026335671 5553603686665565590 12470020319483467243 2095315362335505444 7015855988376896063 13099568893415066545 11358702304772555825 8051781627263690572 11116504749255932550 1477437674780464990 13162830613010161034 12959856705873773836 3626248517431873412 11850822957255857071 13376255361032388635 18349045827656069327 2790053512814919591 18275091395960476023 11485424199079340267 16401666670247238522 14573341470472559038 17600628654436679477 8556435620768894807 12830780437104870511 4988898603521594947 5822416898231350953 14803005080319795620 12370326971391537738 4661315900824844928 2180842344935263042 12849046145435379299
typedef unsigned long u64;
typedef struct {
  u64 h[8];
  union {
    uchar b[128];
    u64 w[16];
  } buf;
  uint pos;
  u64 total;
} ctx_t;
constant u64 K[80] = {
    0x428a2f98d728ae22UL, 0x7137449123ef65cdUL, 0xb5c0fbcfec4d3b2fUL, 0xe9b5dba58189dbbcUL, 0x3956c25bf348b538UL,
    0x59f111f1b605d019UL, 0x923f82a4af194f9bUL, 0xab1c5ed5da6d8118UL, 0xd807aa98a3030242UL, 0x12835b0145706fbeUL,
    0x243185be4ee4b28cUL, 0x550c7dc3d5ffb4e2UL, 0x72be5d74f27b896fUL, 0x80deb1fe3b1696b1UL, 0x9bdc06a725c71235UL,
    0xc19bf174cf692694UL, 0xe49b69c19ef14ad2UL, 0xefbe4786384f25e3UL, 0x0fc19dc68b8cd5b5UL, 0x240ca1cc77ac9c65UL,
    0x2de92c6f592b0275UL, 0x4a7484aa6ea6e483UL, 0x5cb0a9dcbd41fbd4UL, 0x76f988da831153b5UL, 0x983e5152ee66dfabUL,
    0xa831c66d2db43210UL, 0xb00327c898fb213fUL, 0xbf597fc7beef0ee4UL, 0xc6e00bf33da88fc2UL, 0xd5a79147930aa725UL,
    0x06ca6351e003826fUL, 0x142929670a0e6e70UL, 0x27b70a8546d22ffcUL, 0x2e1b21385c26c926UL, 0x4d2c6dfc5ac42aedUL,
    0x53380d139d95b3dfUL, 0x650a73548baf63deUL, 0x766a0abb3c77b2a8UL, 0x81c2c92e47edaee6UL, 0x92722c851482353bUL,
    0xa2bfe8a14cf10364UL, 0xa81a664bbc423001UL, 0xc24b8b70d0f89791UL, 0xc76c51a30654be30UL, 0xd192e819d6ef5218UL,
    0xd69906245565a910UL, 0xf40e35855771202aUL, 0x106aa07032bbd1b8UL, 0x19a4c116b8d2d0c8UL, 0x1e376c085141ab53UL,
    0x2748774cdf8eeb99UL, 0x34b0bcb5e19b48a8UL, 0x391c0cb3c5c95a63UL, 0x4ed8aa4ae3418acbUL, 0x5b9cca4f7763e373UL,
    0x682e6ff3d6b2b8a3UL, 0x748f82ee5defb2fcUL, 0x78a5636f43172f60UL, 0x84c87814a1f0ab72UL, 0x8cc702081a6439ecUL,
    0x90befffa23631e28UL, 0xa4506cebde82bde9UL, 0xbef9a3f7b2c67915UL, 0xc67178f2e372532bUL, 0xca273eceea26619cUL,
    0xd186b8c721c0c207UL, 0xeada7dd6cde0eb1eUL, 0xf57d4f7fee6ed178UL, 0x06f067aa72176fbaUL, 0x0a637dc5a2c898a6UL,
    0x113f9804bef90daeUL, 0x1b710b35131c471bUL, 0x28db77f523047d84UL, 0x32caab7b40c72493UL, 0x3c9ebe0a15c9bebcUL,
    0x431d67c49c100d4cUL, 0x4cc5d4becb3e42b6UL, 0x597f299cfc657e2aUL, 0x5fcb6fab3ad6faecUL, 0x6c44198c4a475817UL};
#define ROR(x, n) rotate((x), (u64)(64 - (n)))
static u64 swap64(u64 v) { return as_ulong(as_uchar8(v).s76543210); }
static void block(ctx_t *c) {
  u64 w[16], s[8];
  for (int i = 0; i < 16; i++)
    w[i] = swap64(c->buf.w[i]);
  for (int i = 0; i < 8; i++)
    s[i] = c->h[i];
  for (int i = 0; i < 80; i++) {
    u64 x;
    if (i < 16)
      x = w[i];
    else {
      u64 a = w[(i + 1) & 15], b = w[(i + 14) & 15];
      x = w[i & 15] += (ROR(a, 1) ^ ROR(a, 8) ^ (a >> 7)) + w[(i + 9) & 15] + (ROR(b, 19) ^ ROR(b, 61) ^ (b >> 6));
    }
    u64 t1 = s[7] + (ROR(s[4], 14) ^ ROR(s[4], 18) ^ ROR(s[4], 41)) + bitselect(s[6], s[5], s[4]) + K[i] + x;
    u64 t2 = (ROR(s[0], 28) ^ ROR(s[0], 34) ^ ROR(s[0], 39)) + bitselect(s[0], s[1], s[2] ^ s[0]);
    s[7] = s[6];
    s[6] = s[5];
    s[5] = s[4];
    s[4] = s[3] + t1;
    s[3] = s[2];
    s[2] = s[1];
    s[1] = s[0];
    s[0] = t1 + t2;
  }
  for (int i = 0; i < 8; i++)
    c->h[i] += s[i];
}
static void update(ctx_t *c, global const uchar *p, int n) {
  for (int i = 0; i < n; i++) {
    c->buf.b[c->pos++] = p[i];
    if (c->pos == 128) {
      block(c);
      c->pos = 0;
    }
  }
  c->total += n;
}
kernel void sha512(global const uchar *data, global u64 *out, int stride) {
  int id = get_global_id(0);
  ctx_t c = {{0x6a09e667f3bcc908UL, 0xbb67ae8584caa73bUL, 0x3c6ef372fe94f82bUL, 0xa54ff53a5f1d36f1UL,
              0x510e527fade682d1UL, 0x9b05688c2b3e6c1fUL, 0x1f83d9abfb41bd6bUL, 0x5be0cd19137e2179UL}};
  int n = (id * 37) % stride;
  update(&c, data + id * stride, n);
  update(&c, data + (id / 2) * stride, stride - n / 2);
  u64 bits = c.total * 8;
  c.buf.b[c.pos++] = 0x80;
  if (c.pos > 112) {
    while (c.pos < 128)
      c.buf.b[c.pos++] = 0;
    block(&c);
    c.pos = 0;
  }
  while (c.pos < 120)
    c.buf.b[c.pos++] = 0;
  c.buf.w[15] = swap64(bits);
  block(&c);
  for (int i = 0; i < 8; i++)
    out[id * 8 + i] = swap64(c.h[i]);
}
