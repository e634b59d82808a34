// Library functions in the kernel language: mathematical functions of float, for targets with inline_math
// (inline_math.def says which call takes which). math.cl says how sections work; here T is float or a vector of it, B and I
// are its int. They are inlined and run by lanes, so they choose with selects rather than branch, and use no tables.
//
// __kiln_fused(x, y, z) is x * y + z, in one rounding where the target is as fast at that. The constants by which
// arguments are reduced are short enough to make products with them exact anyway. Rounding to an integer is done by
// adding and subtracting 1.5 * 2^23, which leaves the integer in the low bits of the sum as well. Angles that are too
// large for the reduction go to the operation of the IR (__kiln_sin and so on), after a branch that is rarely taken.

//@ scale_f
T __kiln_scale(T p, B n) {
  // p * 2^n in two steps, so that the last one rounds to subnormals; of n only the low 9 bits count. By products, not
  // on the bits, so that a NaN stays one
  B h = (n >> 1) << 23, all = n << 23;
  B first = h + 0x3f800000, second = all - h + 0x3f800000;
  return p * __kiln_float(first) * __kiln_float(second);
}

//@ exp_f
T exp_f(T x) {
  T y = min(max(x, (T)-104.0f), (T)89.0f);
  T t = __kiln_fused(y, (T)0x1.715476p0f, (T)12582912.0f);
  T n = t - 12582912.0f;
  T r = __kiln_fused(n, (T)-0x1.62e4p-1f, y);
  r = __kiln_fused(n, (T)-0x1.7f7d1cp-20f, r);
  T p = __kiln_fused(r, (T)0x1.696e34p-10f, (T)0x1.123f78p-7f);
  p = __kiln_fused(p, r, (T)0x1.555a12p-5f);
  p = __kiln_fused(p, r, (T)0x1.55548ap-3f);
  p = __kiln_fused(p, r, (T)0x1.fffffap-2f);
  p = __kiln_fused(p, r, (T)1.0f);
  p = __kiln_fused(p, r, (T)1.0f);
  return __kiln_scale(p, __kiln_bits(t));
}

//@ exp2_f
T exp2_f(T x) {
  T y = min(max(x, (T)-151.0f), (T)128.5f);
  T t = y + 12582912.0f;
  T r = y - (t - 12582912.0f);
  T p = __kiln_fused(r, (T)0x1.3fbc78p-13f, (T)0x1.5f0f82p-10f);
  p = __kiln_fused(p, r, (T)0x1.3b308cp-7f);
  p = __kiln_fused(p, r, (T)0x1.c6af7p-5f);
  p = __kiln_fused(p, r, (T)0x1.ebfbd8p-3f);
  p = __kiln_fused(p, r, (T)0x1.62e43p-1f);
  p = __kiln_fused(p, r, (T)1.0f);
  return __kiln_scale(p, __kiln_bits(t));
}

//@ exp10_f
T exp10_f(T x) {
  T y = min(max(x, (T)-45.5f), (T)38.6f);
  T t = __kiln_fused(y, (T)0x1.a934fp1f, (T)12582912.0f);
  T n = t - 12582912.0f;
  T r = __kiln_fused(n, (T)-0x1.344p-2f, y);
  r = __kiln_fused(n, (T)-0x1.3509f8p-18f, r);
  T p = __kiln_fused(r, (T)0x1.a4c7ap-3f, (T)0x1.15716ap-1f);
  p = __kiln_fused(p, r, (T)0x1.2bdbc2p0f);
  p = __kiln_fused(p, r, (T)0x1.046f94p1f);
  p = __kiln_fused(p, r, (T)0x1.535248p1f);
  p = __kiln_fused(p, r, (T)0x1.26bb1cp1f);
  p = __kiln_fused(p, r, (T)1.0f);
  return __kiln_scale(p, __kiln_bits(t));
}

//@ exp_fast
T exp_fast(T x) {
  // without infinities and subnormals: what is too large becomes the largest, what is too small 0
  T y = min(max(x, (T)-0x1.5d589cp6f), (T)0x1.62e42ep6f);
  T t = __kiln_fused(y, (T)0x1.715476p0f, (T)12582912.0f);
  T r = __kiln_fused(t - 12582912.0f, (T)-0x1.62e43p-1f, y);
  T p = __kiln_fused(r, (T)0x1.0fa27cp-7f, (T)0x1.573ad8p-5f);
  p = __kiln_fused(p, r, (T)0x1.555a7cp-3f);
  p = __kiln_fused(p, r, (T)0x1.fffdc4p-2f);
  p = __kiln_fused(p, r, (T)0x1.fffff6p-1f);
  p = __kiln_fused(p, r, (T)1.0f);
  B bits = __kiln_bits(p) + (__kiln_bits(t) << 23);
  T scaled = __kiln_float(bits);
  return x < -0x1.5d589cp6f ? (T)0.0f : scaled;
}

//@ exp2_fast
T exp2_fast(T x) {
  T y = min(max(x, (T)-126.0f), (T)0x1.fffffep6f);
  T t = y + 12582912.0f;
  T r = y - (t - 12582912.0f);
  T p = __kiln_fused(r, (T)0x1.5bfbap-10f, (T)0x1.3ceb1ap-7f);
  p = __kiln_fused(p, r, (T)0x1.c6b69ep-5f);
  p = __kiln_fused(p, r, (T)0x1.ebf9bap-3f);
  p = __kiln_fused(p, r, (T)0x1.62e42ap-1f);
  p = __kiln_fused(p, r, (T)1.0f);
  B bits = __kiln_bits(p) + (__kiln_bits(t) << 23);
  T scaled = __kiln_float(bits);
  return x < -126.0f ? (T)0.0f : scaled;
}

