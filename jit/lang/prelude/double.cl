// Library functions in the kernel language: mathematical functions of double, for targets with inline_math. As float.cl,
// with twice as many bits: B is long, I is int, and rounding to an integer takes 1.5 * 2^52. Large angles are reduced here,
// since the C library is not precise enough for the worst of them.

//@ scale_d
T __kiln_scale(T p, B n) {
  B h = (n >> 1) << 52, all = n << 52;
  B first = h + 0x3ff0000000000000, second = all - h + 0x3ff0000000000000;
  return p * __kiln_float(first) * __kiln_float(second);
}

//@ exp_d
T exp_d(T x) {
  T y = min(max(x, (T)-746.0), (T)710.0);
  T t = __kiln_fused(y, (T)0x1.71547652b82fep+0, (T)0x1.8p52);
  T n = t - 0x1.8p52;
  T r = __kiln_fused(n, (T)-0x1.62e42fefa3000p-1, y);
  r = __kiln_fused(n, (T)-0x1.3de6af278ece6p-42, r);
  T p = __kiln_fused(r, (T)0x1.ad1e2f6c92b71p-26, (T)0x1.289ff6d121203p-22);
  p = __kiln_fused(p, r, (T)0x1.71df574ea6065p-19);
  p = __kiln_fused(p, r, (T)0x1.a019aac91f691p-16);
  p = __kiln_fused(p, r, (T)0x1.a01a011ae0aa5p-13);
  p = __kiln_fused(p, r, (T)0x1.6c16c17ce027cp-10);
  p = __kiln_fused(p, r, (T)0x1.1111111128d05p-7);
  p = __kiln_fused(p, r, (T)0x1.55555555531b5p-5);
  p = __kiln_fused(p, r, (T)0x1.55555555555p-3);
  p = __kiln_fused(p, r, (T)0.5);
  p = __kiln_fused(p, r, (T)1.0);
  p = __kiln_fused(p, r, (T)1.0);
  return __kiln_scale(p, __kiln_bits(t));
}

//@ exp2_d
T exp2_d(T x) {
  T y = min(max(x, (T)-1076.0), (T)1024.5);
  T t = y + 0x1.8p52;
  T r = y - (t - 0x1.8p52);
  T p = __kiln_fused(r, (T)0x1.e9650ee780148p-32, (T)0x1.e61e117f517cbp-28);
  p = __kiln_fused(p, r, (T)0x1.b5252c940f279p-24);
  p = __kiln_fused(p, r, (T)0x1.62bfc5f5269f3p-20);
  p = __kiln_fused(p, r, (T)0x1.ffcbfc61b2e77p-17);
  p = __kiln_fused(p, r, (T)0x1.4309130f8b405p-13);
  p = __kiln_fused(p, r, (T)0x1.5d87fe789f8c1p-10);
  p = __kiln_fused(p, r, (T)0x1.3b2ab6fb9fd4bp-7);
  p = __kiln_fused(p, r, (T)0x1.c6b08d704a128p-5);
  p = __kiln_fused(p, r, (T)0x1.ebfbdff82c5a6p-3);
  p = __kiln_fused(p, r, (T)0x1.62e42fefa39efp-1);
  p = __kiln_fused(p, r, (T)1.0);
  return __kiln_scale(p, __kiln_bits(t));
}

//@ exp10_d
T exp10_d(T x) {
  T y = min(max(x, (T)-324.0), (T)308.4);
  T t = __kiln_fused(y, (T)0x1.a934f0979a371p+1, (T)0x1.8p52);
  T n = t - 0x1.8p52;
  T r = __kiln_fused(n, (T)-0x1.34413509f7000p-2, y);
  r = __kiln_fused(n, (T)-0x1.3fde623e2566bp-43, r);
  T p = __kiln_fused(r, (T)0x1.f7649f480ec54p-13, (T)0x1.2f74d2365fe43p-10);
  p = __kiln_fused(p, r, (T)0x1.4899e45e5a4f9p-8);
  p = __kiln_fused(p, r, (T)0x1.41165e2e6632ep-6);
  p = __kiln_fused(p, r, (T)0x1.16e4dee99dde3p-4);
  p = __kiln_fused(p, r, (T)0x1.a7ed70a1e58a9p-3);
  p = __kiln_fused(p, r, (T)0x1.1429ffd220368p-1);
  p = __kiln_fused(p, r, (T)0x1.2bd7609fd4fd1p0);
  p = __kiln_fused(p, r, (T)0x1.0470591de2b46p1);
  p = __kiln_fused(p, r, (T)0x1.53524c73cea77p1);
  p = __kiln_fused(p, r, (T)0x1.26bb1bbb55516p1);
  p = __kiln_fused(p, r, (T)1.0);
  return __kiln_scale(p, __kiln_bits(t));
}

//@ half_exp_d
T __kiln_half_exp(T x) {
  // e^x / 2 for x from -700 to 709
  T t = __kiln_fused(x, (T)0x1.71547652b82fep+0, (T)0x1.80000000003fep52);
  T n = t - 0x1.80000000003fep52;
  T r = __kiln_fused(n, (T)-0x1.62e42fefa3000p-1, x);
  r = __kiln_fused(n, (T)-0x1.3de6af278ece6p-42, r);
  T p = __kiln_fused(r, (T)0x1.ad1e2f6c92b71p-26, (T)0x1.289ff6d121203p-22);
  p = __kiln_fused(p, r, (T)0x1.71df574ea6065p-19);
  p = __kiln_fused(p, r, (T)0x1.a019aac91f691p-16);
  p = __kiln_fused(p, r, (T)0x1.a01a011ae0aa5p-13);
  p = __kiln_fused(p, r, (T)0x1.6c16c17ce027cp-10);
  p = __kiln_fused(p, r, (T)0x1.1111111128d05p-7);
  p = __kiln_fused(p, r, (T)0x1.55555555531b5p-5);
  p = __kiln_fused(p, r, (T)0x1.55555555555p-3);
  p = __kiln_fused(p, r, (T)0.5);
  p = __kiln_fused(p, r, (T)1.0);
  p = __kiln_fused(p, r, (T)1.0);
  B bits = __kiln_bits(t) << 52; // the bias of exponents, less 1, was added with the constant
  return p * __kiln_float(bits);
}

