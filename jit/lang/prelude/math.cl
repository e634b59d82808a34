// Library functions in the kernel language: math. A section starts with "//@ name", which builtins.def names in CL(name).
// A section is one function, a template: T is the generic type of the call, S its element, I int with T's lanes, B and U
// the signed and unsigned integers of T's width and lanes, P and Q the types of the first and second pointer parameter.
// There are no macros. Scalars in vector expressions are cast to S, since an operand may not be wider than the vector's
// element, and results of narrow integers go to a variable before they choose an overload.

//@ acospi
T acospi(T x) { return acos(x) / (S)3.14159265358979323846; }

//@ asinpi
T asinpi(T x) { return asin(x) / (S)3.14159265358979323846; }

//@ atanpi
T atanpi(T x) { return atan(x) / (S)3.14159265358979323846; }

//@ atan2pi
T atan2pi(T y, T x) {
  T r = atan2(y, x) / (S)3.14159265358979323846;
  return x == (S)0 && fabs(y) > (S)0 ? copysign((T)(S)0.5, y) : r;
}

//@ sinpi
T sinpi(T x) {
  // all numbers past the limit are even integers
  T y = fabs(x) >= (S)(sizeof(S) == 2 ? 2048.0 : 0x1p53) ? x * (S)0 : x;
  T k = rint(y * (S)2);
  T q = k - floor(k * (S)0.25) * (S)4;
  T a = (y - k * (S)0.5) * (S)3.14159265358979323846;
  T s = sin(a), c = cos(a);
  T r = q == (S)0 ? s : q == (S)1 ? c : q == (S)2 ? -s : -c;
  return r == (S)0 ? copysign((T)0, x) : r;
}

//@ cospi
T cospi(T x) {
  T y = fabs(x) >= (S)(sizeof(S) == 2 ? 2048.0 : 0x1p53) ? x * (S)0 : x;
  T k = rint(y * (S)2);
  T q = k - floor(k * (S)0.25) * (S)4;
  T a = (y - k * (S)0.5) * (S)3.14159265358979323846;
  T s = sin(a), c = cos(a);
  T r = q == (S)0 ? c : q == (S)1 ? -s : q == (S)2 ? -c : s;
  return r == (S)0 ? (T)0 : r;
}

//@ tanpi
T tanpi(T x) { return sinpi(x) / cospi(x); }

//@ acospi_half
T acospi(T x) { return __kiln_half(acospi(__kiln_single(x))); }

//@ asinpi_half
T asinpi(T x) { return __kiln_half(asinpi(__kiln_single(x))); }

//@ atanpi_half
T atanpi(T x) { return __kiln_half(atanpi(__kiln_single(x))); }

//@ sinpi_half
T sinpi(T x) { return __kiln_half(sinpi(__kiln_single(x))); }

//@ cospi_half
T cospi(T x) { return __kiln_half(cospi(__kiln_single(x))); }

//@ tanpi_half
T tanpi(T x) { return __kiln_half(tanpi(__kiln_single(x))); }

//@ atan2pi_half
T atan2pi(T y, T x) { return __kiln_half(atan2pi(__kiln_single(y), __kiln_single(x))); }

//@ powr_half
T powr(T x, T y) { return __kiln_half(powr(__kiln_single(x), __kiln_single(y))); }

//@ rootn_half
T rootn(T x, I n) { return __kiln_half(rootn(__kiln_single(x), n)); }

//@ fdim
T fdim(T x, T y) { return x <= y ? (T)0 : x - y; }

//@ fmin_scalar
T fmin(T x, S y) { return fmin(x, (T)y); }

//@ fmax_scalar
T fmax(T x, S y) { return fmax(x, (T)y); }

//@ fract
T fract(T x, P p) {
  T f = floor(x), d = x - f;
  T top = (T)((S)(sizeof(S) == 4 ? 0x1.fffffep-1 : sizeof(S) == 8 ? 0x1.fffffffffffffp-1 : 0x1.ffcp-1));
  *p = f;
  d = d > top ? top : d;
  d = x == (S)0 ? x : d;
  return isinf(x) ? copysign((T)0, x) : d;
}

//@ frexp
T frexp(T x, P p) {
  enum {
    DIGITS = sizeof(S) == 4 ? 23 : sizeof(S) == 8 ? 52 : 10,
    TOP = sizeof(S) == 4 ? 255 : sizeof(S) == 8 ? 2047 : 31,
    HALF = TOP / 2 - 1,
    UP = sizeof(S) == 2 ? 12 : 64
  };
  T least = (T)((S)(sizeof(S) == 4 ? 0x1p-126 : sizeof(S) == 8 ? 0x1p-1022 : 0x1p-14));
  T scaled = fabs(x) < least ? x * (S)(sizeof(S) == 2 ? 0x1p12 : 0x1p64) : x;
  B shift = fabs(x) < least ? (B)UP : (B)0;
  B bits = __kiln_bits(scaled);
  B field = (bits >> (B)DIGITS) & (B)TOP;
  B e = field - (B)HALF - shift;
  B m = (bits & ~((B)TOP << (B)DIGITS)) | ((B)HALF << (B)DIGITS);
  T r = __kiln_float(m);
  T special = x == (S)0 || !isfinite(x) ? (T)1 : (T)0;
  r = special != (S)0 ? x : r;
  e = special != (S)0 ? (B)0 : e;
  *p = __kiln_to_int(e);
  return r;
}

//@ ilogb
I ilogb(T x) {
  T e = logb(x); // saturates: INT_MIN for 0, INT_MAX for infinities
  e = isnan(x) ? fabs(logb((T)0)) : e;
  return __kiln_to_int(e);
}

