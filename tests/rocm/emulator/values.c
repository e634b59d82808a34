#include "tests/rocm/emulator/values.h"

#include <math.h>

// ---- halves

double half_value(uint16_t bits) {
  unsigned field = bits >> 10 & 31, fraction = bits & 1023;
  double value;
  if (field == 31) // a NaN keeps its payload
    value = get_F64(UINT64_C(0x7ff) << 52 | (uint64_t)fraction << 42);
  else
    value = field ? ldexp(1024 + fraction, (int)field - 25) : ldexp(fraction, -24);
  return bits >> 15 ? -value : value;
}

uint16_t round_to_half(double value) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  double size = fabs(value);
  if (isnan(value))
    return sign | 0x7e00 | (put_F64(value) >> 42 & 1023); // quiet
  if (size == 0)
    return sign;
  if (size >= 65520)
    return sign | 0x7c00;
  int e;
  frexp(size, &e);
  int ulp = e - 11 < -24 ? -24 : e - 11;
  double units = rint(ldexp(size, -ulp)); // 2048 of them carry into the exponent
  return sign | (uint16_t)(((ulp + 25) << 10) + (int)units - 1024);
}

// The sum is rounded to odd where it is inexact, so that rounding it again to fewer bits is right.
F16 fma_f16(F16 a, F16 b, F16 c) {
  double product = a * b, sum = product + c; // the product is exact
  double rest = sum - product, error = (product - (sum - rest)) + (c - rest);
  if (!isfinite(sum) || error == 0 || put_F64(sum) & 1)
    return sum;
  return nextafter(sum, error > 0 ? INFINITY : -INFINITY);
}

// ---- floating point

F32 flush_f32(F32 a) { return fabsf(a) < 0x1p-126f ? copysignf(0, a) : a; }

double minimum(double a, double b) {
  if (isnan(a) || isnan(b))
    return isnan(a) ? b : a;
  return a < b || (a == b && signbit(a)) ? a : b;
}

double maximum(double a, double b) {
  if (isnan(a) || isnan(b))
    return isnan(a) ? b : a;
  return a > b || (a == b && !signbit(a)) ? a : b;
}

double median3(double a, double b, double c) {
  if (isnan(a) || isnan(b) || isnan(c))
    return minimum(minimum(a, b), c);
  return maximum(minimum(a, b), minimum(maximum(a, b), c));
}

F32 fract_f32(F32 a) {
  float rest = a - floorf(a);
  return rest >= 1 ? 0x1.fffffep-1f : rest;
}
F64 fract_f64(F64 a) {
  double rest = a - floor(a);
  return rest >= 1 ? 0x1.fffffffffffffp-1 : rest;
}
F16 fract_f16(F16 a) {
  double rest = half_value(round_to_half(a - floor(a)));
  return rest >= 1 ? 0x1.ffcp-1 : rest;
}

F32 rcp_f32(F32 a) { return flush_f32((float)(1.0 / (double)flush_f32(a))); }
F32 rsq_f32(F32 a) { return flush_f32((float)(1.0 / sqrt((double)flush_f32(a)))); }
F32 sqrt_f32(F32 a) { return (float)sqrt((double)flush_f32(a)); }
F32 exp_f32(F32 a) { return flush_f32((float)exp2((double)flush_f32(a))); }
F32 log_f32(F32 a) { return flush_f32((float)log2((double)flush_f32(a))); }

static F64 keep_26_bits(F64 a) {
  if (!isfinite(a))
    return a;
  const uint64_t dropped = (UINT64_C(1) << 27) - 1;
  return get_F64((put_F64(a) + (dropped + 1) / 2) & ~dropped);
}
F64 rcp_f64(F64 a) { return keep_26_bits(1.0 / a); }
F64 rsq_f64(F64 a) { return keep_26_bits(1.0 / sqrt(a)); }
F64 sqrt_f64(F64 a) { return keep_26_bits(sqrt(a)); }

#define TAU 6.283185307179586476925
double sin_turns(double a) { return !isfinite(a) ? (double)NAN : fabs(a) > 256 ? 0 : sin((a - floor(a)) * TAU); }
double cos_turns(double a) { return !isfinite(a) ? (double)NAN : fabs(a) > 256 ? 1 : cos((a - floor(a)) * TAU); }

double mantissa(double a) {
  int e;
  return isfinite(a) ? frexp(a, &e) : a;
}
int32_t exponent(double a) {
  int e = 0;
  if (isfinite(a))
    frexp(a, &e);
  return e;
}