//@ expm1_d
T expm1_d(T x) {
  T y = min(max(x, (T)-40.0), (T)710.0);
  T t = __kiln_fused(y, (T)0x1.71547652b82fep+0, (T)0x1.80000000003fep52);
  T n = t - 0x1.80000000003fep52;
  T r = __kiln_fused(n, (T)-0x1.62e42fefa3000p-1, y);
  r = __kiln_fused(n, (T)-0x1.3de6af278ece6p-42, r);
  T p = __kiln_fused(r, (T)0x1.1f04a97a33391p-29, (T)0x1.af5f7b3dc0ep-26);
  p = __kiln_fused(p, r, (T)0x1.27e521960cc42p-22);
  p = __kiln_fused(p, r, (T)0x1.71ddf7e9c9398p-19);
  p = __kiln_fused(p, r, (T)0x1.a01a01873753bp-16);
  p = __kiln_fused(p, r, (T)0x1.a01a01b00ecdbp-13);
  p = __kiln_fused(p, r, (T)0x1.6c16c16c1c0ccp-10);
  p = __kiln_fused(p, r, (T)0x1.111111110f644p-7);
  p = __kiln_fused(p, r, (T)0x1.555555555554ap-5);
  p = __kiln_fused(p, r, (T)0x1.5555555555559p-3);
  p = __kiln_fused(p, r, (T)0.5);
  p = __kiln_fused(p * r, r, r);
  B bits = __kiln_bits(t) << 52; // of 2^(n-1), so that the largest n has one
  T s = __kiln_float(bits);
  T v = 2.0 * __kiln_fused(s, p, s - 0.5);
  return x == 0.0 ? x : v;
}

//@ log_special_d
T __kiln_log_special(T x, T r) {
  B infinity = (B)0x7ff0000000000000, quiet = (B)0x7ff8000000000000, minus = (B)0xfff0000000000000;
  T end = x == 0.0 ? __kiln_float(minus) : __kiln_float(quiet);
  T above = x < __kiln_float(infinity) ? r : x;
  return x <= 0.0 ? end : above;
}

//@ log_d
T log_d(T x) {
  T big = x * 0x1p54;
  T y = x < 0x1p-1022 ? big : x;
  T e = x < 0x1p-1022 ? (T)-54.0 : (T)0.0;
  B i = __kiln_bits(y) + 0x95f619980c433; // y = 2^k * m, m from sqrt(1/2) to sqrt(2)
  B bits = (i & 0xfffffffffffff) + 0x3fe6a09e667f3bcd;
  B k = ((i >> 52) & 0x7ff) | 0x4330000000000000;
  e = e + (__kiln_float(k) - 0x1.00000000003ffp52);
  T f = __kiln_float(bits) - 1.0;
  T s = f / (f + 2.0), square = f * f * 0.5;
  T z = s * s;
  T p = __kiln_fused(z, (T)0x1.2b6649f3bd352p-3, (T)0x1.39fd451ddbfdap-3);
  p = __kiln_fused(p, z, (T)0x1.7462bcddffff3p-3);
  p = __kiln_fused(p, z, (T)0x1.c71c62cab149p-3);
  p = __kiln_fused(p, z, (T)0x1.2492492e032cp-2);
  p = __kiln_fused(p, z, (T)0x1.9999999995289p-2);
  p = __kiln_fused(p, z, (T)0x1.5555555555558p-1);
  p = s * __kiln_fused(p, z, square);
  p = __kiln_fused(e, (T)0x1.3de6af278ece6p-42, p);
  T r = __kiln_fused(e, (T)0x1.62e42fefa3000p-1, f - (square - p));
  return __kiln_log_special(x, r);
}

//@ log2_d
T log2_d(T x) {
  T big = x * 0x1p54;
  T y = x < 0x1p-1022 ? big : x;
  T e = x < 0x1p-1022 ? (T)-54.0 : (T)0.0;
  B i = __kiln_bits(y) + 0x95f619980c433; // y = 2^k * m, m from sqrt(1/2) to sqrt(2)
  B bits = (i & 0xfffffffffffff) + 0x3fe6a09e667f3bcd;
  B k = ((i >> 52) & 0x7ff) | 0x4330000000000000;
  e = e + (__kiln_float(k) - 0x1.00000000003ffp52);
  T f = __kiln_float(bits) - 1.0;
  T s = f / (f + 2.0), square = f * f * 0.5;
  T z = s * s;
  T p = __kiln_fused(z, (T)0x1.2b6649f3bd352p-3, (T)0x1.39fd451ddbfdap-3);
  p = __kiln_fused(p, z, (T)0x1.7462bcddffff3p-3);
  p = __kiln_fused(p, z, (T)0x1.c71c62cab149p-3);
  p = __kiln_fused(p, z, (T)0x1.2492492e032cp-2);
  p = __kiln_fused(p, z, (T)0x1.9999999995289p-2);
  p = __kiln_fused(p, z, (T)0x1.5555555555558p-1);
  p = s * __kiln_fused(p, z, square);
  // the logarithm in two parts, times the base's
  T high = f - square;
  T low = (f - high) - square + p;
  B cut = __kiln_bits(high) & 0xffffffff00000000;
  T top = __kiln_float(cut);
  low = (high - top) + low;
  T sum = top * 0x1.7154765000000p+0;
  low = __kiln_fused(low + top, (T)0x1.5c17f0bbbe880p-31, low * 0x1.7154765000000p+0);
  T all = e + sum;
  low = ((e - all) + sum) + low;
  T r = all + low;
  return __kiln_log_special(x, r);
}