//@ exp10_fast
T exp10_fast(T x) { return native_exp2(x * 0x1.a934fp1f); }

//@ half_exp_f
T __kiln_half_exp(T x) {
  // e^x / 2 for x from -86 to 89
  T t = __kiln_fused(x, (T)0x1.715476p0f, (T)12583038.0f); // with the bias of exponents, less 1
  T n = t - 12583038.0f;
  T r = __kiln_fused(n, (T)-0x1.62e4p-1f, x);
  r = __kiln_fused(n, (T)-0x1.7f7d1cp-20f, r);
  T p = __kiln_fused(r, (T)0x1.696e34p-10f, (T)0x1.123f78p-7f);
  p = __kiln_fused(p, r, (T)0x1.555a12p-5f);
  p = __kiln_fused(p, r, (T)0x1.55548ap-3f);
  p = __kiln_fused(p, r, (T)0x1.fffffap-2f);
  p = __kiln_fused(p, r, (T)1.0f);
  p = __kiln_fused(p, r, (T)1.0f);
  B bits = __kiln_bits(t) << 23;
  return p * __kiln_float(bits);
}

//@ expm1_f
T expm1_f(T x) {
  T y = min(max(x, (T)-18.0f), (T)89.0f);
  T t = __kiln_fused(y, (T)0x1.715476p0f, (T)12583038.0f);
  T n = t - 12583038.0f;
  T r = __kiln_fused(n, (T)-0x1.62e4p-1f, y);
  r = __kiln_fused(n, (T)-0x1.7f7d1cp-20f, r);
  T p = __kiln_fused(r, (T)0x1.6b80c8p-10f, (T)0x1.122cb8p-7f);
  p = __kiln_fused(p, r, (T)0x1.55571p-5f);
  p = __kiln_fused(p, r, (T)0x1.5554aap-3f);
  p = __kiln_fused(p, r, (T)0x1.fffffep-2f);
  p = __kiln_fused(p * r, r, r);
  B bits = __kiln_bits(t) << 23; // of 2^(n-1), so that the largest n has one
  T s = __kiln_float(bits);
  T v = 2.0f * __kiln_fused(s, p, s - 0.5f);
  return x == 0.0f ? x : v;
}

//@ log_f
T log_f(T x) {
  T big = x * 0x1p23f;
  T y = x < 0x1p-126f ? big : x;
  T e = x < 0x1p-126f ? (T)-23.0f : (T)0.0f;
  B i = __kiln_bits(y) - 0x3f2aaaab; // y = 2^k * m, m from 2/3 to 4/3
  B bits = (i & 0x7fffff) + 0x3f2aaaab;
  T f = __kiln_float(bits) - 1.0f;
  e = e + __kiln_from_int(i >> 23, x);
  T p = __kiln_fused(f, (T)-0x1.080caap-3f, (T)0x1.1e73b8p-3f);
  p = __kiln_fused(p, f, (T)-0x1.f30e34p-4f);
  p = __kiln_fused(p, f, (T)0x1.1ed422p-3f);
  p = __kiln_fused(p, f, (T)-0x1.559de4p-3f);
  p = __kiln_fused(p, f, (T)0x1.99d05ep-3f);
  p = __kiln_fused(p, f, (T)-0x1.fffefp-3f);
  p = __kiln_fused(p, f, (T)0x1.555506p-2f);
  p = __kiln_fused(p, f, (T)-0.5f);
  T r = __kiln_fused(p, f * f, f);
  r = __kiln_fused(e, (T)0x1.62e43p-1f, r);
  return __kiln_log_special(x, r);
}

//@ log_special_f
T __kiln_log_special(T x, T r) {
  // choices one by one: LLVM makes a test for classes of numbers of x > 0 && x < infinity, by nine operations on integers
  B infinity = (B)0x7f800000, quiet = (B)0x7fc00000, minus = (B)0xff800000;
  T end = x == 0.0f ? __kiln_float(minus) : __kiln_float(quiet);
  T above = x < __kiln_float(infinity) ? r : x;
  return x <= 0.0f ? end : above;
}

//@ log2_f
T log2_f(T x) {
  T big = x * 0x1p23f;
  T y = x < 0x1p-126f ? big : x;
  T e = x < 0x1p-126f ? (T)-23.0f : (T)0.0f;
  B i = __kiln_bits(y) - 0x3f2aaaab;
  B bits = (i & 0x7fffff) + 0x3f2aaaab;
  T f = __kiln_float(bits) - 1.0f;
  e = e + __kiln_from_int(i >> 23, x);
  T p = __kiln_fused(f, (T)-0x1.080caap-3f, (T)0x1.1e73b8p-3f);
  p = __kiln_fused(p, f, (T)-0x1.f30e34p-4f);
  p = __kiln_fused(p, f, (T)0x1.1ed422p-3f);
  p = __kiln_fused(p, f, (T)-0x1.559de4p-3f);
  p = __kiln_fused(p, f, (T)0x1.99d05ep-3f);
  p = __kiln_fused(p, f, (T)-0x1.fffefp-3f);
  p = __kiln_fused(p, f, (T)0x1.555506p-2f);
  p = __kiln_fused(p, f, (T)-0.5f);
  T low = __kiln_fused(p * (f * f), (T)0x1.715476p0f, f * 0x1.4ae0cp-26f);
  T r = __kiln_fused(f, (T)0x1.715476p0f, low);
  return __kiln_log_special(x, r + e);
}

