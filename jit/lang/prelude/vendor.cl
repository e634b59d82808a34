// Library functions in the kernel language: cl_amd_media_ops, cl_amd_media_ops2, clang's bit functions and the integer
// dot products. math.cl says how sections work; W is the unsigned integer twice as wide as T.

//@ bswap16
T __builtin_bswap16(T x) {
  T high = x << (T)8, low = x >> (T)8;
  return high | low;
}

//@ bswap32
uint __builtin_bswap32(uint x) {
  return (x >> 24) | ((x >> 8) & 0xff00u) | ((x << 8) & 0xff0000u) | (x << 24);
}

//@ bswap64
ulong __builtin_bswap64(ulong x) {
  return ((ulong)__builtin_bswap32((uint)x) << 32) | (ulong)__builtin_bswap32((uint)(x >> 32));
}

//@ bitreverse32
uint __builtin_bitreverse32(uint x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(x);
}

//@ bitreverse8
T __builtin_bitreverse8(T x) { return (T)(__builtin_bitreverse32((uint)x) >> 24); }

//@ bitreverse16
T __builtin_bitreverse16(T x) { return (T)(__builtin_bitreverse32((uint)x) >> 16); }

//@ bitreverse64
ulong __builtin_bitreverse64(ulong x) {
  return ((ulong)__builtin_bitreverse32((uint)x) << 32) | (ulong)__builtin_bitreverse32((uint)(x >> 32));
}

//@ rotateright8
T __builtin_rotateright8(T x, T n) { return rotate(x, (T)((T)0 - n)); }

//@ rotateright16
T __builtin_rotateright16(T x, T n) { return rotate(x, (T)((T)0 - n)); }

//@ rotateright32
T __builtin_rotateright32(T x, T n) { return rotate(x, (T)0 - n); }

//@ rotateright64
T __builtin_rotateright64(T x, T n) { return rotate(x, (T)0 - n); }

//@ ffs
int __builtin_ffs(int x) { return x ? __builtin_ctz((uint)x) + 1 : 0; }

//@ ffsl
int __builtin_ffsl(long x) { return x ? __builtin_ctzl((ulong)x) + 1 : 0; }

//@ ffsll
int __builtin_ffsll(long x) { return x ? __builtin_ctzl((ulong)x) + 1 : 0; }

//@ parity
int __builtin_parity(uint x) { return __builtin_popcount(x) & 1; }

//@ parityl
int __builtin_parityl(ulong x) { return __builtin_popcountl(x) & 1; }

//@ parityll
int __builtin_parityll(ulong x) { return __builtin_popcountl(x) & 1; }

//@ c_abs
int __builtin_abs(int x) { return x < 0 ? -x : x; }

//@ c_labs
long __builtin_labs(long x) { return x < 0 ? -x : x; }

//@ c_llabs
long __builtin_llabs(long x) { return x < 0 ? -x : x; }

//@ add_overflow
bool __builtin_add_overflow(T x, T y, P result) {
  T sum = (T)((U)x + 0u + (U)y), bounded = add_sat(x, y);
  *result = sum;
  return sum != bounded;
}

//@ sub_overflow
bool __builtin_sub_overflow(T x, T y, P result) {
  T difference = (T)((U)x + 0u - (U)y), bounded = sub_sat(x, y);
  *result = difference;
  return difference != bounded;
}

//@ mul_overflow
bool __builtin_mul_overflow(T x, T y, P result) {
  T low = (T)((U)x * 1u * (U)y), high = mul_hi(x, y), sign = low < (T)0 ? (T)-1 : (T)0;
  *result = low;
  return high != sign;
}

//@ kiln_memcpy
void __kiln_memcpy(P to, Q from, ulong n) {
  for (ulong i = 0; i < n; i++)
    to[i] = from[i];
}