//@ log10_d
T log10_d(T x) {
  T big = x * 0x1p54;
  T y = x < 0x1p-1022 ? big : x;
  T e = x < 0x1p-1022 ? (T)-54.0 : (T)0.0;
  B i = __kiln_bits(y) + 0x95f619980c433; // y = 2^k * m, m from sqrt(1/2) to sqrt(2)
  B bits = (i & 0xfffffffffffff) + 0x3fe6a09e667f3bcd;
  B k = ((i >> 52) & 0x7ff) | 0x4330000000000000;
  e = e + (__kiln_float(k) - 0x1.00000000003ffp52);
  T f = __kiln_float(bits) - 1.0;
  T s = f / (f + 2.0), square = f * f * 0.5;
  T z = s * s;
  T p = __kiln_fused(z, (T)0x1.2b6649f3bd352p-3, (T)0x1.39fd451ddbfdap-3);
  p = __kiln_fused(p, z, (T)0x1.7462bcddffff3p-3);
  p = __kiln_fused(p, z, (T)0x1.c71c62cab149p-3);
  p = __kiln_fused(p, z, (T)0x1.2492492e032cp-2);
  p = __kiln_fused(p, z, (T)0x1.9999999995289p-2);
  p = __kiln_fused(p, z, (T)0x1.5555555555558p-1);
  p = s * __kiln_fused(p, z, square);
  // the logarithm in two parts, times the base's
  T high = f - square;
  T low = (f - high) - square + p;
  B cut = __kiln_bits(high) & 0xffffffff00000000;
  T top = __kiln_float(cut);
  low = (high - top) + low;
  T sum = top * 0x1.bcb7b15000000p-2;
  low = __kiln_fused(low + top, (T)0x1.37287195355bbp-33, low * 0x1.bcb7b15000000p-2);
  low = __kiln_fused(e, (T)0x1.3fde623e2566bp-43, low);
  T whole = e * 0x1.34413509f7000p-2;
  T all = whole + sum;
  low = ((whole - all) + sum) + low;
  T r = all + low;
  return __kiln_log_special(x, r);
}

//@ log1p_d
T log1p_d(T x) {
  B k = (__kiln_bits(1.0 + x) - 0x3fe6a09e667f3bcd) & 0xfff0000000000000;
  B scaled = __kiln_bits(x) - k, scale = 0x4010000000000000 - k;
  T f = __kiln_float(scaled) + __kiln_fused((T)0.25, __kiln_float(scale), (T)-1.0);
  B exponent = ((k >> 52) & 0xfff) ^ 0x4330000000000800;
  T e = __kiln_float(exponent) - 0x1.0000000000800p52;
  T s = f / (f + 2.0), square = f * f * 0.5;
  T z = s * s;
  T p = __kiln_fused(z, (T)0x1.2b6649f3bd352p-3, (T)0x1.39fd451ddbfdap-3);
  p = __kiln_fused(p, z, (T)0x1.7462bcddffff3p-3);
  p = __kiln_fused(p, z, (T)0x1.c71c62cab149p-3);
  p = __kiln_fused(p, z, (T)0x1.2492492e032cp-2);
  p = __kiln_fused(p, z, (T)0x1.9999999995289p-2);
  p = __kiln_fused(p, z, (T)0x1.5555555555558p-1);
  p = s * __kiln_fused(p, z, square);
  p = __kiln_fused(e, (T)0x1.3de6af278ece6p-42, p);
  T r = __kiln_fused(e, (T)0x1.62e42fefa3000p-1, f - (square - p));
  B infinity = (B)0x7ff0000000000000, quiet = (B)0x7ff8000000000000, minus = (B)0xfff0000000000000;
  T end = x == -1.0 ? __kiln_float(minus) : __kiln_float(quiet);
  T above = x < __kiln_float(infinity) ? r : x;
  above = x == 0.0 ? x : above;
  return x <= -1.0 ? end : above;
}

//@ residue_d
T __kiln_residue(T x, T y, T p) {
  // x * y - p, where p is the product rounded
  if (__kiln_has_fma())
    return fma(x, y, -p);
  T a = x * 134217729.0, b = y * 134217729.0;
  T xh = a - (a - x), yh = b - (b - y);
  T xl = x - xh, yl = y - yh;
  return xl * yl - (((p - xh * yh) - xl * yh) - xh * yl);
}

