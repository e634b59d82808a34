#include "tests/cuda/emulator/values.h"

#include <fenv.h>

// ---- types

static const struct {
  const char *text;
  unsigned bits;
  enum type_class class;
} types[] = {
#define TYPE(name, text, bits, class) {text, bits, class},
#include "tests/cuda/emulator/types.def"
#undef TYPE
    {"?", 0, CLASS_BITS}, // T_NONE
};

const char *type_text(enum type type) { return types[type].text; }
unsigned type_bits(enum type type) { return types[type].bits; }
enum type_class type_class(enum type type) { return types[type].class; }

enum type type_of_text(const char *text, size_t size) {
  for (int t = 0; t < T_NONE; t++)
    if (strlen(types[t].text) == size && !memcmp(types[t].text, text, size))
      return (enum type)t;
  return T_NONE;
}

int c_rounding(enum rounding rounding) {
  switch (rounding) {
  case ROUND_ZERO:
    return FE_TOWARDZERO;
  case ROUND_DOWN:
    return FE_DOWNWARD;
  case ROUND_UP:
    return FE_UPWARD;
  case ROUND_NEAREST:
  case ROUND_NONE:
    break;
  }
  return FE_TONEAREST;
}

// ---- small floats

const struct float_format format_f16 = {11, 16}, format_bf16 = {8, 128};

long double small_float_value(const struct float_format *format, uint16_t bits) {
  int stored = format->precision - 1, top = (1 << (15 - stored)) - 1;
  int exponent = bits >> stored & top, fraction = bits & ((1 << stored) - 1);
  long double value;
  if (exponent == top)
    value = fraction ? (long double)NAN : (long double)INFINITY;
  else
    value = ldexpl(exponent ? fraction + (1 << stored) : fraction,
                   (exponent ? exponent : 1) - (format->max_exponent - 1) - stored);
  return bits >> 15 ? -value : value;
}

// How many of the units a value has become after rounding.
static long double round_units(long double units, bool is_negative, enum rounding rounding) {
  long double below = floorl(units), rest = units - below;
  bool up = false;
  switch (rounding) {
  case ROUND_NEAREST:
  case ROUND_NONE:
    up = rest > 0.5L || (rest == 0.5L && fmodl(below, 2) != 0);
    break;
  case ROUND_ZERO:
    break;
  case ROUND_DOWN:
    up = is_negative && rest > 0;
    break;
  case ROUND_UP:
    up = !is_negative && rest > 0;
    break;
  }
  return below + up;
}

uint16_t round_small_float(const struct float_format *format, long double value, enum rounding rounding) {
  int stored = format->precision - 1, least = 2 - format->max_exponent; // the least exponent of a normal number
  uint16_t sign = signbit(value) ? 0x8000 : 0, infinity = (uint16_t)(((1 << (15 - stored)) - 1) << stored);
  if (isnan(value))
    return 0x7fff;
  long double size = fabsl(value);
  if (size == 0 || isinf(size))
    return sign | (size == 0 ? 0 : infinity);
  int e;
  frexpl(size, &e);
  int exponent = e - 1 < least ? least : e - 1, unit = exponent - stored;
  long double units = round_units(ldexpl(size, -unit), sign != 0, rounding);
  if (ldexpl(units, unit) >= ldexpl(1, format->max_exponent)) { // beyond the largest finite one
    bool to_infinity =
        rounding == ROUND_NEAREST || rounding == ROUND_NONE || rounding == (sign ? ROUND_DOWN : ROUND_UP);
    return sign | (uint16_t)(infinity - !to_infinity);
  }
  // Units that carry, or that are too few for a normal number, give the right exponent by themselves.
  return sign | (uint16_t)(((exponent - least) << stored) + (int)units);
}

// Rounded to odd where it is inexact.
double fma_small(double a, double b, double c) {
  double product = a * b, sum = product + c; // the product is exact
  double rest = sum - product, error = (product - (sum - rest)) + (c - rest);
  if (!isfinite(sum) || error == 0 || put_F64(sum) & 1)
    return sum;
  return nextafter(sum, error > 0 ? INFINITY : -INFINITY);
}

// ---- floating point

F64 minimum(F64 a, F64 b) {
  if (isnan(a) || isnan(b))
    return isnan(a) ? b : a;
  return a < b || (a == b && signbit(a)) ? a : b;
}