//@ log10_f
T log10_f(T x) {
  T big = x * 0x1p23f;
  T y = x < 0x1p-126f ? big : x;
  T e = x < 0x1p-126f ? (T)-23.0f : (T)0.0f;
  B i = __kiln_bits(y) - 0x3f2aaaab;
  B bits = (i & 0x7fffff) + 0x3f2aaaab;
  T f = __kiln_float(bits) - 1.0f;
  e = e + __kiln_from_int(i >> 23, x);
  T p = __kiln_fused(f, (T)-0x1.080caap-3f, (T)0x1.1e73b8p-3f);
  p = __kiln_fused(p, f, (T)-0x1.f30e34p-4f);
  p = __kiln_fused(p, f, (T)0x1.1ed422p-3f);
  p = __kiln_fused(p, f, (T)-0x1.559de4p-3f);
  p = __kiln_fused(p, f, (T)0x1.99d05ep-3f);
  p = __kiln_fused(p, f, (T)-0x1.fffefp-3f);
  p = __kiln_fused(p, f, (T)0x1.555506p-2f);
  p = __kiln_fused(p, f, (T)-0.5f);
  T low = __kiln_fused(p * (f * f), (T)0x1.bcb7b2p-2f, f * -0x1.5b235ep-27f);
  T r = __kiln_fused(f, (T)0x1.bcb7b2p-2f, low);
  r = __kiln_fused(e, (T)0x1.3509f8p-18f, r);
  r = __kiln_fused(e, (T)0x1.344p-2f, r);
  return __kiln_log_special(x, r);
}

//@ log_fast
T log_fast(T x) {
  // for positive numbers; zero gives a large negative number
  T y = x < 0x1p-126f ? x * 0x1p23f : x;
  B i = __kiln_bits(y) - 0x3f2aaaab;
  B bits = (i & 0x7fffff) + 0x3f2aaaab;
  T f = __kiln_float(bits) - 1.0f, e = __kiln_from_int(i >> 23, x);
  e = x < 0x1p-126f ? e - 23.0f : e;
  T p = __kiln_fused(f, (T)0x1.2056bcp-3f, (T)-0x1.3bfaf6p-3f);
  p = __kiln_fused(p, f, (T)0x1.1e6334p-3f);
  p = __kiln_fused(p, f, (T)-0x1.5005fp-3f);
  p = __kiln_fused(p, f, (T)0x1.99d8acp-3f);
  p = __kiln_fused(p, f, (T)-0x1.0015f6p-2f);
  p = __kiln_fused(p, f, (T)0x1.5554eep-2f);
  p = __kiln_fused(p, f, (T)-0x1.ffffcep-2f);
  p = __kiln_fused(p, f, (T)1.0f);
  return __kiln_fused(e, (T)0x1.62e43p-1f, p * f);
}

//@ log2_fast
T log2_fast(T x) {
  T y = x < 0x1p-126f ? x * 0x1p23f : x;
  B i = __kiln_bits(y) - 0x3f2aaaab;
  B bits = (i & 0x7fffff) + 0x3f2aaaab;
  T f = __kiln_float(bits) - 1.0f, e = __kiln_from_int(i >> 23, x);
  e = x < 0x1p-126f ? e - 23.0f : e;
  T p = __kiln_fused(f, (T)0x1.95a24ep-3f, (T)-0x1.c7833ep-3f);
  p = __kiln_fused(p, f, (T)0x1.9fb3d6p-3f);
  p = __kiln_fused(p, f, (T)-0x1.e4db4ap-3f);
  p = __kiln_fused(p, f, (T)0x1.278a38p-2f);
  p = __kiln_fused(p, f, (T)-0x1.717378p-2f);
  p = __kiln_fused(p, f, (T)0x1.ec70c8p-2f);
  p = __kiln_fused(p, f, (T)-0x1.715454p-1f);
  p = __kiln_fused(p, f, (T)0x1.715476p0f);
  return __kiln_fused(p, f, e);
}

//@ log10_fast
T log10_fast(T x) { return native_log2(x) * 0x1.344136p-2f; }

//@ log1p_f
T log1p_f(T x) {
  // 1 + x = 2^k * (1 + m), m from -1/4 to 1/2, without rounding 1 + x
  B k = (__kiln_bits(1.0f + x) - 0x3f400000) & 0xff800000;
  B scaled = __kiln_bits(x) - k, scale = 0x40800000 - k;
  T m = __kiln_float(scaled) + __kiln_fused((T)0.25f, __kiln_float(scale), (T)-1.0f);
  T e = __kiln_from_int(k >> 23, x);
  T p = __kiln_fused(m, (T)-0x1.721e2ep-5f, (T)0x1.ad45e2p-4f);
  p = __kiln_fused(p, m, (T)-0x1.0db768p-3f);
  p = __kiln_fused(p, m, (T)0x1.288588p-3f);
  p = __kiln_fused(p, m, (T)-0x1.54eb3ep-3f);
  p = __kiln_fused(p, m, (T)0x1.9968eap-3f);
  p = __kiln_fused(p, m, (T)-0x1.00004ep-2f);
  p = __kiln_fused(p, m, (T)0x1.5555a6p-2f);
  p = __kiln_fused(p, m, (T)-0.5f);
  T r = __kiln_fused(p, m * m, m);
  r = __kiln_fused(e, (T)0x1.62e43p-1f, r);
  B infinity = (B)0x7f800000, quiet = (B)0x7fc00000, minus = (B)0xff800000;
  T end = x == -1.0f ? __kiln_float(minus) : __kiln_float(quiet);
  T above = x < __kiln_float(infinity) ? r : x;
  above = x == 0.0f ? x : above;
  return x <= -1.0f ? end : above;
}