//@ pow_core_d
T __kiln_pow_core(T x, T u, T w) {
  // x^(u + w) for x > 0, w much smaller than u: see pow_core_f
  T big = x * 0x1p54;
  T y = x < 0x1p-1022 ? big : x;
  T e = x < 0x1p-1022 ? (T)-54.0 : (T)0.0;
  B i = __kiln_bits(y) + 0x95f619980c433; // y = 2^k * m, m from sqrt(1/2) to sqrt(2)
  B bits = (i & 0xfffffffffffff) + 0x3fe6a09e667f3bcd;
  B k = ((i >> 52) & 0x7ff) | 0x4330000000000000;
  e = e + (__kiln_float(k) - 0x1.00000000003ffp52);
  T m = __kiln_float(bits), f = m - 1.0, g = m + 1.0;
  T gl = f - (g - 2.0);
  T inverse = 1.0 / g;
  T q = f * inverse;
  T qg = q * g;
  T rest = ((f - qg) - __kiln_residue(q, g, qg)) - q * gl;
  T ql = rest * inverse;
  // log2(m) = L * (q + q^3 / 3 + q^5 * p), the term of q^3 in two parts: y multiplies its error by up to 2^11
  T s = q * q;
  T sl = __kiln_residue(q, q, s) + 2.0 * q * ql;
  T p = __kiln_fused(s, (T)0x1.5a60ae4e0bdd7p-3, (T)0x1.59e08811ee6b3p-3);
  p = __kiln_fused(p, s, (T)0x1.89fed27be41bep-3);
  p = __kiln_fused(p, s, (T)0x1.c68f2f01d5108p-3);
  p = __kiln_fused(p, s, (T)0x1.0c9a84bf5081cp-2);
  p = __kiln_fused(p, s, (T)0x1.484b13d79c3b6p-2);
  p = __kiln_fused(p, s, (T)0x1.a61762a7adfa8p-2);
  p = __kiln_fused(p, s, (T)0x1.2776c50ef9bfep-1) * s;
  T factor = p + 0x1.ec709dc3a03fdp-1;
  T factor_low = ((0x1.ec709dc3a03fdp-1 - factor) + p) + 0x1.d27f05548af0cp-55;
  T cube = q * s;
  T cube_low = __kiln_residue(q, s, cube) + __kiln_fused(q, sl, ql * s);
  T third = cube * factor;
  T high = q * 0x1.71547652b82fep+1;
  T low = __kiln_residue(q, (T)0x1.71547652b82fep+1, high);
  low = low + __kiln_fused(q, (T)0x1.777d0ffda0d24p-55, ql * 0x1.71547652b82fep+1);
  low = low + (__kiln_residue(cube, factor, third) + __kiln_fused(cube, factor_low, cube_low * factor));
  T both = high + third;
  low = ((high - both) + third) + low;
  T sum = e + both;
  low = ((e - sum) + both) + low;
  T v = min(max(u, (T)-0x1p65), (T)0x1p65);
  T product = v * sum;
  T tail = __kiln_fused(v, low, __kiln_residue(v, sum, product)) + w * sum;
  tail = fabs(product) < 2048.0 ? tail : (T)0.0;
  product = min(max(product, (T)-1100.0), (T)1100.0);
  T t = product + 0x1.8p52;
  T r = (product - (t - 0x1.8p52)) + tail;
  p = __kiln_fused(r, (T)0x1.e9650ee780148p-32, (T)0x1.e61e117f517cbp-28);
  p = __kiln_fused(p, r, (T)0x1.b5252c940f279p-24);
  p = __kiln_fused(p, r, (T)0x1.62bfc5f5269f3p-20);
  p = __kiln_fused(p, r, (T)0x1.ffcbfc61b2e77p-17);
  p = __kiln_fused(p, r, (T)0x1.4309130f8b405p-13);
  p = __kiln_fused(p, r, (T)0x1.5d87fe789f8c1p-10);
  p = __kiln_fused(p, r, (T)0x1.3b2ab6fb9fd4bp-7);
  p = __kiln_fused(p, r, (T)0x1.c6b08d704a128p-5);
  p = __kiln_fused(p, r, (T)0x1.ebfbdff82c5a6p-3);
  p = __kiln_fused(p, r, (T)0x1.62e42fefa39efp-1);
  p = __kiln_fused(p, r, (T)1.0);
  return __kiln_scale(p, __kiln_bits(t));
}

//@ pow_d
T pow_d(T x, T y) {
  B quiet = (B)0x7ff8000000000000, infinite = (B)0x7ff0000000000000;
  T a = fabs(x), nan = __kiln_float(quiet), infinity = __kiln_float(infinite);
  T r = __kiln_pow_core(a, y, (T)0.0);
  T half_y = y * 0.5;
  B sign = __kiln_bits(x) & 0x8000000000000000;
  T end = y < 0.0 ? infinity : (T)0.0; // for 0
  T other = y < 0.0 ? (T)0.0 : infinity;
  r = a == 0.0 ? end : r;
  r = a == infinity ? other : r;
  sign = rint(half_y) == half_y || rint(y) != y ? (B)0 : sign; // negative for odd y only
  B signed_bits = __kiln_bits(r) | sign;
  r = __kiln_float(signed_bits);
  r = x < 0.0 && rint(y) != y && a < infinity ? nan : r;
  r = x != x || y != y ? nan : r;
  return x == 1.0 || y == 0.0 ? (T)1.0 : r;
}

//@ powr_d
T powr_d(T x, T y) {
  B quiet = (B)0x7ff8000000000000, infinite = (B)0x7ff0000000000000;
  T nan = __kiln_float(quiet), infinity = __kiln_float(infinite);
  T r = __kiln_pow_core(x, y, (T)0.0);
  T end = y < 0.0 ? infinity : (T)0.0;
  T other = y < 0.0 ? (T)0.0 : infinity;
  r = x == 0.0 ? end : r;
  r = x == infinity ? other : r;
  r = y == 0.0 ? (T)1.0 : r;
  r = (x == 0.0 || x == infinity) && y == 0.0 ? nan : r;
  r = x == 1.0 && fabs(y) == infinity ? nan : r;
  return x >= 0.0 && y == y ? r : nan;
}