F64 maximum(F64 a, F64 b) {
  if (isnan(a) || isnan(b))
    return isnan(a) ? b : a;
  return a > b || (a == b && !signbit(a)) ? a : b;
}

F64 saturate(F64 a) { return a >= 1 ? 1 : a > 0 ? a : 0; }

double ulp_f32(double value) {
  int e;
  frexp(value, &e);
  return ldexp(1, (e < -125 || value == 0 ? -125 : e) - 24);
}

F32 near_f32(double exact, double bound, double lean) {
  if (!isfinite(exact) || lean == 0)
    return (F32)exact;
  F32 result = (F32)(exact + lean * bound);
  while (fabs((double)result - exact) > bound && result != (F32)exact)
    result = nextafterf(result, (F32)exact);
  return result;
}

F16 near_f16(double exact, double bound, double lean) {
  double result = get_F16(put_F16(exact + lean * bound)), nearest = get_F16(put_F16(exact));
  return isfinite(exact) && bound > 0 && fabs(result - exact) <= bound ? result : nearest;
}

F32 relative_f32(double exact, double error, double lean) {
  return exact == 0 ? (F32)exact : near_f32(exact, fabs(exact) * error, lean);
}
F64 relative_f64(double exact, double error, double lean) {
  return isfinite(exact) ? exact * (1 + lean * error) : exact;
}
F64 upper_half(F64 a) {
  if (isnan(a))
    return get_F64(UINT64_C(0x7fffffff00000000));
  return fabs(a) < 0x1p-1022 ? copysign(0, a) : get_F64(put_F64(a) & UINT64_C(0xffffffff00000000));
}

F32 rcp_approx(F32 a, double lean) {
  double exact = 1.0 / (double)a;
  return exact == 0 ? (F32)exact : near_f32(exact, ulp_f32(exact), lean);
}

// The manual allows an error of 2 to the power of -22.9, relative to the value; CUDA's guide promises 2 ulp.
F32 rsqrt_approx(F32 a, double lean) {
  double exact = 1 / sqrt((double)a);
  return near_f32(exact, fmin(exact * 0x1.12p-23, 2 * ulp_f32(exact)), lean);
}

F32 div_full(F32 a, F32 b, double lean) {
  double exact = (double)a / (double)b;
  return exact == 0 ? (F32)exact : near_f32(exact, 2 * ulp_f32(exact), lean);
}

F32 div_approx(F32 a, F32 b, double lean) {
  if (fabsf(b) > 0x1p126f && !isinf(b)) // the reciprocal is flushed
    return isnan(a) || isinf(a) ? NAN : copysignf(0, a) * copysignf(1, b);
  return div_full(a, b, lean);
}

static double circle_error(F32 a) {
  double size = fabs((double)a);
  if (size <= 0x1.921fb54442d18p+2)                                 // 2π
    return 0x1.6a09e667f3bcdp-21;                                   // 2 to the power of -20.5
  double error = 0x1.3b2c47bff8329p-15, limit = 314.15926535897932; // 2 to the power of -14.7, to 100π
  return size <= limit ? error : fmin(2, error * size / limit);
}
static F32 circle(F32 a, double exact, double lean) {
  return a == 0 || isinf(a) ? (F32)exact : near_f32(exact, circle_error(a), lean);
}
F32 sin_approx(F32 a, double lean) { return circle(a, sin((double)a), lean); }
F32 cos_approx(F32 a, double lean) { return circle(a, cos((double)a), lean); }

// Outside of 0.5 to 2 the manual allows an error of 2 to the power of -22, relative to the value, which is up to 4 ulp;
// CUDA's guide promises 2 ulp.
F32 lg2_approx(F32 a, double lean) {
  double exact = log2((double)a);
  return near_f32(exact, a > 0.5f && a < 2 ? 0x1p-22 : fmin(fabs(exact) * 0x1p-22, 2 * ulp_f32(exact)), lean);
}

// NVIDIA's own functions rely on powers of two being exact, though the manual says so of 0 alone.
F32 ex2_approx(F32 a, double lean) {
  double exact = exp2((double)a);
  return a == truncf(a) ? (F32)exact : fmaxf(near_f32(exact, 2 * ulp_f32(exact), lean), 0);
}