//@ residue_f
T __kiln_residue(T x, T y, T p) {
  // x * y - p, where p is the product rounded
  if (__kiln_has_fma())
    return fma(x, y, -p);
  T a = x * 4097.0f, b = y * 4097.0f;
  T xh = a - (a - x), yh = b - (b - y);
  T xl = x - xh, yl = y - yh;
  return xl * yl - (((p - xh * yh) - xl * yh) - xh * yl);
}

//@ pow_core_f
T __kiln_pow_core(T x, T y, T z) {
  // x^(y + z) for x > 0, z much smaller than y: the logarithm to base 2 in two parts, by that of (1 + q) / (1 - q)
  T up = x * 0x1p23f;
  T v = x < 0x1p-126f ? up : x;
  T e = x < 0x1p-126f ? (T)-23.0f : (T)0.0f;
  B i = __kiln_bits(v) - 0x3f3504f3; // v = 2^k * m, m from sqrt(1/2) to sqrt(2)
  B bits = (i & 0x7fffff) + 0x3f3504f3;
  T m = __kiln_float(bits);
  e = e + __kiln_from_int(i >> 23, x);
  T f = m - 1.0f, g = m + 1.0f;
  T gl = f - (g - 2.0f); // what g lost
  T inverse = 1.0f / g;
  T q = f * inverse;
  T qg = q * g;
  T rest = ((f - qg) - __kiln_residue(q, g, qg)) - q * gl;
  T ql = rest * inverse;
  T s = q * q;
  T p = __kiln_fused(s, (T)0x1.558f74p-2f, (T)0x1.a5f29cp-2f);
  p = __kiln_fused(p, s, (T)0x1.2776b2p-1f);
  p = __kiln_fused(p, s, (T)0x1.ec709ep-1f);
  T high = q * 0x1.715476p1f;
  T low = __kiln_residue(q, (T)0x1.715476p1f, high);
  low = low + __kiln_fused(q, (T)0x1.4ae0cp-25f, ql * 0x1.715476p1f);
  low = __kiln_fused(q * s, p, low);
  T both = high + low;
  low = (high - both) + low;
  T sum = e + both;
  low = ((e - sum) + both) + low;
  // times the exponent, which has no effect beyond the limits
  T w = min(max(y, (T)-0x1p32f), (T)0x1p32f);
  T product = w * sum;
  T tail = __kiln_fused(w, low, __kiln_residue(w, sum, product)) + z * sum;
  tail = fabs(product) < 256.0f ? tail : (T)0.0f;
  product = min(max(product, (T)-160.0f), (T)160.0f);
  T t = product + 12582912.0f;
  T r = (product - (t - 12582912.0f)) + tail;
  p = __kiln_fused(r, (T)0x1.3fbc78p-13f, (T)0x1.5f0f82p-10f);
  p = __kiln_fused(p, r, (T)0x1.3b308cp-7f);
  p = __kiln_fused(p, r, (T)0x1.c6af7p-5f);
  p = __kiln_fused(p, r, (T)0x1.ebfbd8p-3f);
  p = __kiln_fused(p, r, (T)0x1.62e43p-1f);
  p = __kiln_fused(p, r, (T)1.0f);
  return __kiln_scale(p, __kiln_bits(t));
}

//@ pow_f
T pow_f(T x, T y) {
  B quiet = (B)0x7fc00000, infinite = (B)0x7f800000;
  T a = fabs(x), nan = __kiln_float(quiet), infinity = __kiln_float(infinite);
  T r = __kiln_pow_core(a, y, (T)0.0f);
  T half_y = y * 0.5f;
  B sign = __kiln_bits(x) & 0x80000000;
  T end = y < 0.0f ? infinity : (T)0.0f; // for 0
  T other = y < 0.0f ? (T)0.0f : infinity;
  r = a == 0.0f ? end : r;
  r = a == infinity ? other : r;
  sign = rint(half_y) == half_y || rint(y) != y ? (B)0 : sign; // negative for odd y only
  B signed_bits = __kiln_bits(r) | sign;
  r = __kiln_float(signed_bits);
  r = x < 0.0f && rint(y) != y && a < infinity ? nan : r;
  r = x != x || y != y ? nan : r;
  return x == 1.0f || y == 0.0f ? (T)1.0f : r;
}

//@ pow_fast
T pow_fast(T x, T y) {
  T r = native_exp2(y * native_log2(fabs(x))), half_y = y * 0.5f;
  return rint(half_y) == half_y ? r : copysign(r, x);
}

//@ powr_fast
T powr_fast(T x, T y) { return native_exp2(y * native_log2(x)); }

//@ powr_f
T powr_f(T x, T y) {
  B quiet = (B)0x7fc00000, infinite = (B)0x7f800000;
  T nan = __kiln_float(quiet), infinity = __kiln_float(infinite);
  T r = __kiln_pow_core(x, y, (T)0.0f);
  T end = y < 0.0f ? infinity : (T)0.0f;
  T other = y < 0.0f ? (T)0.0f : infinity;
  r = x == 0.0f ? end : r;
  r = x == infinity ? other : r;
  r = y == 0.0f ? (T)1.0f : r;
  r = (x == 0.0f || x == infinity) && y == 0.0f ? nan : r;
  r = x == 1.0f && fabs(y) == infinity ? nan : r;
  return x >= 0.0f && y == y ? r : nan;
}