//@ pown_d
T pown_d(T x, I n) {
  B quiet = (B)0x7ff8000000000000, infinite = (B)0x7ff0000000000000;
  T a = fabs(x), y = __kiln_from_int(n, x), infinity = __kiln_float(infinite);
  T r = __kiln_pow_core(a, y, (T)0.0);
  T end = y < 0.0 ? infinity : (T)0.0;
  T other = y < 0.0 ? (T)0.0 : infinity;
  r = a == 0.0 ? end : r;
  r = a == infinity ? other : r;
  B odd = __kiln_like(n, x) << 63;
  B signed_bits = __kiln_bits(r) | (__kiln_bits(x) & odd);
  r = __kiln_float(signed_bits);
  r = x != x ? __kiln_float(quiet) : r;
  return y == 0.0 ? (T)1.0 : r;
}

//@ rootn_d
T rootn_d(T x, I n) {
  B quiet = (B)0x7ff8000000000000, infinite = (B)0x7ff0000000000000;
  T a = fabs(x), m = __kiln_from_int(n, x), infinity = __kiln_float(infinite), nan = __kiln_float(quiet);
  T h = 1.0 / m;
  T p = h * m;
  T rest = ((1.0 - p) - __kiln_residue(h, m, p)) / m; // what is missing of the reciprocal
  T r = __kiln_pow_core(a, h, rest);
  T end = m < 0.0 ? infinity : (T)0.0;
  T other = m < 0.0 ? (T)0.0 : infinity;
  r = a == 0.0 ? end : r;
  r = a == infinity ? other : r;
  B odd = __kiln_like(n, x) << 63;
  B signed_bits = __kiln_bits(r) | (__kiln_bits(x) & odd);
  r = __kiln_float(signed_bits);
  r = x < 0.0 && odd == 0 ? nan : r;
  return m == 0.0 || x != x ? nan : r;
}

//@ reduce_d
T __kiln_reduce(T x, T k) {
  // x - k * pi / 2
  return __kiln_has_fma() ? fma(k, (T)0x1.f1976b7ed8fbcp-110, fma(k, (T)-0x1.1a62633145c07p-54, fma(k, (T)-0x1.921fb54442d18p+0, x)))
                          : (((x - k * 0x1.921fb54400000p+0) - k * 0x1.0b4611a600000p-34) - k * 0x1.3198a2e000000p-69) - k * 0x1.b839a252049c1p-104;
}

//@ sin_poly_d
T __kiln_sin_poly(T r, B q) {
  // sin(r + q * pi / 2) for |r| <= pi / 4
  T z = r * r;
  T s = __kiln_fused(z, (T)0x1.5d8ccb88a2608p-33, (T)-0x1.ae5e500fabb99p-26);
  s = __kiln_fused(s, z, (T)0x1.71de355a30dcp-19);
  s = __kiln_fused(s, z, (T)-0x1.a01a019bedba2p-13);
  s = __kiln_fused(s, z, (T)0x1.111111110f747p-7);
  s = __kiln_fused(s, z, (T)-0x1.5555555555548p-3);
  s = __kiln_fused(s, z * r, r);
  T c = __kiln_fused(z, (T)-0x1.8fa533c62e7b5p-37, (T)0x1.1ee9d999ab366p-29);
  c = __kiln_fused(c, z, (T)-0x1.27e4f7eee413ap-22);
  c = __kiln_fused(c, z, (T)0x1.a01a019c8c64cp-16);
  c = __kiln_fused(c, z, (T)-0x1.6c16c16c15005p-10);
  c = __kiln_fused(c, z, (T)0x1.555555555554bp-5);
  c = __kiln_fused(c, z, (T)-0.5);
  c = __kiln_fused(c, z, (T)1.0);
  T v = (q & 1) != 0 ? c : s;
  B bits = __kiln_bits(v) ^ ((q & 2) << 62);
  return __kiln_float(bits);
}

//@ trig_large_d
__attribute__((noinline)) T __kiln_trig_large(T x, I quarter) {
  // sin(x + quarter * pi / 2) for large x: x times 2 / pi in fixed point. The table has 64 zeros before the bits of
  // 2 / pi; of these, as many as the exponent says count only for whole turns and are skipped
  constant ulong table[20] = {
    0x0000000000000000ul, 0xa2f9836e4e441529ul, 0xfc2757d1f534ddc0ul, 0xdb6295993c439041ul,
    0xfe5163abdebbc561ul, 0xb7246e3a424dd2e0ul, 0x06492eea09d1921cul, 0xfe1deb1cb129a73eul,
    0xe88235f52ebb4484ul, 0xe99c7026b45f7e41ul, 0x3991d639835339f4ul, 0x9c845f8bbdf9283bul,
    0x1ff897ffde05980ful, 0xef2f118b5a0a6d1ful, 0x6d367ecf27cb09b7ul, 0x4f463f669e5fea2dul,
    0x7527bac7ebe5f17bul, 0x3d0739f78a5292eaul, 0x6bfb5fb11f8d5d08ul, 0x56033046fc7b6babul};
  ulong bits = as_ulong(x), m = (bits << 11) | 0x8000000000000000ul;
  uint e = (uint)(bits >> 52) & 2047u;
  if (e == 2047u)
    return x - x;
  e = max(e, 1023u) - 1023u; // smaller ones come in vectors, beside large ones
  uint i = e >> 6, n = e & 63u;
  ulong t0 = table[i], t1 = table[i + 1u], t2 = table[i + 2u], t3 = table[i + 3u];
  ulong a = (t0 << n) | ((t1 >> 1) >> (63u - n));
  ulong b = (t1 << n) | ((t2 >> 1) >> (63u - n));
  ulong c = (t2 << n) | ((t3 >> 1) >> (63u - n));
  ulong last = m * b, low = last + mul_hi(m, c);
  ulong next = mul_hi(m, b) + (low < last ? 1ul : 0ul), first = m * a, high = first + next;
  ulong whole = mul_hi(m, a) + (high < first ? 1ul : 0ul);
  long q = (long)((whole << 1) | (high >> 63));
  // the fraction of a quadrant, from -1/2 to 1/2
  high = (high << 1) | (low >> 63);
  low = low << 1;
  ulong up = high >> 63;
  q += (long)up;
  ulong size = up ? (low ? ~high : 0ul - high) : high;
  low = up ? 0ul - low : low;
  uint zeros = (uint)clz(size);
  ulong top = zeros > 63u ? low : (size << zeros) | ((low >> 1) >> (63u - zeros));
  T h = (T)(top & 0xfffffffffffff800ul), l = (T)(top & 0x7fful);
  T r = __kiln_fused(h, 0x1.921fb54442d18p+0, __kiln_fused(h, 0x1.1a62633145c07p-54, l * 0x1.921fb54442d18p+0));
  r = r * as_double((959ul - (ulong)zeros) << 52);
  r = as_double(as_ulong(r) ^ (up << 63) ^ (bits & 0x8000000000000000ul));
  q = bits >> 63 ? (long)quarter - q : (long)quarter + q;
  return __kiln_sin_poly(r, q);
}