// ---- integers

// Position and length are bytes; what lies above the source is its sign, or zero.
U64 bit_field_U64(U64 a, U32 position, U32 length) {
  position &= 255, length &= 255;
  if (position > 63)
    return 0;
  return a >> position & (length > 63 ? UINT64_MAX : type_mask(length));
}
U32 bit_field_U32(U32 a, U32 position, U32 length) { return (U32)bit_field_U64(a, position, length); }
S64 bit_field_S64(S64 a, U32 position, U32 length) {
  position &= 255, length &= 255;
  if (length == 0)
    return 0;
  S64 rest = a >> (position > 63 ? 63 : position);
  return length > 63 ? rest : (S64)((U64)rest << (64 - length)) >> (64 - length);
}
S32 bit_field_S32(S32 a, U32 position, U32 length) { return (S32)bit_field_S64(a, position, length); }

U64 insert_bits(U64 from, U64 into, U32 position, U32 length, unsigned bits) {
  position &= 255, length &= 255;
  if (position >= bits)
    return into;
  U64 mask = (length > 63 ? UINT64_MAX : type_mask(length)) << position;
  return ((from << position & mask) | (into & ~mask)) & type_mask(bits);
}

U64 reverse_bits(U64 a, unsigned bits) {
  U64 result = 0;
  for (unsigned i = 0; i < bits; i++)
    result |= (a >> i & 1) << (bits - 1 - i);
  return result;
}

U32 top_bit(U64 a, bool shift_amount, unsigned bits) {
  if (!a)
    return UINT32_MAX;
  U32 position = 63 - (U32)__builtin_clzll(a);
  return shift_amount ? bits - 1 - position : position;
}
U32 sign_top_bit(S64 a, bool shift_amount, unsigned bits) { return top_bit((U64)(a < 0 ? ~a : a), shift_amount, bits); }

U32 permute_bytes(U32 a, U32 b, U32 selector) {
  U64 bytes = (U64)b << 32 | a;
  U32 result = 0;
  for (int i = 0; i < 4; i++) {
    U32 choice = selector >> (4 * i) & 15, byte = (U32)(bytes >> (8 * (choice & 7))) & 255;
    if (choice & 8)
      byte = byte >> 7 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

U32 permute_mode(U32 a, U32 b, U32 c, unsigned mode) {
  static const uint16_t selectors[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, // forward from byte c
      {0x5670, 0x6701, 0x7012, 0x0123}, // backward
      {0x0000, 0x1111, 0x2222, 0x3333}, // byte c everywhere
      {0x3210, 0x3211, 0x3222, 0x3333}, // the edge to the left
      {0x0000, 0x1110, 0x2210, 0x3210}, // to the right
      {0x1010, 0x3232, 0x1010, 0x3232}, // a half
  };
  return permute_bytes(a, b, selectors[mode][c & 3]);
}

U32 logic3(U32 a, U32 b, U32 c, U32 table) {
  U32 result = 0;
  for (unsigned i = 0; i < 8; i++)
    if (table >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}

U32 bit_mask(U32 position, U32 length) {
  if (position > 31)
    return 0;
  return (U32)(type_mask(length > 32 ? 32 : length) << position);
}

static S64 part(U32 a, unsigned index, unsigned bits, bool is_signed) {
  U32 value = a >> (index * bits) & (U32)type_mask(bits);
  return is_signed ? (S64)((S32)(value << (32 - bits)) >> (32 - bits)) : (S64)value;
}
U32 dot4(U32 a, bool signed_a, U32 b, bool signed_b, U32 c) {
  S64 sum = 0;
  for (unsigned i = 0; i < 4; i++)
    sum += part(a, i, 8, signed_a) * part(b, i, 8, signed_b);
  return c + (U32)sum;
}
U32 dot2(U32 a, bool signed_a, U32 b, bool signed_b, U32 c, bool high) {
  S64 sum = 0;
  for (unsigned i = 0; i < 2; i++)
    sum += part(a, i, 16, signed_a) * part(b, i + 2 * high, 8, signed_b);
  return c + (U32)sum;
}

S64 shift_right(S64 a, U32 count, unsigned bits) { return a >> (count >= bits ? bits - 1 : count); }