//@ pown_f
T pown_f(T x, I n) {
  B quiet = (B)0x7fc00000, infinite = (B)0x7f800000;
  T a = fabs(x), infinity = __kiln_float(infinite);
  I low = n & 255;
  T y = __kiln_from_int(n - low, x), z = __kiln_from_int(low, x);
  T sum = y + z;
  T r = __kiln_pow_core(a, sum, (y - sum) + z);
  T end = n < 0 ? infinity : (T)0.0f;
  T other = n < 0 ? (T)0.0f : infinity;
  r = a == 0.0f ? end : r;
  r = a == infinity ? other : r;
  B signed_bits = __kiln_bits(r) | (__kiln_bits(x) & (n << 31));
  r = __kiln_float(signed_bits);
  r = x != x ? __kiln_float(quiet) : r;
  return n == 0 ? (T)1.0f : r;
}

//@ rootn_f
T rootn_f(T x, I n) {
  B quiet = (B)0x7fc00000, infinite = (B)0x7f800000;
  T a = fabs(x), m = __kiln_from_int(n, x), infinity = __kiln_float(infinite), nan = __kiln_float(quiet);
  T h = 1.0f / m;
  T p = h * m;
  T rest = ((1.0f - p) - __kiln_residue(h, m, p)) / m; // what is missing of the reciprocal
  T r = __kiln_pow_core(a, h, rest);
  T end = n < 0 ? infinity : (T)0.0f;
  T other = n < 0 ? (T)0.0f : infinity;
  r = a == 0.0f ? end : r;
  r = a == infinity ? other : r;
  B signed_bits = __kiln_bits(r) | (__kiln_bits(x) & (n << 31));
  r = __kiln_float(signed_bits);
  r = x < 0.0f && (n & 1) == 0 ? nan : r;
  return n == 0 || x != x ? nan : r;
}

//@ reduce_f
T __kiln_reduce(T x, T k) {
  // x - k * pi / 2
  return __kiln_has_fma()
             ? fma(k, (T)-0x1.846988p-48f, fma(k, (T)-0x1.5110b4p-22f, fma(k, (T)-0x1.921fbp0f, x)))
             : (((x - k * 0x1.92p0f) - k * 0x1.fb4p-12f) - k * 0x1.444p-24f) - k * 0x1.68c234p-39f;
}

//@ sin_poly_f
T __kiln_sin_poly(T r, B q) {
  // sin(r + q * pi / 2) for |r| <= pi / 4
  T z = r * r;
  T s = __kiln_fused(z, (T)0x1.77d42cp-19f, (T)-0x1.a0484ap-13f);
  s = __kiln_fused(s, z, (T)0x1.111164p-7f);
  s = __kiln_fused(s, z, (T)-0x1.555556p-3f);
  s = __kiln_fused(s, z * r, r);
  T c = __kiln_fused(z, (T)0x1.99e70ap-16f, (T)-0x1.6c0c26p-10f);
  c = __kiln_fused(c, z, (T)0x1.55554ap-5f);
  c = __kiln_fused(c, z, (T)-0.5f);
  c = __kiln_fused(c, z, (T)1.0f);
  T v = (q & 1) != 0 ? c : s;
  B bits = __kiln_bits(v) ^ ((q & 2) << 30);
  return __kiln_float(bits);
}

//@ sin_f
T sin_f(T x) {
  T a = fabs(x);
  T t = __kiln_fused(a, (T)0x1.45f306p-1f, (T)12582912.0f);
  T v = __kiln_sin_poly(__kiln_reduce(a, t - 12582912.0f), __kiln_bits(t));
  B bits = __kiln_bits(v) ^ (__kiln_bits(x) & 0x80000000);
  v = __kiln_float(bits);
  I large = a > (__kiln_has_fma() ? 105615.0f : 6000.0f) ? (I)-1 : (I)0;
  if (any(large)) {
    T w = __kiln_sin(x);
    v = large != 0 ? w : v;
  }
  return v;
}

//@ cos_f
T cos_f(T x) {
  T a = fabs(x);
  T t = __kiln_fused(a, (T)0x1.45f306p-1f, (T)12582912.0f);
  T v = __kiln_sin_poly(__kiln_reduce(a, t - 12582912.0f), __kiln_bits(t) + 1);
  I large = a > (__kiln_has_fma() ? 105615.0f : 6000.0f) ? (I)-1 : (I)0;
  if (any(large)) {
    T w = __kiln_cos(x);
    v = large != 0 ? w : v;
  }
  return v;
}

//@ sincos_f
T sincos_f(T x, P p) {
  T a = fabs(x);
  T t = __kiln_fused(a, (T)0x1.45f306p-1f, (T)12582912.0f);
  B q = __kiln_bits(t);
  T r = __kiln_reduce(a, t - 12582912.0f);
  T c = __kiln_sin_poly(r, q + 1), s = __kiln_sin_poly(r, q);
  B bits = __kiln_bits(s) ^ (__kiln_bits(x) & 0x80000000);
  s = __kiln_float(bits);
  I large = a > (__kiln_has_fma() ? 105615.0f : 6000.0f) ? (I)-1 : (I)0;
  if (any(large)) {
    T ws = __kiln_sin(x), wc = __kiln_cos(x);
    s = large != 0 ? ws : s;
    c = large != 0 ? wc : c;
  }
  *p = c;
  return s;
}

//@ tan_f
T tan_f(T x) {
  T a = fabs(x);
  T t = __kiln_fused(a, (T)0x1.45f306p-1f, (T)12582912.0f);
  T r = __kiln_reduce(a, t - 12582912.0f);
  B q = __kiln_bits(t);
  T z = r * r;
  T p = __kiln_fused(z, (T)0x1.1fb014p-8f, (T)0x1.173c4cp-14f);
  p = __kiln_fused(p, z, (T)0x1.63860ap-7f);
  p = __kiln_fused(p, z, (T)0x1.5ca218p-6f);
  p = __kiln_fused(p, z, (T)0x1.badc14p-5f);
  p = __kiln_fused(p, z, (T)0x1.110d96p-3f);
  p = __kiln_fused(p, z, (T)0x1.55556p-2f);
  p = __kiln_fused(p, z * r, r);
  T inverse = -1.0f / p;
  p = (q & 1) != 0 ? inverse : p;
  B bits = __kiln_bits(p) ^ (__kiln_bits(x) & 0x80000000);
  T v = __kiln_float(bits);
  I large = a > (__kiln_has_fma() ? 105615.0f : 6000.0f) ? (I)-1 : (I)0;
  if (any(large)) {
    T w = __kiln_tan(x);
    v = large != 0 ? w : v;
  }
  return v;
}