//@ kiln_memmove
void __kiln_memmove(P to, Q from, ulong n) {
  if ((ulong)to <= (ulong)from) {
    for (ulong i = 0; i < n; i++)
      to[i] = from[i];
  } else {
    for (ulong i = n; i > 0; i--)
      to[i - 1] = from[i - 1];
  }
}

//@ kiln_memset
void __kiln_memset(P to, int value, ulong n) {
  T bytes = (T)((uint)(uchar)value * 0x01010101u);
  for (ulong i = 0; i < n; i++)
    to[i] = bytes;
}

//@ kiln_memcmp
int __kiln_memcmp(P a, Q b, ulong n) {
  for (ulong i = 0; i < n; i++)
    if (a[i] != b[i])
      return (int)a[i] - (int)b[i];
  return 0;
}

//@ amd_pack
uint amd_pack(T x) {
  uint4 p = convert_uint4(x) & 255u;
  return p.x | (p.y << 8) | (p.z << 16) | (p.w << 24);
}

//@ amd_unpack0
T amd_unpack0(U x) { return __kiln_from_int(__kiln_signed(x & (U)255), (T)0); }

//@ amd_unpack1
T amd_unpack1(U x) { return amd_unpack0(x >> (U)8); }

//@ amd_unpack2
T amd_unpack2(U x) { return amd_unpack0(x >> (U)16); }

//@ amd_unpack3
T amd_unpack3(U x) { return amd_unpack0(x >> (U)24); }

//@ amd_bitalign
T amd_bitalign(T high, T low, T count) {
  T n = count & (T)31;
  return n == (T)0 ? low : (low >> n) | (high << ((T)32 - n));
}

//@ amd_bytealign
T amd_bytealign(T high, T low, T count) { return amd_bitalign(high, low, (count & (T)3) * (T)8); }

//@ amd_lerp
T amd_lerp(T x, T y, T z) {
  // the mean of two bytes is what they share and half of what they do not
  T differ = x ^ y;
  return (x & y) + ((differ & (T)0xfefefefeu) >> (T)1) + (differ & z & (T)0x01010101u);
}

//@ amd_sad
T amd_sad(T x, T y, T z) {
  T m = (T)255;
  z = z + abs_diff(x & m, y & m);
  z = z + abs_diff((x >> (T)8) & m, (y >> (T)8) & m);
  z = z + abs_diff((x >> (T)16) & m, (y >> (T)16) & m);
  return z + abs_diff(x >> (T)24, y >> (T)24);
}

//@ amd_sadhi
T amd_sadhi(T x, T y, T z) { return (amd_sad(x, y, (T)0) << (T)16) + z; }

//@ amd_sad4
uint amd_sad4(T x, T y, uint z) {
  T s = amd_sad(x, y, (T)0);
  return s.x + s.y + s.z + s.w + z;
}

//@ amd_msad
T amd_msad(T x, T y, T z) {
  T m = (T)255, none = (T)0;
  T a = y & m, b = (y >> (T)8) & m, c = (y >> (T)16) & m, d = y >> (T)24;
  z = z + (a == none ? none : abs_diff(x & m, a));
  z = z + (b == none ? none : abs_diff((x >> (T)8) & m, b));
  z = z + (c == none ? none : abs_diff((x >> (T)16) & m, c));
  return z + (d == none ? none : abs_diff(x >> (T)24, d));
}

//@ amd_qsad
W amd_qsad(W x, T y, W z) {
  T m = (T)0xffff, low = __kiln_narrow(x), high = __kiln_narrow(x >> (W)32);
  T z0 = __kiln_narrow(z), z2 = __kiln_narrow(z >> (W)32);
  T s0 = amd_sad(low, y, z0 & m) & m;
  T s1 = amd_sad(amd_bitalign(high, low, (T)8), y, z0 >> (T)16) << (T)16;
  T s2 = amd_sad(amd_bitalign(high, low, (T)16), y, z2 & m) & m;
  T s3 = amd_sad(amd_bitalign(high, low, (T)24), y, z2 >> (T)16) << (T)16;
  return upsample(s3 | s2, s1 | s0);
}

