// The meaning of every PURE operation, on constants. docs/ir.md says the same in words. Folding, the interpreter and
// the tests of every backend rest on it.
//
// Float operations are done in the operation's own precision: float functions for f32, double functions for f64. An
// f16 operation is done in f32 and rounded, which is correctly rounded for + - * / sqrt (24 >= 2 * 11 + 2 bits); FMA
// has a way of its own. A NaN result has the bits of the canonical quiet NaN, except where only the sign is changed.
#include "jit/ir/internal.h"

#include <math.h>
#include <string.h>

// ---- integers
// --------------------------------------------------------------------------------------------------------

static uint64_t saturate_signed(__int128 value, unsigned bits) {
  __int128 max = ((__int128)1 << (bits - 1)) - 1, min = -max - 1;
  return (uint64_t)(value > max ? max : value < min ? min : value);
}

static uint64_t divide(enum kiln_op op, uint64_t x, uint64_t y, int64_t sx, int64_t sy) {
  if (y == 0)
    return 0;
  if (op == KILN_OP_UDIV)
    return x / y;
  if (op == KILN_OP_UREM)
    return x % y;
  if (sy == -1) // also MIN / -1
    return op == KILN_OP_SDIV ? -(uint64_t)sx : 0;
  return (uint64_t)(op == KILN_OP_SDIV ? sx / sy : sx % sy);
}

static uint64_t shift(enum kiln_op op, uint64_t x, int64_t sx, unsigned count, unsigned bits) {
  if (op == KILN_OP_SHL)
    return x << count;
  if (op == KILN_OP_LSHR)
    return x >> count;
  if (op == KILN_OP_ASHR)
    return (uint64_t)(sx >> count);
  return count ? x << count | x >> (bits - count) : x; // ROTL
}

static bool compare(enum kiln_op op, uint64_t x, uint64_t y, int64_t sx, int64_t sy) {
  switch ((int)op) {
  case KILN_OP_EQ:
    return x == y;
  case KILN_OP_NE:
    return x != y;
  case KILN_OP_SLT:
    return sx < sy;
  case KILN_OP_SLE:
    return sx <= sy;
  case KILN_OP_ULT:
    return x < y;
  }
  return x <= y; // ULE
}

// Operations on the bits alone.
static bool eval_bits(enum kiln_op op, unsigned bits, uint64_t x, uint64_t y, uint64_t *out) {
  switch ((int)op) {
  case KILN_OP_AND:
  case KILN_OP_BAND:
    *out = x & y;
    return true;
  case KILN_OP_OR:
  case KILN_OP_BOR:
    *out = x | y;
    return true;
  case KILN_OP_XOR:
  case KILN_OP_BXOR:
    *out = x ^ y;
    return true;
  case KILN_OP_BNOT:
    *out = ~x;
    return true;
  case KILN_OP_SHL:
  case KILN_OP_LSHR:
  case KILN_OP_ASHR:
  case KILN_OP_ROTL:
    *out = shift(op, x, kiln_sign_extend(x, bits), (unsigned)y & (bits - 1), bits);
    return true;
  case KILN_OP_CLZ:
    *out = x ? (uint64_t)__builtin_clzll(x) - (64 - bits) : bits;
    return true;
  case KILN_OP_CTZ:
    *out = x ? (uint64_t)__builtin_ctzll(x) : bits;
    return true;
  case KILN_OP_POPCOUNT:
    *out = (uint64_t)__builtin_popcountll(x);
    return true;
  }
  return false;
}