//@ sin_fast_poly
T __kiln_sin_fast(T x, I quarter) {
  // less precise for arguments beyond some thousands
  T t = __kiln_fused(x, (T)0x1.45f306p-1f, (T)12582912.0f);
  T k = t - 12582912.0f;
  T r = __kiln_fused(k, (T)0x1.777a5cp-25f, __kiln_fused(k, (T)-0x1.921fb6p0f, x));
  r = min(max(r, (T)-1.0f), (T)1.0f); // huge ones give nothing of use, but from -1 to 1
  B q = __kiln_bits(t) + quarter;
  T z = r * r;
  T s = __kiln_fused(z, (T)-0x1.9929a8p-13f, (T)0x1.1106ep-7f);
  s = __kiln_fused(s, z, (T)-0x1.555544p-3f);
  s = __kiln_fused(s, z * r, r);
  T c = __kiln_fused(z, (T)-0x1.65c2a4p-10f, (T)0x1.55497ap-5f);
  c = __kiln_fused(c, z, (T)-0.5f);
  c = __kiln_fused(c, z, (T)1.0f);
  T v = (q & 1) != 0 ? c : s;
  B bits = __kiln_bits(v) ^ ((q & 2) << 30);
  return __kiln_float(bits);
}

//@ sin_fast
T sin_fast(T x) { return __kiln_sin_fast(x, (I)0); }

//@ cos_fast
T cos_fast(T x) { return __kiln_sin_fast(x, (I)1); }

//@ sincos_fast
T sincos_fast(T x, P p) {
  *p = __kiln_sin_fast(x, (I)1);
  return __kiln_sin_fast(x, (I)0);
}

//@ tan_fast
T tan_fast(T x) {
  T t = __kiln_fused(x, (T)0x1.45f306p-1f, (T)12582912.0f);
  T k = t - 12582912.0f;
  T r = __kiln_fused(k, (T)0x1.777a5cp-25f, __kiln_fused(k, (T)-0x1.921fb6p0f, x));
  T z = r * r;
  T s = __kiln_fused(z, (T)-0x1.9929a8p-13f, (T)0x1.1106ep-7f);
  s = __kiln_fused(s, z, (T)-0x1.555544p-3f);
  s = __kiln_fused(s, z * r, r);
  T c = __kiln_fused(z, (T)-0x1.65c2a4p-10f, (T)0x1.55497ap-5f);
  c = __kiln_fused(c, z, (T)-0.5f);
  c = __kiln_fused(c, z, (T)1.0f);
  T upper = (__kiln_bits(t) & 1) != 0 ? -c : s;
  T lower = (__kiln_bits(t) & 1) != 0 ? s : c;
  return upper / lower;
}

//@ rsqrt_fast
T rsqrt_fast(T x) {
  // without FMA the steps take longer than the units for division and roots
  if (!__kiln_has_fma())
    return 1.0f / sqrt(x);
  // an estimate of the bits, 4 % off, and the series of 1 / sqrt(1 - e): 1.4 units in the last place; large for zero
  B bits = 0x5f371000 - (__kiln_bits(x) >> 1);
  T y = __kiln_float(bits);
  T e = __kiln_fused(-x * y, y, (T)1.0f);
  T s = __kiln_fused(e, (T)0.27776687f, (T)0.3139018f);
  s = __kiln_fused(e, s, (T)0.37498787f);
  s = __kiln_fused(e, s, (T)0.4999984f);
  return __kiln_fused(y * e, s, y);
}

//@ sinpi_f
T sinpi_f(T x) {
  T a = fabs(x);
  a = a < 0x1p24f ? a : a - a; // what is larger is even
  T k = rint(a * 2.0f);
  T r = __kiln_fused(k, (T)-0.5f, a) * 0x1.921fb6p1f;
  T t = (k - floor(k * 0.25f) * 4.0f) + 12582912.0f;
  T v = __kiln_sin_poly(r, __kiln_bits(t));
  v = v == 0.0f ? (T)0.0f : v;
  B bits = __kiln_bits(v) ^ (__kiln_bits(x) & 0x80000000);
  return __kiln_float(bits);
}

//@ cospi_f
T cospi_f(T x) {
  T a = fabs(x);
  a = a < 0x1p24f ? a : a - a; // what is larger is even
  T k = rint(a * 2.0f);
  T r = __kiln_fused(k, (T)-0.5f, a) * 0x1.921fb6p1f;
  T t = (k - floor(k * 0.25f) * 4.0f) + 12582912.0f;
  T v = __kiln_sin_poly(r, __kiln_bits(t) + 1);
  return v == 0.0f ? (T)0.0f : v;
}

