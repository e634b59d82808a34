// Arrays of bytes that are accessed as vectors after a cast: private ones, ones that live across a barrier, local ones,
// arguments in local memory and constants. Programs count on it that they are aligned for that.
// run: -k private_arrays -g 4 -l 2 -p 0:u32 zero:u32:4 iota:u8:64
// expect: 0: 3112672536 2799181072 1542989784 2271535312
// run: -k private_arrays -g 4 -l 2 -p 0:u32 zero:u32:4 iota:u8:64 --options -cl-opt-disable
// expect: 0: 3112672536 2799181072 1542989784 2271535312
// run: -k across_barrier -g 4 -l 2 -p 0:u32 zero:u32:4 iota:u8:64
// expect: 0: 1953775488 2767283991 2737952446 1037653093
// run: -k local_arrays -g 4 -l 2 -p 0:u32 zero:u32:4 iota:u8:64 local:17 local:256
// expect: 0: 2860147753 2860147754 44137513 44137514
// run: -k constant_array -g 4 -l 2 -p 0:u32 zero:u32:4
// expect: 0: 2305519693 3703976996 2305519695 3703976999
#define SUM(bytes, n) for (int j = 0; j < (n); j++) sum = sum * 31 + (bytes)[j]

void copy(void *to, const void *from) { ((ulong16 *)to)[0] = ((const ulong16 *)from)[1] + 1; }

kernel void private_arrays(global uint *o, global const uchar *in) {
  size_t i = get_global_id(0);
  uchar odd[17], a[320], odder[19], b[256];
  uint sum = 0;
  for (int j = 0; j < 320; j++)
    a[j] = in[(j + i) & 63] ^ j;
  for (int j = 0; j < 256; j++)
    b[j] = in[(j * 3) & 63] + i;
  for (int j = 0; j < 17; j++)
    odd[j] = a[in[j]], odder[j + 2] = b[in[j]];
  odder[0] = odder[1] = 1;
  copy(a, b);
  ((ulong16 *)b)[1] = ((ulong16 *)a)[0];
  ((uint16 *)(a + 256))[0] ^= ((uint16 *)b)[1 + (in[i] & 1)];
  SUM(odd, 17);
  SUM(a, 320);
  SUM(odder, 19);
  SUM(b, 256);
  o[i] = sum;
}

kernel void across_barrier(global uint *o, global const uchar *in) {
  size_t i = get_global_id(0);
  uchar odd[5], a[131], odder[3];
  uint sum = 0;
  for (int j = 0; j < 131; j++)
    a[j] = in[(j + i) & 63] ^ j;
  for (int j = 0; j < 5; j++)
    odd[j] = a[in[j]], odder[j % 3] = a[in[j + 7]];
  barrier(CLK_LOCAL_MEM_FENCE);
  ((ulong16 *)a)[0] += ((ulong16 *)a)[0].sfedcba9876543210;
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM(odd, 5);
  SUM(a, 131);
  SUM(odder, 3);
  o[i] = sum;
}

kernel void local_arrays(global uint *o, global const uchar *in, local uchar *odd, local uchar *given) {
  local uchar odder[19], a[320];
  size_t i = get_global_id(0), l = get_local_id(0);
  uint sum = 0;
  for (int j = l; j < 320; j += 2)
    a[j] = in[(j + i - l) & 63] ^ j;
  for (int j = l; j < 256; j += 2)
    given[j] = in[(j * 3) & 63] + i - l;
  for (int j = l; j < 17; j += 2)
    odd[j] = in[j], odder[j] = in[j + 9];
  barrier(CLK_LOCAL_MEM_FENCE);
  ((local ulong16 *)given)[l] = ((local ulong16 *)a)[l] + ((local ulong16 *)a)[1];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l)
    ((local uint16 *)(a + 256))[0] ^= ((local uint16 *)given)[1];
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM(odd, 17);
  SUM(odder, 17);
  SUM(a, 320);
  SUM(given, 256);
  o[i] = sum + l;
}

constant uchar small[3] = {1, 2, 3};
constant uchar bytes[35] = {1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 0, 0, 7, 9, 8, 7};

kernel void constant_array(global uint *o) {
  size_t i = get_global_id(0);
  uint8 v = *(constant uint8 *)bytes + ((constant uint4 *)bytes)[i & 1].xyzwwzyx;
  o[i] = v.s0 ^ v.s1 * 3 ^ v.s2 * 5 ^ v.s3 * 7 ^ v.s4 * 9 ^ v.s5 * 11 ^ v.s6 * 13 ^ v.s7 * 15 ^ small[i % 3];
}