static double limit(double a, double low, double high) { return isnan(a) ? 0 : a < low ? low : a > high ? high : a; }
I32 to_i32(double a) { return (I32)limit(a, INT32_MIN, INT32_MAX); }
U32 to_u32(double a) { return (U32)limit(a, 0, UINT32_MAX); }
I16 to_i16(double a) { return (I16)limit(a, INT16_MIN, INT16_MAX); }
U16 to_u16(double a) { return (U16)limit(a, 0, UINT16_MAX); }

U16 half_toward_zero(F32 a) {
  U16 bits = round_to_half((double)a);
  double size = fabs(half_value(bits));
  if (size > fabs((double)a)) // the largest finite one is below infinity
    bits--;
  return bits;
}

bool class_of(uint64_t bits, unsigned width, uint32_t mask) {
  unsigned fraction_bits = width == 16 ? 10 : width == 32 ? 23 : 52;
  uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
  uint64_t top = (UINT64_C(1) << (width - 1 - fraction_bits)) - 1, field = bits >> fraction_bits & top;
  bool negative = bits >> (width - 1) & 1;
  unsigned class; // 0 signalling NaN, 1 quiet NaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7 … 9 +inf
  if (field == top)
    class = fraction ? (unsigned)(fraction >> (fraction_bits - 1)) : negative ? 2 : 9;
  else if (field)
    class = negative ? 3 : 8;
  else
    class = fraction ? (negative ? 4 : 7) : (negative ? 5 : 6);
  return mask >> class & 1;
}

// ---- division

static int field32(F32 a) { return (int)(put_F32(a) >> 23 & 255); }
static int field64(F64 a) { return (int)(put_F64(a) >> 52 & 2047); }

// The manuals name ldexp(S0, 64) where both reciprocal and quotient are denormal; but then the denominator is so large
// that it can only be scaled down, which is what the expansions of divisions rely on.
F32 div_scale_f32(F32 a, F32 denominator, F32 numerator, bool *scaled) {
  *scaled = false;
  if (denominator == 0 || numerator == 0)
    return NAN;
  bool small_rcp = fabs(1.0 / (double)denominator) < 0x1p-126,
       small_quotient = fabs((double)numerator / (double)denominator) < 0x1p-126,
       is_denominator = put_F32(a) == put_F32(denominator), is_numerator = put_F32(a) == put_F32(numerator);
  if (field32(numerator) - field32(denominator) >= 96) {
    *scaled = true;
    return is_denominator ? a * 0x1p64f : a;
  }
  if (fabsf(denominator) < 0x1p-126f)
    return a * 0x1p64f;
  if (small_rcp) {
    *scaled = small_quotient;
    return !small_quotient || is_denominator ? a * 0x1p-64f : a;
  }
  if (small_quotient) {
    *scaled = true;
    return is_numerator ? a * 0x1p64f : a;
  }
  return field32(numerator) <= 23 ? a * 0x1p64f : a;
}

F64 div_scale_f64(F64 a, F64 denominator, F64 numerator, bool *scaled) {
  *scaled = false;
  if (denominator == 0 || numerator == 0)
    return NAN;
  bool small_rcp = fabsl(1.0L / (long double)denominator) < 0x1p-1022L,
       small_quotient = fabsl((long double)numerator / (long double)denominator) < 0x1p-1022L,
       is_denominator = put_F64(a) == put_F64(denominator), is_numerator = put_F64(a) == put_F64(numerator);
  if (field64(numerator) - field64(denominator) >= 768) {
    *scaled = true;
    return is_denominator ? a * 0x1p128 : a;
  }
  if (fabs(denominator) < 0x1p-1022)
    return a * 0x1p128;
  if (small_rcp) {
    *scaled = small_quotient;
    return !small_quotient || is_denominator ? a * 0x1p-128 : a;
  }
  if (small_quotient) {
    *scaled = true;
    return is_numerator ? a * 0x1p128 : a;
  }
  return field64(numerator) <= 53 ? a * 0x1p128 : a;
}

// Undoes what v_div_scale did, towards where the third operand lies.
F32 div_fmas_f32(F32 a, F32 b, F32 c, bool scaled) {
  if (!scaled)
    return fmaf(a, b, c);
  if (field32(c) > 127)
    return fmaf(a, b, c) * 0x1p64f;
  return (float)(fma((double)a, (double)b, (double)c) * 0x1p-64);
}
F64 div_fmas_f64(F64 a, F64 b, F64 c, bool scaled) {
  double sum = fma(a, b, c);
  return !scaled ? sum : field64(c) > 1023 ? sum * 0x1p128 : sum * 0x1p-128;
}

