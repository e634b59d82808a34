// Rounds of a hash function on integers of 64 bits: half as many lanes as for 32 bits, since registers do not hold the
// values of more. Expectation by the same formula in Python.
// run: -g 21 -p 0:u64 zero:u64:21 u64=11400714819323198485
// stats: cpu:x86-64-v3 lanes 4, contiguous 1
// stats: cpu:x86-64-v4 lanes 8, contiguous 1
// expect: 0: 1525437257330257659 4441601305982132341 5772826682700657150 2597834455877687065 10752674337376659385 4898364549019199217 6716422215200305444 4949882149138485214 11733090172017520415 18318247906752570744 8088149443541874029 2088351681130563314 14500327500561849862 6858653964739915516 16762985630861531285 1099594749063526053 17166189625804410124 9983435854121962007 2788718991273106692 14335036821638663455 10613606462303018731
#define S(x, n) rotate(x, (ulong)(n))
#define ROUND(a, b, c, d, e, f, g, h, i)                                                                               \
  h += (S(e, 50) ^ S(e, 46) ^ S(e, 23)) + (g ^ (e & (f ^ g))) + w[i] + (ulong)(i + 1) * 0x428a2f98d728ae22ul;          \
  d += h;                                                                                                              \
  h += (S(a, 36) ^ S(a, 30) ^ S(a, 25)) + ((a & b) | (c & (a ^ b)));                                                   \
  w[i] += w[(i + 1) & 7] ^ S(w[(i + 5) & 7], 9);
kernel void rounds(global ulong *o, ulong k) {
  ulong x = get_global_id(0) * k, w[8];
  for (int i = 0; i < 8; i++)
    w[i] = x * (2 * i + 1) ^ k;
  ulong a = x, b = ~x, c = x ^ k, d = x + k, e = x * 3, f = x * 5, g = k, h = 7;
  for (int r = 0; r < 10; r++) {
    ROUND(a, b, c, d, e, f, g, h, 0) ROUND(h, a, b, c, d, e, f, g, 1) ROUND(g, h, a, b, c, d, e, f, 2)
    ROUND(f, g, h, a, b, c, d, e, 3) ROUND(e, f, g, h, a, b, c, d, 4) ROUND(d, e, f, g, h, a, b, c, 5)
    ROUND(c, d, e, f, g, h, a, b, 6) ROUND(b, c, d, e, f, g, h, a, 7)
  }
  o[get_global_id(0)] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}
