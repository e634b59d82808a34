// Choices by one bit of a value, and CRCs.
// run: -g 37 -D CHOICE=1 -p 0:u32 zero:u32:37
// stats: cpu:x86-64-v3 lanes 8, contiguous 1
// formula: -k choose_formula -D FORMULA
// run: -g 37 -D CHOICE=2 -p 0:u32 zero:u32:37
// formula: -k choose_formula -D FORMULA
// run: -g 37 -D CHOICE=3 -p 0:u32 zero:u32:37
// formula: -k choose_formula -D FORMULA
// run: -g 37 -D CHOICE=4 -p 0:u32 zero:u32:37
// formula: -k choose_formula -D FORMULA
// run: -g 37 -D CHOICE=5 -p 0:u32 zero:u32:37
// formula: -k choose_formula -D FORMULA
// run: -g 37 -D CHOICE=6 -p 0:u32 zero:u32:37
// formula: -k choose_formula -D FORMULA
// run: -g 37 -D CHOICE=7 -p 0:u32 zero:u32:37
// formula: -k choose_formula -D FORMULA
// run: -g 37 -D CHOICE=8 -p 0:u32 zero:u32:37
// formula: -k choose_formula -D FORMULA
// run: -g 37 -D CHOICE=9 -p 0:u32 zero:u32:37
// formula: -k choose_formula -D FORMULA
uint crc(uint x) {
  for (int i = 0; i < 32; i++)
    x = x & 1 ? (x >> 1) ^ 0xedb88320 : x >> 1;
  return x;
}
#if CHOICE == 1
#define F x & 1 ? x >> 1 : 3 * x + 1
#elif CHOICE == 2
#define F (x & 32) == 0 ? x ^ 5 : ~x
#elif CHOICE == 3
#define F (x & 0x80000000u) ? x - 1 : x + 1
#elif CHOICE == 4
#define F ((x & 64) != 0 ? x : 7u) + ((x & 64) != 0)
#elif CHOICE == 5
#define F as_uint((x & 4) ? (float)(x & 255) : -0.5f)
#elif CHOICE == 6
#define F (uint)(((ulong)x << 20 & 0x100000000ul) ? (ulong)x * x >> 7 : (ulong)x << 9)
#elif CHOICE == 7
#define F (x & 8) ? (x & 16 ? x + 1 : x + 2) : (x & 16 ? x + 3 : x + 4)
#elif CHOICE == 8
#define F (uint)(ushort)((ushort)(x & 2) ? (ushort)(x >> 3) : (ushort)(x << 3))
#elif CHOICE == 9
#define F crc(x)
#endif
kernel void choose(global uint *out) {
  uint i = get_global_id(0), x = i * 0x9e3779b1u + 12345;
  out[i] = F;
}

#ifdef FORMULA // By division, by the first work-item alone.
#define BIT(n) (x / (1u << n) % 2)
// The bits of a small number as float.
uint bits_of(uint small) {
  for (uint e = 0; e < 8; e++)
    if (small >> e == 1)
      return (127 + e) * 8388608 + (small - (1 << e)) * (8388608 >> e);
  return 0;
}
uint reversed(uint x) {
  uint result = 0;
  for (int n = 0; n < 32; n++)
    result = result * 2 + BIT(n);
  return result;
}
// The polynomial from its first bit on.
uint crc_of_reversed(uint x) {
  for (int i = 0; i < 32; i++)
    x = x * 2 ^ BIT(31) * 0x04c11db7;
  return x;
}
kernel void choose_formula(global uint *out) {
  if (get_global_id(0))
    return;
  uint x = 12345;
  for (int i = 0; i < get_global_size(0); i++, x += 2654435761)
    switch (CHOICE) {
    case 1: out[i] = x % 2 == 0 ? x * 3 + 1 : x / 2; break;
    case 2: out[i] = BIT(5) ? 4294967295 - x : x + (BIT(0) ? -1 : 1) + (BIT(2) ? -4 : 4); break;
    case 3: out[i] = x < 2147483648 ? x + 1 : x - 1; break;
    case 4: out[i] = BIT(6) ? x + 1 : 7; break;
    case 5: out[i] = BIT(2) ? bits_of(x % 256) : 3204448256; break;
    case 6: out[i] = BIT(12) ? (ulong)x * x / 128 : x * 512; break;
    case 7: out[i] = x + 4 - BIT(4) - 2 * BIT(3); break;
    case 8: out[i] = (BIT(1) ? x / 8 : x * 8) % 65536; break;
    case 9: out[i] = reversed(crc_of_reversed(reversed(x))); break;
    }
}
#endif