//@ trig_large_halves
T __kiln_trig_large(T x, I quarter) {
  return (T)(__kiln_trig_large(x.lo, quarter.lo), __kiln_trig_large(x.hi, quarter.hi));
}

//@ trig_large_3
T __kiln_trig_large(T x, I quarter) {
  return (T)(__kiln_trig_large(x.xy, quarter.xy), __kiln_trig_large(x.z, quarter.z));
}

//@ sin_d
T sin_d(T x) {
  T a = fabs(x);
  T t = __kiln_fused(a, (T)0x1.45f306dc9c883p-1, (T)0x1.8p52);
  T v = __kiln_sin_poly(__kiln_reduce(a, t - 0x1.8p52), __kiln_bits(t));
  B bits = __kiln_bits(v) ^ (__kiln_bits(x) & 0x8000000000000000);
  v = __kiln_float(bits);
  B large = a > 1000000.0 ? (B)-1 : (B)0;
  if (any(large)) {
    T w = __kiln_trig_large(x, (I)0);
    v = large != 0 ? w : v;
  }
  return v;
}

//@ cos_d
T cos_d(T x) {
  T a = fabs(x);
  T t = __kiln_fused(a, (T)0x1.45f306dc9c883p-1, (T)0x1.8p52);
  T v = __kiln_sin_poly(__kiln_reduce(a, t - 0x1.8p52), __kiln_bits(t) + 1);
  B large = a > 1000000.0 ? (B)-1 : (B)0;
  if (any(large)) {
    T w = __kiln_trig_large(x, (I)1);
    v = large != 0 ? w : v;
  }
  return v;
}

//@ sincos_d
T sincos_d(T x, P p) {
  T a = fabs(x);
  T t = __kiln_fused(a, (T)0x1.45f306dc9c883p-1, (T)0x1.8p52);
  B q = __kiln_bits(t);
  T r = __kiln_reduce(a, t - 0x1.8p52);
  T c = __kiln_sin_poly(r, q + 1), s = __kiln_sin_poly(r, q);
  B bits = __kiln_bits(s) ^ (__kiln_bits(x) & 0x8000000000000000);
  s = __kiln_float(bits);
  B large = a > 1000000.0 ? (B)-1 : (B)0;
  if (any(large)) {
    T ws = __kiln_trig_large(x, (I)0), wc = __kiln_trig_large(x, (I)1);
    s = large != 0 ? ws : s;
    c = large != 0 ? wc : c;
  }
  *p = c;
  return s;
}

//@ tan_d
T tan_d(T x) {
  T a = fabs(x);
  T t = __kiln_fused(a, (T)0x1.45f306dc9c883p-1, (T)0x1.8p52);
  B q = __kiln_bits(t);
  T r = __kiln_reduce(a, t - 0x1.8p52);
  T v = __kiln_sin_poly(r, q) / __kiln_sin_poly(r, q + 1);
  B bits = __kiln_bits(v) ^ (__kiln_bits(x) & 0x8000000000000000);
  v = __kiln_float(bits);
  B large = a > 1000000.0 ? (B)-1 : (B)0;
  if (any(large)) {
    T w = __kiln_trig_large(x, (I)0) / __kiln_trig_large(x, (I)1);
    v = large != 0 ? w : v;
  }
  return v;
}

//@ sinpi_d
T sinpi_d(T x) {
  T a = fabs(x);
  a = a < 0x1p53 ? a : a - a; // what is larger is even
  T k = rint(a * 2.0);
  T r = __kiln_fused(k, (T)-0.5, a) * 0x1.921fb54442d18p+1;
  T t = (k - floor(k * 0.25) * 4.0) + 0x1.8p52;
  T v = __kiln_sin_poly(r, __kiln_bits(t));
  v = v == 0.0 ? (T)0.0 : v;
  B bits = __kiln_bits(v) ^ (__kiln_bits(x) & 0x8000000000000000);
  return __kiln_float(bits);
}

//@ cospi_d
T cospi_d(T x) {
  T a = fabs(x);
  a = a < 0x1p53 ? a : a - a; // what is larger is even
  T k = rint(a * 2.0);
  T r = __kiln_fused(k, (T)-0.5, a) * 0x1.921fb54442d18p+1;
  T t = (k - floor(k * 0.25) * 4.0) + 0x1.8p52;
  T v = __kiln_sin_poly(r, __kiln_bits(t) + 1);
  return v == 0.0 ? (T)0.0 : v;
}