// x and y are zero-extended; the result is masked by the caller.
static bool eval_int(enum kiln_op op, unsigned bits, uint64_t x, uint64_t y, uint64_t *out) {
  int64_t sx = kiln_sign_extend(x, bits), sy = kiln_sign_extend(y, bits);
  switch ((int)op) {
  case KILN_OP_IADD:
    *out = x + y;
    return true;
  case KILN_OP_ISUB:
    *out = x - y;
    return true;
  case KILN_OP_IMUL:
    *out = x * y;
    return true;
  case KILN_OP_SDIV:
  case KILN_OP_UDIV:
  case KILN_OP_SREM:
  case KILN_OP_UREM:
    *out = divide(op, x, y, sx, sy);
    return true;
  case KILN_OP_SMUL_HI:
    *out = (uint64_t)((__int128)sx * sy >> bits);
    return true;
  case KILN_OP_UMUL_HI:
    *out = (uint64_t)((unsigned __int128)x * y >> bits);
    return true;
  case KILN_OP_SADD_SAT:
    *out = saturate_signed((__int128)sx + sy, bits);
    return true;
  case KILN_OP_SSUB_SAT:
    *out = saturate_signed((__int128)sx - sy, bits);
    return true;
  case KILN_OP_UADD_SAT:
    *out = x > kiln_bits_mask(bits) - y ? kiln_bits_mask(bits) : x + y;
    return true;
  case KILN_OP_USUB_SAT:
    *out = x > y ? x - y : 0;
    return true;
  case KILN_OP_SMIN:
  case KILN_OP_SMAX:
    *out = (sx < sy) == (op == KILN_OP_SMIN) ? x : y;
    return true;
  case KILN_OP_UMIN:
  case KILN_OP_UMAX:
    *out = (x < y) == (op == KILN_OP_UMIN) ? x : y;
    return true;
  case KILN_OP_EQ:
  case KILN_OP_NE:
  case KILN_OP_SLT:
  case KILN_OP_SLE:
  case KILN_OP_ULT:
  case KILN_OP_ULE:
    *out = compare(op, x, y, sx, sy);
    return true;
  }
  return eval_bits(op, bits, x, y, out);
}

// ---- floats
// ----------------------------------------------------------------------------------------------------------

// Rows: operation, f32 function, f64 function.
#define UNARY_MATH(X)                                                                                                  \
  X(SQRT, sqrtf, sqrt)                                                                                                 \
  X(FLOOR, floorf, floor)                                                                                              \
  X(CEIL, ceilf, ceil)                                                                                                 \
  X(TRUNCF, truncf, trunc)                                                                                             \
  X(RINT, roundevenf, roundeven)                                                                                       \
  X(ROUND, roundf, round)                                                                                              \
  X(CBRT, cbrtf, cbrt)                                                                                                 \
  X(SIN, sinf, sin)                                                                                                    \
  X(COS, cosf, cos)                                                                                                    \
  X(TAN, tanf, tan)                                                                                                    \
  X(ASIN, asinf, asin)                                                                                                 \
  X(ACOS, acosf, acos)                                                                                                 \
  X(ATAN, atanf, atan)                                                                                                 \
  X(SINH, sinhf, sinh)                                                                                                 \
  X(COSH, coshf, cosh)                                                                                                 \
  X(TANH, tanhf, tanh)                                                                                                 \
  X(ASINH, asinhf, asinh)                                                                                              \
  X(ACOSH, acoshf, acosh)                                                                                              \
  X(ATANH, atanhf, atanh)                                                                                              \
  X(EXP, expf, exp)                                                                                                    \
  X(EXP2, exp2f, exp2)                                                                                                 \
  X(EXP10, exp10f, exp10)                                                                                              \
  X(EXPM1, expm1f, expm1)                                                                                              \
  X(LOG, logf, log)                                                                                                    \
  X(LOG2, log2f, log2)                                                                                                 \
  X(LOG10, log10f, log10)                                                                                              \
  X(LOG1P, log1pf, log1p)                                                                                              \
  X(ERF, erff, erf)                                                                                                    \
  X(ERFC, erfcf, erfc)                                                                                                 \
  X(TGAMMA, tgammaf, tgamma)                                                                                           \
  X(LGAMMA, lgamma32, lgamma64)                                                                                        \
  X(LOGB, logbf, logb)
#define BINARY_MATH(X)                                                                                                 \
  X(FREM, fmodf, fmod)                                                                                                 \
  X(ATAN2, atan2f, atan2)                                                                                              \
  X(POW, powf, pow)                                                                                                    \
  X(HYPOT, hypotf, hypot)                                                                                              \
  X(REMAINDER, remainderf, remainder)                                                                                  \
  X(NEXTAFTER, nextafterf, nextafter)