//@ ldexp
T ldexp(T x, I n) {
  // powers of two one after another; downwards each step keeps clear of subnormals, so that only the last one rounds
  enum {
    DIGITS = sizeof(S) == 4 ? 23 : 52,
    MOST = sizeof(S) == 4 ? 127 : 1023,
    DOWN = MOST - 1 - (DIGITS + 1)
  };
  T big = (T)((S)(sizeof(S) == 4 ? 0x1p127 : 0x1p1023));
  T small = (T)((S)(sizeof(S) == 4 ? 0x1p-102 : 0x1p-969));
  B k = __kiln_like(clamp(n, (I)-10000, (I)10000), x);
  x = k > (B)MOST ? x * big : x;
  k = k > (B)MOST ? k - (B)MOST : k;
  x = k > (B)MOST ? x * big : x;
  k = k > (B)MOST ? k - (B)MOST : k;
  x = k < (B)(1 - MOST) ? x * small : x;
  k = k < (B)(1 - MOST) ? k + (B)DOWN : k;
  x = k < (B)(1 - MOST) ? x * small : x;
  k = k < (B)(1 - MOST) ? k + (B)DOWN : k;
  k = min(max(k, (B)(1 - MOST)), (B)MOST);
  B bits = (k + (B)MOST) << (B)DIGITS;
  return x * __kiln_float(bits);
}

//@ ldexp_half
T ldexp(T x, I n) { return __kiln_half(ldexp(__kiln_single(x), n)); }

//@ ldexp_scalar
T ldexp(T x, int n) { return ldexp(x, (I)n); }

//@ lgamma_r
T lgamma_r(T x, P p) {
  T f = floor(x) * (S)0.5;
  T odd = f != floor(f) ? (T)1 : (T)0;
  T negative = signbit(x) ? (T)1 : (T)0;
  T s = negative != (S)0 && (odd != (S)0 || x == (S)0) ? (T)-1 : (T)1;
  *p = __kiln_to_int(s);
  return lgamma(x);
}

//@ maxmag
T maxmag(T x, T y) {
  T a = fabs(x), b = fabs(y);
  return a > b ? x : b > a ? y : fmax(x, y);
}

//@ minmag
T minmag(T x, T y) {
  T a = fabs(x), b = fabs(y);
  return a < b ? x : b < a ? y : fmin(x, y);
}

//@ modf
T modf(T x, P p) {
  T whole = trunc(x);
  *p = whole;
  return copysign(isinf(x) ? (T)0 : x - whole, x);
}

//@ nan
T nan(U code) {
  U bits = code | (U)(sizeof(S) == 4 ? 0x7fc00000ul : sizeof(S) == 8 ? 0x7ff8000000000000ul : 0x7e00ul);
  return __kiln_float(bits);
}

//@ pown
T pown(T x, I n) {
  T a = fabs(x);
  // an exponent that is no float is split in two, both of the same sign
  I split = n > (I)16777216 || n < (I)-16777216 ? (I)(sizeof(S) == 4 ? -1 : 0) : (I)0;
  I low = split & (n % (I)256);
  T r = pow(a, __kiln_from_int(n - low, x));
  if (any(split))
    r = r * pow(a, __kiln_from_int(low, x));
  T odd = __kiln_from_int(n & (I)1, x);
  return odd != (S)0 ? copysign(r, x) : r;
}

//@ pown_half
T pown(T x, I n) { return __kiln_half(pown(__kiln_single(x), n)); }

//@ powr
T powr(T x, T y) {
  T r = pow(fabs(x), y);
  T bad = x < (S)0 || isnan(x) || isnan(y) || (y == (S)0 && (x == (S)0 || isinf(x))) || (x == (S)1 && isinf(y)) ? (T)1
                                                                                                                : (T)0;
  return bad != (S)0 ? nan((U)0) : r;
}

//@ rootn
T rootn(T x, I n) {
  T a = fabs(x), m = __kiln_from_int(n, x);
  T h = (T)1 / m;
  T r = pow(a, h);
  // 1/n is not exact: what is missing of the exponent counts for large and small x
  T rest = fma(-h, m, (T)1) / m;
  T fixed_up = r + r * (rest * log(a));
  r = isfinite(a) && isfinite(r) && a > (S)0 && m != (S)0 ? fixed_up : r;
  T odd = __kiln_from_int(n & (I)1, x);
  r = odd != (S)0 ? copysign(r, x) : r;
  T bad = m == (S)0 || isnan(x) || (x < (S)0 && odd == (S)0) ? (T)1 : (T)0;
  return bad != (S)0 ? nan((U)0) : r;
}

//@ remquo
T remquo(T x, T y, P p) {
  T a = fabs(x), b = fabs(y), period = b * (S)128;
  T t = isinf(period) ? a : fmod(a, period); // the quotient's lower 7 bits are those of t / b
  T q = rint(t / b - remainder(t, b) / b); // the difference of t and remainder may be infinite
  I count = __kiln_to_int(q) & (I)127;
  I sign = __kiln_to_int(copysign((T)1, x) * copysign((T)1, y));
  *p = count * sign;
  return remainder(x, y);
}

//@ sincos
T sincos(T x, P p) {
  *p = cos(x);
  return sin(x);
}

//@ native_recip
T native_recip(T x) { return native_divide((T)1, x); }

//@ half_recip
T half_recip(T x) { return half_divide((T)1, x); }

//@ native_powr
T native_powr(T x, T y) { return native_exp2(y * native_log2(x)); }

//@ half_powr
T half_powr(T x, T y) { return powr(x, y); }