//@ amd_mqsad
W amd_mqsad(W x, T y, W z) {
  T m = (T)0xffff, low = __kiln_narrow(x), high = __kiln_narrow(x >> (W)32);
  T z0 = __kiln_narrow(z), z2 = __kiln_narrow(z >> (W)32);
  T s0 = amd_msad(low, y, z0 & m) & m;
  T s1 = amd_msad(amd_bitalign(high, low, (T)8), y, z0 >> (T)16) << (T)16;
  T s2 = amd_msad(amd_bitalign(high, low, (T)16), y, z2 & m) & m;
  T s3 = amd_msad(amd_bitalign(high, low, (T)24), y, z2 >> (T)16) << (T)16;
  return upsample(s3 | s2, s1 | s0);
}

//@ amd_sadw
T amd_sadw(T x, T y, T z) {
  T m = (T)0xffff;
  return z + abs_diff(x & m, y & m) + abs_diff(x >> (T)16, y >> (T)16);
}

//@ amd_sadd
T amd_sadd(T x, T y, T z) { return z + abs_diff(x, y); }

//@ amd_bfm
T amd_bfm(T width, T offset) {
  T ones = ((T)1 << (width & (T)31)) - (T)1;
  return ones << (offset & (T)31);
}

//@ amd_bfe_unsigned
T amd_bfe(T source, T offset, T width) {
  T o = offset & (T)31, w = width & (T)31;
  T r = o + w < (T)32 ? (source << ((T)32 - o - w)) >> ((T)32 - w) : source >> o;
  return w == (T)0 ? (T)0 : r;
}

//@ amd_bfe_signed
T amd_bfe(T source, U offset, U width) {
  T o = __kiln_signed(offset & (U)31), w = __kiln_signed(width & (U)31);
  T r = o + w < (T)32 ? (source << ((T)32 - o - w)) >> ((T)32 - w) : source >> o;
  return w == (T)0 ? (T)0 : r;
}

//@ amd_min3
T amd_min3(T x, T y, T z) { return min(min(x, y), z); }

//@ amd_max3
T amd_max3(T x, T y, T z) { return max(max(x, y), z); }

//@ amd_median3
T amd_median3(T x, T y, T z) { return max(min(x, y), min(max(x, y), z)); }

//@ dot_uu
uint dot(T x, T y) { return __kiln_dot_uu(as_uint(x), as_uint(y), 0); }

//@ dot_ss
int dot(T x, T y) { return __kiln_dot_ss(as_uint(x), as_uint(y), 0); }

//@ dot_us
int dot(T x, B y) { return __kiln_dot_us(as_uint(x), as_uint(y), 0); }

//@ dot_su
int dot(T x, U y) { return __kiln_dot_us(as_uint(y), as_uint(x), 0); }

//@ dot_acc_sat_uu
uint dot_acc_sat(T x, T y, uint sum) { return add_sat(dot(x, y), sum); }

//@ dot_acc_sat_ss
int dot_acc_sat(T x, T y, int sum) { return add_sat(dot(x, y), sum); }

//@ dot_acc_sat_us
int dot_acc_sat(T x, B y, int sum) { return add_sat(dot(x, y), sum); }

//@ dot_acc_sat_su
int dot_acc_sat(T x, U y, int sum) { return add_sat(dot(x, y), sum); }

//@ dot_packed_uu
uint dot_4x8packed_uu_uint(uint x, uint y) { return __kiln_dot_uu(x, y, 0); }

//@ dot_packed_ss
int dot_4x8packed_ss_int(uint x, uint y) { return __kiln_dot_ss(x, y, 0); }

//@ dot_packed_us
int dot_4x8packed_us_int(uint x, uint y) { return __kiln_dot_us(x, y, 0); }

