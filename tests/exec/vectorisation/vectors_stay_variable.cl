// Vectors that stay vectors in several lanes, although a private array is written and read in rare cases.
// run: -g 9 -p 1:u32 iota:u32:9 zero:u32:9
// stats: cpu:x86-64-v3 4 lanes, 1 per register: vectors of the language fill the registers
// expect: 1: 3951640743 4176858494 1211786870 981232270 2612921968 2273595986 2612326023 883666745 4046993604
kernel void k(global const uint *in, global uint *out) {
  int i = get_global_id(0);
  uint8 a = (uint8)(in[i]) + (uint8)(0, 1, 2, 3, 4, 5, 6, 7), b = a ^ 0x9e3779b9u;
#pragma unroll
  for (int r = 0; r < 16; r++) {
    a += (b & 0x5a827999u) | (~b & a);
    b = rotate(b, (uint8)(7)) ^ a;
  }
  uint rest = a.s0 ^ b.s7;
  if ((rest & 3) == 1) {
    uint8 found[2];
    found[0] = a;
    found[1] = b;
    rest += ((private uint *)found)[rest & 15];
  }
  out[i] = rest;
}
