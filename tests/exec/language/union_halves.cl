// Unions of which a part is written, and words that are put together of parts.
// run: -k halves -g 1 -p 1:u32 list:u32:305419896 zero:u32:1
// expect: 1: 1450709556
// run: -k bytes -g 1 -p 1:u32 list:u32:305419896 zero:u32:3
// expect: 1: 873625686 4728 30806
typedef union {
  ulong all;
  struct {
    ushort a, b;
  } half2;
  uchar bytes[8];
} conv;

kernel void halves(global const uint *in, global uint *out) {
  conv i, o;
  i.all = in[0];
  o.half2.a = i.half2.b; // 4 of the 8 bytes are written
  o.half2.b = i.half2.a;
  out[0] = o.all; // only the low 32 bits are stored
}

kernel void bytes(global const uint *in, global uint *out) {
  conv c;
  for (int k = 0; k < 4; k++)
    c.bytes[k ^ 1] = in[0] >> 8 * k;
  out[0] = c.all;
  out[1] = (c.all & 0xffff00) >> 8;
  conv d = c; // with the four bytes that are not written
  d.bytes[4] = 7;
  if ((d.all >> 32 & 255) == 7)
    out[2] = c.half2.a;
}
