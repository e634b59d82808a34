// The bit functions of clang and gcc that programs take for granted, __builtin_expect and its like.
// run: -g 5 -p 2:i32 -p 3:i32 -p 4:u32 -p 5:u64 list:u32:0,1,2147483648,305419896,4294967295 list:u64:0,1,9223372036854775808,1311768467463790320,18446744073709551615 zero:i32:25 zero:i32:25 zero:u32:35 zero:u64:20
// expect: 2: -1 -1 0 0 0 31 0 1 1 1 0 31 1 32 1 3 3 13 4 1 0 0 32 1 0
// expect: 3: -1 -1 0 0 0 63 0 1 1 1 0 63 1 64 1 3 4 32 5 0 0 0 64 1 0
// expect: 4: 0 0 0 0 0 0 0 16777216 256 2147483648 32768 128 128 33554432 128 0 1 0 0 64 16777216 2018915346 30806 510274632 7786 30 439041033 4028917932 4294967295 65535 4294967295 65535 255 4294967295 4294967295
// expect: 5: 0 0 0 0 72057594037927936 9223372036854775808 512 36028797018963968 128 1 256 18014398509481984 17356517385562371090 1115552785675988040 7542668687916785700 8649473332339367535 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615
kernel void k(global const uint *a, global const ulong *b, global int *n, global int *m, global uint *u, global ulong *l) {
  int i = get_global_id(0);
  uint x = a[i];
  ulong y = b[i];
  __builtin_assume(i >= 0);
  n[5 * i] = x ? __builtin_clz(x) : -1;
  n[5 * i + 1] = x ? __builtin_ctz(x) : -1;
  n[5 * i + 2] = __builtin_popcount(x);
  n[5 * i + 3] = __builtin_ffs(x);
  n[5 * i + 4] = __builtin_parity(x);
  if (__builtin_expect(y != 0, 1)) {
    m[5 * i] = i & 1 ? __builtin_clzl(y) : __builtin_clzll(y);
    m[5 * i + 1] = i & 1 ? __builtin_ctzl(y) : __builtin_ctzll(y);
  } else {
    m[5 * i] = m[5 * i + 1] = -1;
  }
  m[5 * i + 2] = i & 1 ? __builtin_popcountl(y) : __builtin_popcountll(y);
  m[5 * i + 3] = i & 1 ? __builtin_ffsl(y) : __builtin_ffsll(y);
  m[5 * i + 4] = i & 1 ? __builtin_parityl(y) : __builtin_parityll(y);
  u[7 * i] = __builtin_bswap32(x);
  u[7 * i + 1] = __builtin_bswap16((ushort)x);
  u[7 * i + 2] = __builtin_bitreverse32(x);
  u[7 * i + 3] = __builtin_bitreverse16((ushort)x);
  u[7 * i + 4] = __builtin_bitreverse8((uchar)x);
  u[7 * i + 5] = __builtin_rotateleft32(x, 7u);
  u[7 * i + 6] = __builtin_rotateright32(x, 7u);
  l[4 * i] = __builtin_bswap64(y);
  l[4 * i + 1] = __builtin_bitreverse64(y);
  l[4 * i + 2] = __builtin_rotateleft64(y, 9ul);
  switch (i) {
  case 0:
  case 1:
  case 2:
  case 3:
  case 4:
    l[4 * i + 3] = __builtin_rotateright64(y, 9ul);
    break;
  default:
    __builtin_unreachable();
  }
}
