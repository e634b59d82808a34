// SHA-256 of a one-block message, with unrolled rounds in macros.
// run: -g 2 -p 0:u32 zero:u32:16
// expect: 0: 3128432319 2399260650 1094795486 1571693091 2953011619 2518121116 3021012833 4060091821 2771195295 640363629 3681700449 2215374787 1857227912 2272935984 3059531398 696535497
#define ROR(x, n) rotate((uint)(x), (uint)(32 - (n)))
#define S0(x) (ROR(x, 2) ^ ROR(x, 13) ^ ROR(x, 22))
#define S1(x) (ROR(x, 6) ^ ROR(x, 11) ^ ROR(x, 25))
#define s0(x) (ROR(x, 7) ^ ROR(x, 18) ^ ((x) >> 3))
#define s1(x) (ROR(x, 17) ^ ROR(x, 19) ^ ((x) >> 10))
constant uint K[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
  0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
  0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#define ROUND(a, b, c, d, e, f, g, h, i)                                        \
  {                                                                             \
    uint t1 = h + S1(e) + ((e & f) ^ (~e & g)) + K[i] + w[i], t2 = S0(a) + ((a & b) ^ (a & c) ^ (b & c)); \
    d += t1;                                                                    \
    h = t1 + t2;                                                                \
  }
#define EIGHT(i) ROUND(a,b,c,d,e,f,g,h,i) ROUND(h,a,b,c,d,e,f,g,i+1) ROUND(g,h,a,b,c,d,e,f,i+2) ROUND(f,g,h,a,b,c,d,e,i+3) \
                 ROUND(e,f,g,h,a,b,c,d,i+4) ROUND(d,e,f,g,h,a,b,c,i+5) ROUND(c,d,e,f,g,h,a,b,i+6) ROUND(b,c,d,e,f,g,h,a,i+7)
kernel void sha(global uint *o) {
  uint w[64], id = get_global_id(0);
  for (int i = 0; i < 16; i++) w[i] = 0;
  w[0] = 0x61626380 + (id << 8);
  w[15] = 24;
  for (int i = 16; i < 64; i++) w[i] = s1(w[i - 2]) + w[i - 7] + s0(w[i - 15]) + w[i - 16];
  uint a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
  EIGHT(0) EIGHT(8) EIGHT(16) EIGHT(24) EIGHT(32) EIGHT(40) EIGHT(48) EIGHT(56)
  o += id * 8;
  o[0] = a + 0x6a09e667; o[1] = b + 0xbb67ae85; o[2] = c + 0x3c6ef372; o[3] = d + 0xa54ff53a;
  o[4] = e + 0x510e527f; o[5] = f + 0x9b05688c; o[6] = g + 0x1f83d9ab; o[7] = h + 0x5be0cd19;
}