double div_fixup(double quotient, double denominator, double numerator) {
  bool negative = signbit(denominator) ^ signbit(numerator);
  double size = fabs(quotient);
  if (isnan(numerator) || isnan(denominator))
    return isnan(numerator) ? numerator : denominator;
  if ((denominator == 0 && numerator == 0) || (isinf(denominator) && isinf(numerator)))
    return NAN;
  if (denominator == 0 || isinf(numerator))
    size = INFINITY;
  else if (isinf(denominator) || numerator == 0)
    size = 0;
  else if (isnan(quotient))
    size = INFINITY;
  return negative ? -size : size;
}

// The bits of 2/π behind the binary point.
static const uint64_t two_over_pi[] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
                                       0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
                                       0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
                                       0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
                                       0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
                                       0xa9e391615ee61b08, 0x6599855f14a06840};

F64 trig_preop(F64 a, uint32_t segment) {
  unsigned field = put_F64(a) >> 52 & 2047, shift = (segment & 31) * 53 + (field > 1077 ? field - 1077 : 0);
  uint64_t bits = 0;
  for (unsigned i = shift; i < shift + 53; i++)
    bits = bits << 1 | (i / 64 < sizeof two_over_pi / 8 ? two_over_pi[i / 64] >> (63 - i % 64) & 1 : 0);
  return ldexp((double)bits, -53 - (int)shift + (field >= 1968 ? 128 : 0));
}

// ---- integers

uint64_t bit_field(uint64_t a, uint32_t offset, uint32_t width) {
  return width >= 64 ? a >> offset : a >> offset & ((UINT64_C(1) << width) - 1);
}

// Of the low bits of a: 32 or 64. A field that goes beyond them ends there.
int64_t signed_bit_field(int64_t a, uint32_t offset, uint32_t width, uint32_t bits) {
  if (width == 0)
    return 0;
  if (width + offset >= bits)
    return a >> offset;
  return (int64_t)((uint64_t)a << (64 - offset - width)) >> (64 - width);
}

uint64_t reverse64(uint64_t a) {
  uint64_t result = 0;
  for (int i = 0; i < 64; i++)
    result |= (a >> i & 1) << (63 - i);
  return result;
}
uint32_t reverse32(uint32_t a) { return (uint32_t)(reverse64(a) >> 32); }

uint32_t sign_bits64(uint64_t a) {
  uint64_t changes = (int64_t)a < 0 ? ~a : a;
  return changes ? (uint32_t)__builtin_clzll(changes) : UINT32_MAX;
}
uint32_t sign_bits32(uint32_t a) {
  uint32_t changes = (int32_t)a < 0 ? ~a : a;
  return changes ? (uint32_t)__builtin_clz(changes) : UINT32_MAX;
}

// Selectors 0 to 7 name bytes of {a, b}; 8 to 11 signs of its halves; 12 is 0 and more is 255.
uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t selectors) {
  uint64_t bytes = (uint64_t)a << 32 | b;
  uint32_t result = 0;
  for (int i = 0; i < 32; i += 8) {
    uint32_t s = selectors >> i & 255, byte;
    if (s < 8)
      byte = bytes >> (8 * s) & 255;
    else if (s < 12)
      byte = bytes >> (16 * (s - 8) + 15) & 1 ? 255 : 0;
    else
      byte = s == 12 ? 0 : 255;
    result |= byte << i;
  }
  return result;
}

uint32_t sum_of_differences(uint32_t a, uint32_t b, unsigned width) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < 32; i += width) {
    uint32_t x = (uint32_t)bit_field(a, i, width), y = (uint32_t)bit_field(b, i, width);
    sum += x > y ? x - y : y - x;
  }
  return sum;
}

uint32_t dot(uint32_t a, uint32_t b, uint32_t c, unsigned width, bool signed_a, bool signed_b, bool clamp) {
  bool is_signed = signed_a || signed_b;
  int64_t sum = is_signed ? (int64_t)(int32_t)c : (int64_t)c;
  for (unsigned i = 0; i < 32; i += width) {
    int64_t x = signed_a ? signed_bit_field((int32_t)a, i, width, 32) : (int64_t)bit_field(a, i, width);
    int64_t y = signed_b ? signed_bit_field((int32_t)b, i, width, 32) : (int64_t)bit_field(b, i, width);
    sum += x * y;
  }
  if (clamp)
    sum = is_signed ? clamp64(sum, INT32_MIN, INT32_MAX) : clamp64(sum, 0, UINT32_MAX);
  return (uint32_t)sum;
}

uint64_t mad_u64(uint32_t a, uint32_t b, uint64_t c, bool *carry) {
  uint64_t result;
  *carry = __builtin_add_overflow((uint64_t)a * b, c, &result);
  return result;
}
int64_t mad_i64(int32_t a, int32_t b, int64_t c, bool *carry) {
  int64_t result;
  *carry = __builtin_add_overflow((int64_t)a * b, c, &result);
  return result;
}
