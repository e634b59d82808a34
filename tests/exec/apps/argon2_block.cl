// Argon2's permutation of a block: rows, then columns, between barriers.
// run: -g 32 -l 32 -p 1:u64:12 rand:u64:128:1 zero:u64:128
// expect: 1: 4422305157330959042 15848547176225892530 979943635685758421 12196799343831475800 3741460111071960764 1071341630259190181 9524065182517909721 7235502295292800271 10165447531330968271 18415990302154710569 15522665429261759709 13283718209078583372
ulong fBlaMka(ulong x, ulong y) { return x + y + 2 * (ulong)(uint)x * (uint)y; }
#define GB(a, b, c, d)                                                                                                 \
  a = fBlaMka(a, b);                                                                                                   \
  d = rotate(d ^ a, (ulong)32);                                                                                        \
  c = fBlaMka(c, d);                                                                                                   \
  b = rotate(b ^ c, (ulong)40);                                                                                        \
  a = fBlaMka(a, b);                                                                                                   \
  d = rotate(d ^ a, (ulong)48);                                                                                        \
  c = fBlaMka(c, d);                                                                                                   \
  b = rotate(b ^ c, (ulong)1);
kernel void fill(global const ulong *in, global ulong *out) {
  local ulong blk[128];
  uint t = get_local_id(0);
  size_t base = get_group_id(0) * 128;
  for (int i = 0; i < 4; i++)
    blk[i * 32 + t] = in[base + i * 32 + t];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint g = t / 4, l = t % 4;
#define P(IDX)                                                                                                         \
  {                                                                                                                    \
    ulong a = blk[IDX(l)], b = blk[IDX(4 + l)], c = blk[IDX(8 + l)], d = blk[IDX(12 + l)];                             \
    GB(a, b, c, d)                                                                                                     \
    blk[IDX(l)] = a;                                                                                                   \
    blk[IDX(4 + l)] = b;                                                                                               \
    blk[IDX(8 + l)] = c;                                                                                               \
    blk[IDX(12 + l)] = d;                                                                                              \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    uint lb = (l + 1) & 3, lc = (l + 2) & 3, ld = (l + 3) & 3;                                                         \
    a = blk[IDX(l)];                                                                                                   \
    b = blk[IDX(4 + lb)];                                                                                              \
    c = blk[IDX(8 + lc)];                                                                                              \
    d = blk[IDX(12 + ld)];                                                                                             \
    GB(a, b, c, d)                                                                                                     \
    blk[IDX(l)] = a;                                                                                                   \
    blk[IDX(4 + lb)] = b;                                                                                              \
    blk[IDX(8 + lc)] = c;                                                                                              \
    blk[IDX(12 + ld)] = d;                                                                                             \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
  }
#define ROW(i) (g * 16 + (i))
#define COL(i) ((((i) / 2) * 16) + g * 2 + ((i)&1))
  P(ROW)
  P(COL)
  for (int i = 0; i < 4; i++)
    out[base + i * 32 + t] = blk[i * 32 + t] ^ in[base + i * 32 + t];
}