//@ sinh_f
T sinh_f(T x) {
  T a = fabs(x), z = x * x;
  T h = __kiln_half_exp(min(a, (T)89.0f));
  T high = h - 0.25f / h;
  T p = __kiln_fused(z, (T)0x1.76c1b4p-19f, (T)0x1.a01a8cp-13f);
  p = __kiln_fused(p, z, (T)0x1.1110ecp-7f);
  p = __kiln_fused(p, z, (T)0x1.555556p-3f);
  p = __kiln_fused(p, z * a, a);
  // the last stretch before infinity, by a factor
  T end = __kiln_half_exp(a - 2.0f) * 0x1.d8e64cp2f;
  B infinite = (B)0x7f800000;
  high = a > 89.0f ? end : high;
  high = a > 90.0f ? __kiln_float(infinite) : high;
  p = a < 1.0f ? p : high;
  return copysign(p, x);
}

//@ cosh_f
T cosh_f(T x) {
  T a = fabs(x);
  T h = __kiln_half_exp(min(a, (T)89.0f));
  T r = h + 0.25f / h;
  T end = __kiln_half_exp(a - 2.0f) * 0x1.d8e64cp2f;
  B infinite = (B)0x7f800000;
  r = a > 89.0f ? end : r;
  return a > 90.0f ? __kiln_float(infinite) : r;
}

//@ tanh_f
T tanh_f(T x) {
  T a = fabs(x), z = x * x;
  T h = __kiln_half_exp(min(a + a, (T)20.0f));
  T high = 1.0f - 1.0f / (h + 0.5f);
  T p = __kiln_fused(z, (T)-0x1.958c74p-8f, (T)0x1.584238p-6f);
  p = __kiln_fused(p, z, (T)-0x1.b90a76p-5f);
  p = __kiln_fused(p, z, (T)0x1.110c7p-3f);
  p = __kiln_fused(p, z, (T)-0x1.555548p-2f);
  p = __kiln_fused(p, z * a, a);
  p = a < 0.55f ? p : high;
  return copysign(p, x);
}

//@ tanh_fast
T tanh_fast(T x) {
  T e = native_exp(min(max(x + x, (T)-20.0f), (T)20.0f));
  return 1.0f - 2.0f / (e + 1.0f);
}

//@ asinh_f
T asinh_f(T x) {
  T a = fabs(x), b = min(a, (T)0x1p30f);
  T s = sqrt(__kiln_fused(b, b, (T)1.0f));
  T u = b + b * (b / (1.0f + s));
  T far = a > 0x1p30f ? (T)0x1.62e43p-1f : (T)0.0f;
  u = a > 0x1p30f ? a : u;
  T r = log1p(u) + far;
  return copysign(r, x);
}

//@ acosh_f
T acosh_f(T x) {
  T t = x - 1.0f;
  T u = t + sqrt(__kiln_fused(t, t, t + t));
  T far = x > 0x1p30f ? (T)0x1.62e43p-1f : (T)0.0f;
  u = x > 0x1p30f ? x : u;
  u = x < 1.0f ? (T)-2.0f : u;
  return log1p(u) + far;
}

//@ atanh_f
T atanh_f(T x) {
  T a = fabs(x);
  T r = 0.5f * log1p((a + a) / (1.0f - a));
  return copysign(r, x);
}

//@ atan_poly_f
T __kiln_atan_poly(T z) {
  T s = z * z;
  T p = __kiln_fused(s, (T)0x1.7ec1c4p-9f, (T)-0x1.0c23fep-6f);
  p = __kiln_fused(p, s, (T)0x1.61f756p-5f);
  p = __kiln_fused(p, s, (T)-0x1.3553f4p-4f);
  p = __kiln_fused(p, s, (T)0x1.b4dfdcp-4f);
  p = __kiln_fused(p, s, (T)-0x1.230abp-3f);
  p = __kiln_fused(p, s, (T)0x1.9978eep-3f);
  p = __kiln_fused(p, s, (T)-0x1.5554dcp-2f);
  return __kiln_fused(p, s * z, z);
}

//@ atan_f
T atan_f(T x) {
  T a = fabs(x);
  T upper = a > 1.0f ? (T)1.0f : a, lower = a > 1.0f ? a : (T)1.0f;
  T p = __kiln_atan_poly(upper / lower);
  T other = 0x1.921fb6p0f - (p + 0x1.777a5cp-25f);
  p = a > 1.0f ? other : p;
  return copysign(p, x);
}

//@ atan2_f
T atan2_f(T y, T x) {
  T a = fabs(y), b = fabs(x);
  T upper = min(a, b), lower = max(a, b);
  T z = upper / lower;
  z = upper == lower ? (T)1.0f : z;
  z = lower == 0.0f ? (T)0.0f : z;
  T p = __kiln_atan_poly(z);
  T other = 0x1.921fb6p0f - (p + 0x1.777a5cp-25f);
  p = a > b ? other : p;
  other = 0x1.921fb6p1f - (p + 0x1.777a5cp-24f);
  p = __kiln_bits(x) < 0 ? other : p;
  p = x != x ? x : p;
  p = y != y ? y : p;
  return copysign(p, y);
}

//@ asin_poly_f
T __kiln_asin_poly(T s, T z) {
  T p = __kiln_fused(z, (T)0x1.5a8308p-5f, (T)0x1.8af02ap-6f);
  p = __kiln_fused(p, z, (T)0x1.749c6p-5f);
  p = __kiln_fused(p, z, (T)0x1.3300cp-4f);
  p = __kiln_fused(p, z, (T)0x1.5555ccp-3f);
  return __kiln_fused(p, z * s, s);
}

//@ asin_f
T asin_f(T x) {
  T a = fabs(x), outer = __kiln_fused(a, (T)-0.5f, (T)0.5f);
  T z = a > 0.5f ? outer : a * a;
  T root = sqrt(z);
  T s = a > 0.5f ? root : a;
  T p = __kiln_asin_poly(s, z);
  T other = 0x1.921fb6p0f - __kiln_fused(p, (T)2.0f, (T)0x1.777a5cp-25f);
  p = a > 0.5f ? other : p;
  return copysign(p, x);
}

