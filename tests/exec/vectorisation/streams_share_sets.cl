// Elements of a work-item at distances that share sets of the cache: a warp takes whole lines, although the kernel is
// long. At other distances it has one register per value.
// run: -g 20 -k columns -p 1:u32 iota:u32:10240 zero:u32:20
// stats: cpu:x86-64-v3 lanes 16, contiguous 21
// expect: 1: 3454163525 3419999636 3410882823 3424879022 3995232882 4008743943 4055568331 4052231316 291531471 294702050 893351037 965687269 364189850 410807212 429615908 399255999 3501462520 3849400782 3803981169 746271961
// run: -g 20 -k apart -p 1:u32 iota:u32:10240 zero:u32:20
// stats: cpu:x86-64-v3 lanes 8, contiguous 21
// expect: 1: 1784387199 1805999552 560725749 532430964 1824207170 1370537325 1476746266 1552497285 1778404438 1779336881 1841096200 1872381207 2466876172 2575562085 2815173964 2768113524 2607029073 2616826461 2649371627 2628281561
// run: -g 20 -k columns_long -p 1:u64 iota:u64:10240 zero:u64:20
// stats: cpu:x86-64-v3 lanes 8, contiguous 21
// expect: 1: 16759481102 16737801909 17030069661 17060175968 17325640212 17626245686 17361959320 17393353391 16783362545 16934384292 17440437879 17526361347 16763004733 16803720078 16748966713 16764780501 17223264478 17399601128 17092028099 17532065995
#define MIX(x) x = (x ^ x >> 7) * 9u, x ^= x << 3
#define ADD(T, k, d)                                                                                                   \
  {                                                                                                                    \
    T x = a[(k) * (d) + i];                                                                                            \
    MIX(x), MIX(x), MIX(x);                                                                                            \
    sum += x;                                                                                                          \
  }
#define ADD4(T, k, d) ADD(T, k, d) ADD(T, k + 1, d) ADD(T, k + 2, d) ADD(T, k + 3, d)
#define COLUMNS(name, T, d)                                                                                            \
  kernel void name(global const T *a, global T *o) {                                                                   \
    size_t i = get_global_id(0);                                                                                       \
    T sum = 0;                                                                                                         \
    ADD4(T, 0, d) ADD4(T, 4, d) ADD4(T, 8, d) ADD4(T, 12, d) ADD4(T, 16, d)                                            \
    o[i] = sum;                                                                                                        \
  }

COLUMNS(columns, uint, 512)
COLUMNS(apart, uint, 500)
COLUMNS(columns_long, ulong, 256)