//@ tanh_d
T tanh_d(T x) {
  T a = fabs(x), z = x * x;
  T h = __kiln_half_exp(min(a + a, (T)42.0));
  T high = 1.0 - 1.0 / (h + 0.5);
  T p = __kiln_fused(z, (T)0x1.a27b0f5e7cfc8p-15, (T)-0x1.b592a5c032c36p-13);
  p = __kiln_fused(p, z, (T)0x1.2f19e8f52e5d1p-11);
  p = __kiln_fused(p, z, (T)-0x1.7cdc8e3ada204p-10);
  p = __kiln_fused(p, z, (T)0x1.d6c3c0d84484ap-9);
  p = __kiln_fused(p, z, (T)-0x1.226dca5dd797ap-7);
  p = __kiln_fused(p, z, (T)0x1.664f450cb9f04p-6);
  p = __kiln_fused(p, z, (T)-0x1.ba1ba1a99645ep-5);
  p = __kiln_fused(p, z, (T)0x1.11111110fd7f2p-3);
  p = __kiln_fused(p, z, (T)-0x1.5555555555454p-2);
  p = __kiln_fused(p, z * a, a);
  p = a < 0.55 ? p : high;
  return copysign(p, x);
}

//@ cosh_d
T cosh_d(T x) {
  T a = fabs(x);
  T h = __kiln_half_exp(min(a, (T)709.0));
  T r = h + 0.25 / h;
  T end = __kiln_half_exp(a - 2.0) * 0x1.d8e64b8d4ddaep+2;
  B infinite = (B)0x7ff0000000000000;
  r = a > 709.0 ? end : r;
  return a > 711.0 ? __kiln_float(infinite) : r;
}

//@ asinh_d
T asinh_d(T x) {
  T a = fabs(x), b = min(a, (T)0x1p60);
  T s = sqrt(__kiln_fused(b, b, (T)1.0));
  T u = b + b * (b / (1.0 + s));
  T far = a > 0x1p60 ? (T)0x1.62e42fefa39efp-1 : (T)0.0;
  u = a > 0x1p60 ? a : u;
  T r = log1p(u) + far;
  return copysign(r, x);
}

//@ acosh_d
T acosh_d(T x) {
  T t = x - 1.0;
  T u = t + sqrt(__kiln_fused(t, t, t + t));
  T far = x > 0x1p60 ? (T)0x1.62e42fefa39efp-1 : (T)0.0;
  u = x > 0x1p60 ? x : u;
  u = x < 1.0 ? (T)-2.0 : u;
  return log1p(u) + far;
}

//@ atanh_d
T atanh_d(T x) {
  T a = fabs(x);
  T r = 0.5 * log1p((a + a) / (1.0 - a));
  return copysign(r, x);
}

//@ cbrt_d
T cbrt_d(T x) {
  T a = fabs(x);
  T v = a * (a < 1.0 ? (T)0x1p54 : (T)0x1p-54);
  T back = a < 1.0 ? (T)0x1p-18 : (T)0x1p18;
  I third = mul_hi(__kiln_to_int(__kiln_bits(v) >> 32), (I)0x55555556);
  B bits = __kiln_like(1430187598 - third, x) << 32; // of an estimate of the inverse
  T z = __kiln_float(bits);
  T e = __kiln_fused(v * z, -z * z, (T)1.0);
  z = __kiln_fused(z * e, __kiln_fused(e, (T)0x1.c71c71c71c71cp-3, (T)0x1.5555555555555p-2), z);
  e = __kiln_fused(v * z, -z * z, (T)1.0);
  z = __kiln_fused(z * e, __kiln_fused(e, (T)0x1.c71c71c71c71cp-3, (T)0x1.5555555555555p-2), z);
  T zz = z * z;
  T y = v * zz;
  y = __kiln_fused(__kiln_fused(-y * y, y, v), zz * 0x1.5555555555555p-2, y) * back;
  B infinite = (B)0x7ff0000000000000;
  y = a > 0.0 && a < __kiln_float(infinite) ? y : a;
  return copysign(y, x);
}

//@ hypot_d
T hypot_d(T x, T y) {
  T a = fabs(x), b = fabs(y), most = max(a, b);
  T s = most > 0x1p500 ? (T)0x1p-530 : (T)1.0, back = most > 0x1p500 ? (T)0x1p530 : (T)1.0;
  s = most < 0x1p-450 ? (T)0x1p600 : s;
  back = most < 0x1p-450 ? (T)0x1p-600 : back;
  T u = a * s, v = b * s;
  T r = sqrt(__kiln_fused(u, u, v * v)) * back;
  B infinite = (B)0x7ff0000000000000;
  T infinity = __kiln_float(infinite);
  return a == infinity || b == infinity ? infinity : r;
}

//@ sinh_d
T sinh_d(T x) {
  T a = fabs(x), z = x * x;
  T h = __kiln_half_exp(min(a, (T)709.0));
  T high = h - 0.25 / h;
  T p = __kiln_fused(z, (T)0x1.3fb011d590694p-48, (T)0x1.aabf6fcda661ap-41);
  p = __kiln_fused(p, z, (T)0x1.612ab70b17b99p-33);
  p = __kiln_fused(p, z, (T)0x1.ae644b3bc1fd5p-26);
  p = __kiln_fused(p, z, (T)0x1.71de3a60a4df6p-19);
  p = __kiln_fused(p, z, (T)0x1.a01a01a00db5dp-13);
  p = __kiln_fused(p, z, (T)0x1.111111111117cp-7);
  p = __kiln_fused(p, z, (T)0x1.5555555555555p-3);
  p = __kiln_fused(p, z * a, a);
  T end = __kiln_half_exp(a - 2.0) * 0x1.d8e64b8d4ddadp+2; // the last stretch before infinity
  B infinite = (B)0x7ff0000000000000;
  high = a > 709.0 ? end : high;
  high = a > 711.0 ? __kiln_float(infinite) : high;
  p = a < 1.0 ? p : high;
  return copysign(p, x);
}