//@ acos_f
T acos_f(T x) {
  T a = fabs(x), outer = __kiln_fused(a, (T)-0.5f, (T)0.5f);
  T z = a > 0.5f ? outer : a * a;
  T root = sqrt(z);
  T s = a > 0.5f ? root : a;
  T p = __kiln_asin_poly(s, z);
  T inner = 0x1.921fb6p0f - (copysign(p, x) + 0x1.777a5cp-25f);
  T twice = p + p;
  T left = 0x1.921fb6p1f - (twice + 0x1.777a5cp-24f);
  twice = x < 0.0f ? left : twice;
  return a > 0.5f ? twice : inner;
}

//@ cbrt_f
T cbrt_f(T x) {
  T a = fabs(x);
  T v = a * (a < 1.0f ? (T)0x1p24f : (T)0x1p-24f); // away from both ends of the range
  T back = a < 1.0f ? (T)0x1p-8f : (T)0x1p8f;
  B third = mul_hi(__kiln_bits(v), (B)0x55555556);
  B bits = 0x54a21d2a - third; // of an estimate of the inverse
  T z = __kiln_float(bits);
  T e = __kiln_fused(v * z, -z * z, (T)1.0f);
  z = __kiln_fused(z * e, __kiln_fused(e, (T)0x1.c71c72p-3f, (T)0x1.555556p-2f), z);
  e = __kiln_fused(v * z, -z * z, (T)1.0f);
  z = __kiln_fused(z * e, (T)0x1.555556p-2f, z);
  T zz = z * z;
  T y = v * zz;
  y = __kiln_fused(__kiln_fused(-y * y, y, v), zz * 0x1.555556p-2f, y) * back;
  B infinite = (B)0x7f800000;
  y = a > 0.0f && a < __kiln_float(infinite) ? y : a;
  return copysign(y, x);
}

//@ hypot_f
T hypot_f(T x, T y) {
  T a = fabs(x), b = fabs(y), most = max(a, b);
  T s = most > 0x1p60f ? (T)0x1p-66f : (T)1.0f, back = most > 0x1p60f ? (T)0x1p66f : (T)1.0f;
  s = most < 0x1p-50f ? (T)0x1p76f : s;
  back = most < 0x1p-50f ? (T)0x1p-76f : back;
  T u = a * s, v = b * s;
  T r = sqrt(__kiln_fused(u, u, v * v)) * back;
  B infinite = (B)0x7f800000;
  T infinity = __kiln_float(infinite);
  return a == infinity || b == infinity ? infinity : r;
}

//@ erf_f
T erf_f(T x) {
  T a = fabs(x), z = a * a, b = min(a, (T)4.0f);
  T s = __kiln_fused(z, (T)-0x1.12339ep-14f, (T)0x1.536cecp-12f);
  s = __kiln_fused(s, z, (T)-0x1.326364p-10f);
  s = __kiln_fused(s, z, (T)0x1.666f26p-8f);
  s = __kiln_fused(s, z, (T)-0x1.b9db28p-6f);
  s = __kiln_fused(s, z, (T)0x1.ce4648p-4f);
  s = __kiln_fused(s, z, (T)-0x1.8127d4p-2f);
  s = __kiln_fused(s, z, (T)0x1.06eba8p-3f);
  s = __kiln_fused(s, a, a);
  // -log(1 - erf(b))
  T p = __kiln_fused(b, (T)-0x1.b9001ep-20f, (T)0x1.83341p-15f);
  p = __kiln_fused(p, b, (T)-0x1.3947c8p-11f);
  p = __kiln_fused(p, b, (T)0x1.381c5p-8f);
  p = __kiln_fused(p, b, (T)-0x1.b0fcap-6f);
  p = __kiln_fused(p, b, (T)0x1.c2eb7ep-4f);
  p = __kiln_fused(p, b, (T)0x1.437e18p-1f);
  p = __kiln_fused(p, b, (T)0x1.215704p0f);
  p = __kiln_fused(p, b, (T)-0x1.4f463cp-12f);
  p = __kiln_fused(__kiln_half_exp(-p), (T)-2.0f, (T)1.0f);
  p = a < 1.0f ? s : p;
  return copysign(p, x);
}

//@ erfc_f
T erfc_f(T x) {
  // (1 + 2 * b) * exp(b * b) * erfc(b) is a polynomial in q
  T b = min(fabs(x), (T)10.1f);
  T q = (b - 4.0f) / (b + 4.0f);
  T p = __kiln_fused(q, (T)0x1.e2f51cp-11f, (T)0x1.d2caa6p-8f);
  p = __kiln_fused(p, q, (T)-0x1.03435cp-6f);
  p = __kiln_fused(p, q, (T)0x1.2a24e6p-5f);
  p = __kiln_fused(p, q, (T)-0x1.111ce6p-4f);
  p = __kiln_fused(p, q, (T)0x1.804766p-4f);
  p = __kiln_fused(p, q, (T)-0x1.9d9fe2p-4f);
  p = __kiln_fused(p, q, (T)0x1.16e9dep-4f);
  p = __kiln_fused(p, q, (T)0x1.f7dcf8p-7f);
  p = __kiln_fused(p, q, (T)-0x1.1df1aap-3f);
  p = __kiln_fused(p, q, (T)0x1.3ba592p0f);
  p = p / __kiln_fused(b, (T)2.0f, (T)1.0f);
  T square = b * b;
  p = __kiln_fused(-p, __kiln_residue(b, b, square), p);
  p = exp(-square) * p;
  T other = 2.0f - p;
  return x < 0.0f ? other : p;
}
