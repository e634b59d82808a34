// Keccak-f[1600] in loops over tables; bytes of a state of 64-bit words.
// run: -g 7 --offset 5 -p 1:u64:24 -p 2:u32:1 u64=0x0123456789abcdef zero:u64:48 zero:u32:1
// stats: cpu:x86-64-v3 lanes 4, contiguous 1, uniform 1
// expect: 1: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 10788885523166694186 17955174030660607420 9707330089472641620 3275958775813618382
// expect: 2: 2
constant ulong RC[24] = {0x0000000000000001UL, 0x0000000000008082UL, 0x800000000000808aUL, 0x8000000080008000UL,
                         0x000000000000808bUL, 0x0000000080000001UL, 0x8000000080008081UL, 0x8000000000008009UL,
                         0x000000000000008aUL, 0x0000000000000088UL, 0x0000000080008009UL, 0x000000008000000aUL,
                         0x000000008000808bUL, 0x800000000000008bUL, 0x8000000000008089UL, 0x8000000000008003UL,
                         0x8000000000008002UL, 0x8000000000000080UL, 0x000000000000800aUL, 0x800000008000000aUL,
                         0x8000000080008081UL, 0x8000000000008080UL, 0x0000000080000001UL, 0x8000000080008008UL};
constant uint rotc[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};
constant uint piln[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};
void keccakf(ulong *st) {
  ulong bc[5], t;
  for (int r = 0; r < 24; r++) {
    for (int i = 0; i < 5; i++)
      bc[i] = st[i] ^ st[i + 5] ^ st[i + 10] ^ st[i + 15] ^ st[i + 20];
    for (int i = 0; i < 5; i++) {
      t = bc[(i + 4) % 5] ^ rotate(bc[(i + 1) % 5], 1UL);
      for (int j = 0; j < 25; j += 5)
        st[j + i] ^= t;
    }
    t = st[1];
    for (int i = 0; i < 24; i++) {
      int j = piln[i];
      bc[0] = st[j];
      st[j] = rotate(t, (ulong)rotc[i]);
      t = bc[0];
    }
    for (int j = 0; j < 25; j += 5) {
      for (int i = 0; i < 5; i++)
        bc[i] = st[j + i];
      for (int i = 0; i < 5; i++)
        st[j + i] ^= (~bc[(i + 1) % 5]) & bc[(i + 2) % 5];
    }
    st[0] ^= RC[r];
  }
}
kernel void mine(ulong header, global ulong4 *out, global uint *found) {
  ulong st[25];
  for (int i = 0; i < 25; i++)
    st[i] = 0;
  ulong nonce = get_global_id(0);
  st[0] = header;
  st[1] = as_ulong(as_uchar8(nonce).s76543210);
  ((uchar *)st)[16] = 1;
  ((uchar *)st)[135] |= 0x80;
  keccakf(st);
  out[nonce] = (ulong4)(st[0], st[1], st[2], st[3]);
  if ((as_uchar8(st[0]).s0 & 0x0f) == 0)
    atomic_inc(found);
}