//@ atan_ratio_d
T __kiln_atan_ratio(T y, T x) {
  // atan(y / x) for 0 <= y <= x, by way of an eighth of a circle
  T minus = y - x, plus = y + x;
  T middle = x * 0.41421356237309503;
  T upper = y > middle ? minus : y, lower = y > middle ? plus : x;
  T z = upper / lower;
  T s = z * z;
  T p = __kiln_fused(s, (T)-0x1.25570a177e86bp-6, (T)0x1.37cd21b9297edp-5);
  p = __kiln_fused(p, s, (T)-0x1.9ccf8630c48b3p-5);
  p = __kiln_fused(p, s, (T)0x1.df0e9d906e0ap-5);
  p = __kiln_fused(p, s, (T)-0x1.10ebad12e245bp-4);
  p = __kiln_fused(p, s, (T)0x1.3b11183416505p-4);
  p = __kiln_fused(p, s, (T)-0x1.745cf8d0ca308p-4);
  p = __kiln_fused(p, s, (T)0x1.c71c70e5b84a1p-4);
  p = __kiln_fused(p, s, (T)-0x1.24924922acb78p-3);
  p = __kiln_fused(p, s, (T)0x1.999999999585bp-3);
  p = __kiln_fused(p, s, (T)-0x1.555555555553dp-2);
  T r = __kiln_fused(p, s * z, z);
  T turned = 0x1.921fb54442d18p-1 + (r + 0x1.1a62633145c07p-55);
  return y > middle ? turned : r;
}

//@ atan_d
T atan_d(T x) {
  T a = fabs(x);
  T upper = a > 1.0 ? (T)1.0 : a, lower = a > 1.0 ? a : (T)1.0;
  T p = __kiln_atan_ratio(upper, lower);
  T other = 0x1.921fb54442d18p0 - (p - 0x1.1a62633145c07p-54);
  p = a > 1.0 ? other : p;
  return copysign(p, x);
}

//@ atan2_d
T atan2_d(T y, T x) {
  T a = fabs(y), b = fabs(x);
  T upper = min(a, b), lower = max(a, b);
  T s = lower > 0x1p1000 ? (T)0x1p-64 : (T)1.0; // so that sums do not overflow
  s = lower < 0x1p-900 ? (T)0x1p64 : s;         // and products are not subnormal
  T one = upper == lower ? (T)1.0 : lower * s; // also of two infinities
  upper = upper == lower ? (T)1.0 : upper * s;
  T p = __kiln_atan_ratio(upper, one);
  p = lower == 0.0 ? (T)0.0 : p;
  T other = 0x1.921fb54442d18p0 - (p - 0x1.1a62633145c07p-54);
  p = a > b ? other : p;
  other = 0x1.921fb54442d18p1 - (p - 0x1.1a62633145c07p-53);
  p = __kiln_bits(x) < 0 ? other : p;
  p = x != x ? x : p;
  p = y != y ? y : p;
  return copysign(p, y);
}

//@ asin_poly_d
T __kiln_asin_poly(T s, T z) {
  T p = __kiln_fused(z, (T)0x1.065da903c4231p-5, (T)-0x1.0c84f97097b11p-6);
  p = __kiln_fused(p, z, (T)0x1.41a4dcd287fa3p-6);
  p = __kiln_fused(p, z, (T)0x1.a962f30344e1ep-8);
  p = __kiln_fused(p, z, (T)0x1.8f09567c3df59p-7);
  p = __kiln_fused(p, z, (T)0x1.c6f34371893d7p-7);
  p = __kiln_fused(p, z, (T)0x1.1c6c668f3898ap-6);
  p = __kiln_fused(p, z, (T)0x1.6e89eba808dbcp-6);
  p = __kiln_fused(p, z, (T)0x1.f1c72c922fae6p-6);
  p = __kiln_fused(p, z, (T)0x1.6db6db416e1adp-5);
  p = __kiln_fused(p, z, (T)0x1.333333337011fp-4);
  p = __kiln_fused(p, z, (T)0x1.5555555555383p-3);
  return __kiln_fused(p, z * s, s);
}

//@ asin_d
T asin_d(T x) {
  T a = fabs(x), outer = __kiln_fused(a, (T)-0.5, (T)0.5);
  T z = a > 0.5 ? outer : a * a;
  T root = sqrt(z);
  T s = a > 0.5 ? root : a;
  T p = __kiln_asin_poly(s, z);
  T other = 0x1.921fb54442d18p0 - __kiln_fused(p, (T)2.0, (T)-0x1.1a62633145c07p-54);
  p = a > 0.5 ? other : p;
  return copysign(p, x);
}

//@ acos_d
T acos_d(T x) {
  T a = fabs(x), outer = __kiln_fused(a, (T)-0.5, (T)0.5);
  T z = a > 0.5 ? outer : a * a;
  T root = sqrt(z);
  T s = a > 0.5 ? root : a;
  T p = __kiln_asin_poly(s, z);
  T inner = 0x1.921fb54442d18p0 - (copysign(p, x) - 0x1.1a62633145c07p-54);
  T twice = p + p;
  T left = 0x1.921fb54442d18p1 - (twice - 0x1.1a62633145c07p-53);
  twice = x < 0.0 ? left : twice;
  return a > 0.5 ? twice : inner;
}