// lgamma writes a global sign; the reentrant forms do not.
static float lgamma32(float x) {
  int sign;
  return lgammaf_r(x, &sign);
}
static double lgamma64(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

#define FLOAT_OPS(T, eval_float, sqrt_, fma_, UNARY, BINARY)                                                           \
  static bool eval_float(enum kiln_op op, T x, T y, T z, T *out) {                                                     \
    switch ((int)op) {                                                                                                 \
    case KILN_OP_FADD:                                                                                                 \
      *out = x + y;                                                                                                    \
      return true;                                                                                                     \
    case KILN_OP_FSUB:                                                                                                 \
      *out = x - y;                                                                                                    \
      return true;                                                                                                     \
    case KILN_OP_FMUL:                                                                                                 \
      *out = x * y;                                                                                                    \
      return true;                                                                                                     \
    case KILN_OP_FDIV:                                                                                                 \
      *out = x / y;                                                                                                    \
      return true;                                                                                                     \
    case KILN_OP_FMA:                                                                                                  \
      *out = fma_(x, y, z);                                                                                            \
      return true;                                                                                                     \
    case KILN_OP_FMIN:                                                                                                 \
      *out = isnan(x) || y < x ? y : x;                                                                                \
      return true;                                                                                                     \
    case KILN_OP_FMAX:                                                                                                 \
      *out = isnan(x) || y > x ? y : x;                                                                                \
      return true;                                                                                                     \
    case KILN_OP_RSQRT:                                                                                                \
      *out = (T)1 / sqrt_(x);                                                                                          \
      return true;                                                                                                     \
      UNARY_MATH(UNARY)                                                                                                \
      BINARY_MATH(BINARY)                                                                                              \
    }                                                                                                                  \
    return false;                                                                                                      \
  }
#define UNARY32(OP, f32, f64)                                                                                          \
  case KILN_OP_##OP:                                                                                                   \
    *out = f32(x);                                                                                                     \
    return true;
#define UNARY64(OP, f32, f64)                                                                                          \
  case KILN_OP_##OP:                                                                                                   \
    *out = f64(x);                                                                                                     \
    return true;
#define BINARY32(OP, f32, f64)                                                                                         \
  case KILN_OP_##OP:                                                                                                   \
    *out = f32(x, y);                                                                                                  \
    return true;
#define BINARY64(OP, f32, f64)                                                                                         \
  case KILN_OP_##OP:                                                                                                   \
    *out = f64(x, y);                                                                                                  \
    return true;
FLOAT_OPS(float, eval_f32, sqrtf, fmaf, UNARY32, BINARY32)
FLOAT_OPS(double, eval_f64, sqrt, fma, UNARY64, BINARY64)

// x * y + z, rounded once to f16. The product of two f16 is exact in f64; the sum is rounded to odd, so that the
// rounding to f16 that follows sees on which side of a tie it was.
static uint64_t fma_f16(double x, double y, double z) {
  double product = x * y, sum = product + z;
  if (isfinite(sum)) {
    double back = sum - product;
    double error = (product - (sum - back)) + (z - back);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (error != 0 && !(bits & 1))
      bits += (error > 0) == (sum > 0) ? 1 : -1ull;
    memcpy(&sum, &bits, sizeof bits);
  }
  return kiln_float_round(KILN_F16, sum, KILN_ROUND_EVEN);
}

static uint64_t nextafter_f16(uint64_t x, uint64_t y) {
  double from = kiln_float_value(KILN_F16, x), to = kiln_float_value(KILN_F16, y);
  if (from == to)
    return y;
  if (from == 0)
    return 1 | (y & 0x8000);
  return (to > from) == (from > 0) ? x + 1 : x - 1;
}

static bool eval_float_bits(enum kiln_op op, enum kiln_kind kind, const uint64_t *x, uint64_t *out) {
  uint64_t sign = (uint64_t)1 << (kiln_kind_bits(kind) - 1);
  if (op == KILN_OP_FNEG || op == KILN_OP_FABS || op == KILN_OP_COPYSIGN) {
    *out = op == KILN_OP_FNEG ? x[0] ^ sign : (x[0] & ~sign) | (op == KILN_OP_COPYSIGN ? x[1] & sign : 0);
    return true;
  }
  double a = kiln_float_value(kind, x[0]), b = kiln_float_value(kind, x[1]), c = kiln_float_value(kind, x[2]);
  double result = 0;
  if (kind == KILN_F64) {
    if (!eval_f64(op, a, b, c, &result))
      return false;
  } else if (kind == KILN_F16 && op == KILN_OP_FMA && !isnan(a * b + c)) {
    *out = fma_f16(a, b, c);
    return true;
  } else if (kind == KILN_F16 && op == KILN_OP_NEXTAFTER && !isnan(a) && !isnan(b)) {
    *out = nextafter_f16(x[0], x[1]);
    return true;
  } else {
    float single = 0;
    if (!eval_f32(op, (float)a, (float)b, (float)c, &single))
      return false;
    result = single;
  }
  if (isnan(result)) // canonical
    *out = kiln_float_round(kind, (double)NAN, KILN_ROUND_EVEN) & ~sign;
  else
    *out = kiln_float_round(kind, result, KILN_ROUND_EVEN);
  return true;
}

static bool eval_float_compare(enum kiln_op op, enum kiln_kind kind, uint64_t x, uint64_t y, uint64_t *out) {
  double a = kiln_float_value(kind, x), b = kiln_float_value(kind, y);
  switch ((int)op) {
  case KILN_OP_FEQ:
    *out = a == b;
    return true;
  case KILN_OP_FNE:
    *out = a != b;
    return true;
  case KILN_OP_FLT:
    *out = a < b;
    return true;
  case KILN_OP_FLE:
    *out = a <= b;
    return true;
  }
  return false;
}

// ---- conversions
// -----------------------------------------------------------------------------------------------------

static uint64_t float_to_int(double value, bool is_signed, unsigned bits, enum kiln_round mode) {
  if (isnan(value))
    return 0;
  value = mode == KILN_ROUND_EVEN   ? roundeven(value)
          : mode == KILN_ROUND_UP   ? ceil(value)
          : mode == KILN_ROUND_DOWN ? floor(value)
                                    : trunc(value);
  double limit = ldexp(1, (int)bits - is_signed); // first value above the range
  if (value >= limit)
    return kiln_bits_mask(bits - is_signed);
  if (value < (is_signed ? -limit : 0))
    return is_signed ? (uint64_t)1 << (bits - 1) : 0;
  return value < 0 ? -(uint64_t)-value : (uint64_t)value;
}

static bool eval_convert(enum kiln_op op, enum kiln_kind from, enum kiln_kind to, uint64_t imm, uint64_t x,
                         uint64_t *out) {
  unsigned bits = kiln_kind_bits(from);
  enum kiln_round mode = (enum kiln_round)(imm & 3);
  switch ((int)op) {
  case KILN_OP_TRUNC:
  case KILN_OP_ZEXT:
  case KILN_OP_PTOI:
  case KILN_OP_ITOP:
    *out = x;
    return true;
  case KILN_OP_SEXT:
    *out = (uint64_t)kiln_sign_extend(x, bits);
    return true;
  case KILN_OP_FTOS:
  case KILN_OP_FTOU:
    *out = float_to_int(kiln_float_value(from, x), op == KILN_OP_FTOS, kiln_kind_bits(to), mode);
    return true;
  case KILN_OP_STOF: {
    int64_t value = kiln_sign_extend(x, bits);
    *out = kiln_float_from_int(to, value < 0, value < 0 ? -(uint64_t)value : (uint64_t)value, mode);
    return true;
  }
  case KILN_OP_UTOF:
    *out = kiln_float_from_int(to, false, x, mode);
    return true;
  case KILN_OP_FTOF:
    *out = kiln_float_round(to, kiln_float_value(from, x), mode);
    return true;
  case KILN_OP_PCAST: // how an address looks in another space is the backend's; null is null everywhere
    *out = 0;
    return x == 0;
  }
  return false;
}

static void bitcast(kiln_type from, kiln_type to, const union kiln_lanes *x, union kiln_lanes *out) {
  unsigned char bytes[16 * 8] = {0};
  unsigned from_size = kiln_kind_bits(kiln_type_kind(from)) / 8, to_size = kiln_kind_bits(kiln_type_kind(to)) / 8;
  for (unsigned i = 0; i < kiln_type_lanes(from); i++)
    for (unsigned k = 0; k < from_size; k++)
      bytes[i * from_size + k] = (unsigned char)(x->bits[i] >> 8 * k);
  for (unsigned i = 0; i < kiln_type_lanes(to) && (i + 1) * to_size <= sizeof bytes; i++) {
    out->bits[i] = 0;
    for (unsigned k = 0; k < to_size; k++)
      out->bits[i] |= (uint64_t)bytes[i * to_size + k] << 8 * k;
  }
}

// ---- vectors
// ---------------------------------------------------------------------------------------------------------

// What does not go lane by lane.
static bool eval_vector(enum kiln_op op, kiln_type type, const uint8_t *shuffle, const kiln_type *types,
                        const union kiln_lanes *const *x, uint32_t count, union kiln_lanes *out) {
  unsigned lanes = kiln_type_lanes(type), first = count ? kiln_type_lanes(types[0]) : 0;
  switch ((int)op) {
  case KILN_OP_AGREE:
  case KILN_OP_ANY:
  case KILN_OP_ALL: {
    unsigned set = 0;
    for (unsigned i = 0; i < first; i++)
      set += x[0]->bits[i] & 1;
    out->bits[0] = op == KILN_OP_ANY ? set > 0 : set == first;
    return true;
  }
  case KILN_OP_SELECT:
    for (unsigned i = 0; i < lanes; i++)
      out->bits[i] = x[0]->bits[first > 1 ? i : 0] & 1 ? x[1]->bits[i] : x[2]->bits[i];
    return true;
  case KILN_OP_SPLAT:
    for (unsigned i = 0; i < lanes; i++)
      out->bits[i] = x[0]->bits[0];
    return true;
  case KILN_OP_VEC:
    for (unsigned i = 0; i < lanes && i < count; i++)
      out->bits[i] = x[i]->bits[0];
    return true;
  case KILN_OP_EXTRACT:
    out->bits[0] = x[0]->bits[x[1]->bits[0] % first];
    return true;
  case KILN_OP_INSERT:
    *out = *x[0];
    out->bits[x[2]->bits[0] % first] = x[1]->bits[0];
    return true;
  case KILN_OP_SHUFFLE:
    if (!shuffle)
      return false;
    for (unsigned i = 0; i < lanes; i++) // an undefined lane is 0
      out->bits[i] = shuffle[i] < first       ? x[0]->bits[shuffle[i]]
                     : shuffle[i] < 2 * first ? x[1]->bits[shuffle[i] - first]
                                              : 0;
    return true;
  case KILN_OP_BITCAST:
    bitcast(types[0], type, x[0], out);
    return true;
  }
  return false;
}

// One lane of an operation that goes lane by lane.
static bool eval_lane(enum kiln_op op, kiln_type type, uint64_t imm, const kiln_type *types, const uint64_t *x,
                      uint64_t *out) {
  enum kiln_kind from = kiln_type_kind(types[0]), to = kiln_type_kind(type);
  if (op >= KILN_OP_TRUNC && op <= KILN_OP_PCAST)
    return eval_convert(op, from, to, imm, x[0], out);
  if (op == KILN_OP_PADD) {
    *out = x[0] + x[1] * imm;
    return true;
  }
  if (op >= KILN_OP_FEQ && op <= KILN_OP_FLE)
    return eval_float_compare(op, from, x[0], x[1], out);
  if (kiln_kind_is_float(from))
    return eval_float_bits(op, from, x, out);
  return eval_int(op, kiln_kind_bits(from), x[0], x[1], out);
}

bool kiln_eval(enum kiln_op op, kiln_type type, uint64_t imm, uint16_t flags, const uint8_t *shuffle,
               const kiln_type *operand_types, const union kiln_lanes *const *operands, uint32_t count,
               union kiln_lanes *result) {
  (void)flags; // they permit other results, but demand none
  if (count == 0)
    return false;
  union kiln_lanes out; // result may be one of the operands
  unsigned lanes = kiln_type_lanes(type);
  if (op == KILN_OP_BITCAST || (op >= KILN_OP_SELECT && op <= KILN_OP_SHUFFLE) || op == KILN_OP_ANY ||
      op == KILN_OP_ALL || op == KILN_OP_AGREE) {
    if (!eval_vector(op, type, shuffle, operand_types, operands, count, &out))
      return false;
  } else {
    uint64_t mask = kiln_bits_mask(kiln_kind_bits(kiln_type_kind(type)));
    for (unsigned i = 0; i < lanes; i++) {
      uint64_t x[3] = {0};
      for (uint32_t k = 0; k < count && k < 3; k++)
        x[k] = operands[k]->bits[i];
      if (!eval_lane(op, type, imm, operand_types, x, &out.bits[i]))
        return false;
      out.bits[i] &= mask;
    }
  }
  for (unsigned i = 0; i < lanes; i++)
    result->bits[i] = out.bits[i];
  return true;
}