//@ dot_packed_su
int dot_4x8packed_su_int(uint x, uint y) { return __kiln_dot_us(y, x, 0); }

//@ dot_acc_sat_packed_uu
uint dot_acc_sat_4x8packed_uu_uint(uint x, uint y, uint sum) {
  return add_sat(__kiln_dot_uu(x, y, 0), sum);
}

//@ dot_acc_sat_packed_ss
int dot_acc_sat_4x8packed_ss_int(uint x, uint y, int sum) {
  return add_sat((int)__kiln_dot_ss(x, y, 0), sum);
}

//@ dot_acc_sat_packed_us
int dot_acc_sat_4x8packed_us_int(uint x, uint y, int sum) {
  return add_sat((int)__kiln_dot_us(x, y, 0), sum);
}

//@ dot_acc_sat_packed_su
int dot_acc_sat_4x8packed_su_int(uint x, uint y, int sum) {
  return add_sat((int)__kiln_dot_us(y, x, 0), sum);
}

//@ arm_dot_uu
uint arm_dot(T x, T y) { return __kiln_dot_uu(as_uint(x), as_uint(y), 0); }

//@ arm_dot_acc_uu
uint arm_dot_acc(T x, T y, uint sum) { return __kiln_dot_uu(as_uint(x), as_uint(y), sum); }

//@ arm_dot_acc_sat_uu
uint arm_dot_acc_sat(T x, T y, uint sum) { return add_sat(dot(x, y), sum); }

//@ arm_dot_ss
int arm_dot(T x, T y) { return __kiln_dot_ss(as_uint(x), as_uint(y), 0); }

//@ arm_dot_acc_ss
int arm_dot_acc(T x, T y, int sum) { return __kiln_dot_ss(as_uint(x), as_uint(y), sum); }

//@ arm_dot_acc_sat_ss
int arm_dot_acc_sat(T x, T y, int sum) { return add_sat(dot(x, y), sum); }

//@ bitfield_insert
T bitfield_insert(T base, T insert, uint offset, uint count) {
  T all = ~(T)0, high = count < sizeof(S) * 8 ? all << (T)count : (T)0;
  T mask = ~high << (T)offset, moved = insert << (T)offset;
  return (base & ~mask) | (moved & mask);
}

//@ bitfield_extract_signed
B bitfield_extract_signed(T base, uint offset, uint count) {
  uint width = sizeof(S) * 8;
  B x = __kiln_signed(base), up = x << (B)(width - offset - count), down = up >> (B)(width - count);
  return count ? down : (B)0;
}

//@ bitfield_extract_unsigned
U bitfield_extract_unsigned(T base, uint offset, uint count) {
  uint width = sizeof(S) * 8;
  U x = __kiln_unsigned(base), up = x << (U)(width - offset - count), down = up >> (U)(width - count);
  return count ? down : (U)0;
}

//@ bit_reverse_unsigned
T bit_reverse(T x) {
  T a = (T)(S)0x5555555555555555ul, b = (T)(S)0x3333333333333333ul, c = (T)(S)0x0f0f0f0f0f0f0f0ful;
  x = ((x >> (T)1) & a) | ((x & a) << (T)1);
  x = ((x >> (T)2) & b) | ((x & b) << (T)2);
  x = ((x >> (T)4) & c) | ((x & c) << (T)4);
  if (sizeof(S) > 1) {
    T d = (T)(S)0x00ff00ff00ff00fful;
    x = ((x >> (T)8) & d) | ((x & d) << (T)8);
  }
  if (sizeof(S) > 2) {
    T e = (T)(S)0x0000ffff0000fffful;
    x = ((x >> (T)16) & e) | ((x & e) << (T)16);
  }
  if (sizeof(S) > 4)
    x = (x >> (T)32) | (x << (T)32);
  return x;
}

//@ bit_reverse_signed
T bit_reverse(T x) { return __kiln_signed(bit_reverse(__kiln_unsigned(x))); }
