// The meaning of every PURE operation, on constants. docs/ir.md says the same in words. Folding, the interpreter and
// the tests of every backend depend on it.
//
// Float operations are done in the operation's own precision: float functions for f32, double functions for f64. An
// f16 operation is done in f32 and rounded, which is correctly rounded for + - * / sqrt (24 >= 2 * 11 + 2 bits); FMA
// has a way of its own. A NaN result has the bits of the canonical quiet NaN, except where only the sign is changed.
#include "base/floats.h"
#include "jit/ir/internal.h"
#include "kiln/op_cases.h"

#include <math.h>
#include <string.h>

// ---- integers -------------------------------------------------------------------------------------------------------

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

// Rows: operation, result. x and y are zero-extended, sx and sy sign-extended; the result is masked by the caller.
#define INT_OPS(X)                                                                                                     \
  X(IADD, x + y)                                                                                                       \
  X(ISUB, x - y)                                                                                                       \
  X(IMUL, x *y)                                                                                                        \
  X(SDIV, divide(op, x, y, sx, sy))                                                                                    \
  X(UDIV, divide(op, x, y, sx, sy))                                                                                    \
  X(SREM, divide(op, x, y, sx, sy))                                                                                    \
  X(UREM, divide(op, x, y, sx, sy))                                                                                    \
  X(SMUL_HI, (uint64_t)((__int128)sx * sy >> bits))                                                                    \
  X(UMUL_HI, (uint64_t)((unsigned __int128)x * y >> bits))                                                             \
  X(SADD_SAT, saturate_signed((__int128)sx + sy, bits))                                                                \
  X(UADD_SAT, x > ones - y ? ones : x + y)                                                                             \
  X(SSUB_SAT, saturate_signed((__int128)sx - sy, bits))                                                                \
  X(USUB_SAT, x > y ? x - y : 0)                                                                                       \
  X(SMIN, sx < sy ? x : y)                                                                                             \
  X(SMAX, sx < sy ? y : x)                                                                                             \
  X(UMIN, x < y ? x : y)                                                                                               \
  X(UMAX, x < y ? y : x)                                                                                               \
  X(AND, x &y)                                                                                                         \
  X(OR, x | y)                                                                                                         \
  X(XOR, x ^ y)                                                                                                        \
  X(SHL, x << count)                                                                                                   \
  X(LSHR, x >> count)                                                                                                  \
  X(ASHR, (uint64_t)(sx >> count))                                                                                     \
  X(ROTL, count ? x << count | x >> (bits - count) : x)                                                                \
  X(CLZ, x ? (uint64_t)__builtin_clzll(x) - (64 - bits) : bits)                                                        \
  X(CTZ, x ? (uint64_t)__builtin_ctzll(x) : bits)                                                                      \
  X(POPCOUNT, (uint64_t)__builtin_popcountll(x))                                                                       \
  X(BAND, x &y)                                                                                                        \
  X(BOR, x | y)                                                                                                        \
  X(BXOR, x ^ y)                                                                                                       \
  X(BNOT, ~x)                                                                                                          \
  X(EQ, x == y)                                                                                                        \
  X(NE, x != y)                                                                                                        \
  X(SLT, sx < sy)                                                                                                      \
  X(SLE, sx <= sy)                                                                                                     \
  X(ULT, x < y)                                                                                                        \
  X(ULE, x <= y)

// The sum of the products of four pairs of bytes.
static uint64_t dot4(uint64_t signs, uint64_t x, uint64_t y) {
  int64_t sum = 0;
  for (unsigned at = 0; at < 32; at += 8) {
    int64_t a = signs & KILN_DOT_FIRST_SIGNED ? (int8_t)(x >> at) : (uint8_t)(x >> at);
    int64_t b = signs & KILN_DOT_SECOND_SIGNED ? (int8_t)(y >> at) : (uint8_t)(y >> at);
    sum += a * b;
  }
  return (uint64_t)sum;
}

static uint64_t eval_int(enum kiln_op op, unsigned bits, uint64_t x, uint64_t y) {
  int64_t sx = kiln_sign_extend(x, bits), sy = kiln_sign_extend(y, bits);
  uint64_t ones = kiln_bits_mask(bits);
  unsigned count = (unsigned)y & (bits - 1);
  switch (op) {
#define INT_CASE(OP, result)                                                                                           \
  case KILN_OP_##OP:                                                                                                   \
    return result;
    INT_OPS(INT_CASE)
  case KILN_OP_ANY:
  case KILN_OP_ALL:
  case KILN_OP_AGREE:
  case KILN_OP_DOT4:
    KILN_CASES_FREE KILN_CASES_FLOAT KILN_CASES_MATH KILN_CASES_FCOMPARE KILN_CASES_VECTOR KILN_CASES_CONVERT
        KILN_CASES_MEMORY KILN_CASES_ATOMIC KILN_CASES_CALL KILN_CASES_ITEM KILN_CASES_SUB_GROUP KILN_CASES_IMAGE
            KILN_CASES_FLOW KILN_CASES_GROUP case KILN_OP_COUNT : break;
  }
  return 0; // eval_lane asks for none of these
}

// ---- floats ---------------------------------------------------------------------------------------------------------

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
  static T eval_float(enum kiln_op op, T x, T y, T z) {                                                                \
    switch (op) {                                                                                                      \
    case KILN_OP_FADD:                                                                                                 \
      return x + y;                                                                                                    \
    case KILN_OP_FSUB:                                                                                                 \
      return x - y;                                                                                                    \
    case KILN_OP_FMUL:                                                                                                 \
      return x * y;                                                                                                    \
    case KILN_OP_FDIV:                                                                                                 \
      return x / y;                                                                                                    \
    case KILN_OP_FMA:                                                                                                  \
      return fma_(x, y, z);                                                                                            \
    case KILN_OP_FMIN:                                                                                                 \
      return isnan(x) || y < x ? y : x;                                                                                \
    case KILN_OP_FMAX:                                                                                                 \
      return isnan(x) || y > x ? y : x;                                                                                \
    case KILN_OP_RSQRT:                                                                                                \
      return (T)1 / sqrt_(x);                                                                                          \
      UNARY_MATH(UNARY)                                                                                                \
      BINARY_MATH(BINARY)                                                                                              \
    case KILN_OP_FNEG:                                                                                                 \
    case KILN_OP_FABS:                                                                                                 \
    case KILN_OP_COPYSIGN:                                                                                             \
      KILN_CASES_FREE KILN_CASES_INT KILN_CASES_BOOL KILN_CASES_COMPARE KILN_CASES_FCOMPARE KILN_CASES_VECTOR          \
          KILN_CASES_CONVERT KILN_CASES_MEMORY KILN_CASES_ATOMIC KILN_CASES_CALL KILN_CASES_ITEM KILN_CASES_SUB_GROUP  \
              KILN_CASES_IMAGE KILN_CASES_FLOW KILN_CASES_GROUP case KILN_OP_COUNT : break;                            \
    }                                                                                                                  \
    return 0; /* eval_lane asks for none of these */                                                                   \
  }
#define UNARY32(OP, f32, f64)                                                                                          \
  case KILN_OP_##OP:                                                                                                   \
    return f32(x);
#define UNARY64(OP, f32, f64)                                                                                          \
  case KILN_OP_##OP:                                                                                                   \
    return f64(x);
#define BINARY32(OP, f32, f64)                                                                                         \
  case KILN_OP_##OP:                                                                                                   \
    return f32(x, y);
#define BINARY64(OP, f32, f64)                                                                                         \
  case KILN_OP_##OP:                                                                                                   \
    return f64(x, y);
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

static uint64_t eval_float_bits(enum kiln_op op, enum kiln_kind kind, const uint64_t *x) {
  uint64_t sign = (uint64_t)1 << (kiln_kind_bits(kind) - 1);
  if (op == KILN_OP_FNEG || op == KILN_OP_FABS || op == KILN_OP_COPYSIGN)
    return op == KILN_OP_FNEG ? x[0] ^ sign : (x[0] & ~sign) | (op == KILN_OP_COPYSIGN ? x[1] & sign : 0);
  double a = kiln_float_value(kind, x[0]), b = kiln_float_value(kind, x[1]), c = kiln_float_value(kind, x[2]);
  if (kind == KILN_F16 && op == KILN_OP_FMA && !isnan(a * b + c))
    return fma_f16(a, b, c);
  if (kind == KILN_F16 && op == KILN_OP_NEXTAFTER && !isnan(a) && !isnan(b))
    return nextafter_f16(x[0], x[1]);
  double result = kind == KILN_F64 ? eval_f64(op, a, b, c) : (double)eval_f32(op, (float)a, (float)b, (float)c);
  if (isnan(result)) // canonical
    return kiln_float_round(kind, (double)NAN, KILN_ROUND_EVEN) & ~sign;
  return kiln_float_round(kind, result, KILN_ROUND_EVEN);
}

static bool eval_float_compare(enum kiln_op op, enum kiln_kind kind, uint64_t x, uint64_t y) {
  double a = kiln_float_value(kind, x), b = kiln_float_value(kind, y);
  return op == KILN_OP_FEQ ? a == b : op == KILN_OP_FNE ? a != b : op == KILN_OP_FLT ? a < b : a <= b;
}

// ---- conversions ----------------------------------------------------------------------------------------------------

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
  switch (op) {
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
  case KILN_OP_PSPACE:
  case KILN_OP_BITCAST: // does not go lane by lane
    KILN_CASES_FREE KILN_CASES_INT KILN_CASES_BOOL KILN_CASES_FLOAT KILN_CASES_MATH KILN_CASES_COMPARE
        KILN_CASES_FCOMPARE KILN_CASES_VECTOR KILN_CASES_MEMORY KILN_CASES_ATOMIC KILN_CASES_CALL KILN_CASES_ITEM
            KILN_CASES_SUB_GROUP KILN_CASES_IMAGE KILN_CASES_FLOW KILN_CASES_GROUP case KILN_OP_COUNT : break;
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

// ---- vectors --------------------------------------------------------------------------------------------------------

static bool vote(enum kiln_op op, unsigned lanes, const union kiln_lanes *x) {
  unsigned set = 0;
  for (unsigned i = 0; i < lanes; i++)
    set += x->bits[i] & 1;
  return op == KILN_OP_ANY ? set > 0 : set == lanes;
}

static bool eval_vector(enum kiln_op op, kiln_type type, const uint8_t *shuffle, const kiln_type *types,
                        const union kiln_lanes *const *x, uint32_t count, union kiln_lanes *out) {
  unsigned lanes = kiln_type_lanes(type), first = count ? kiln_type_lanes(types[0]) : 0;
  switch (op) {
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
    KILN_CASES_FREE KILN_CASES_INT KILN_CASES_BOOL KILN_CASES_FLOAT KILN_CASES_MATH KILN_CASES_COMPARE
        KILN_CASES_FCOMPARE KILN_CASES_CONVERT KILN_CASES_MEMORY KILN_CASES_ATOMIC KILN_CASES_CALL KILN_CASES_ITEM
            KILN_CASES_SUB_GROUP KILN_CASES_IMAGE KILN_CASES_FLOW KILN_CASES_GROUP case KILN_OP_COUNT : break;
  }
  return false;
}

// One lane of an operation that goes lane by lane.
static bool eval_lane(enum kiln_op op, kiln_type type, uint64_t imm, const kiln_type *types, const uint64_t *x,
                      uint64_t *out) {
  enum kiln_kind from = kiln_type_kind(types[0]), to = kiln_type_kind(type);
  if (op == KILN_OP_DOT4) {
    *out = x[2] + dot4(imm, x[0], x[1]);
    return true;
  }
  switch (kiln_op_family(op)) {
  case KILN_FAMILY_INT:
  case KILN_FAMILY_BOOL:
  case KILN_FAMILY_COMPARE:
    *out = eval_int(op, kiln_kind_bits(from), x[0], x[1]);
    return !kiln_kind_is_float(from);
  case KILN_FAMILY_FLOAT:
  case KILN_FAMILY_MATH:
    if (!kiln_kind_is_float(from))
      return false;
    *out = eval_float_bits(op, from, x);
    return true;
  case KILN_FAMILY_FCOMPARE:
    *out = eval_float_compare(op, from, x[0], x[1]);
    return true;
  case KILN_FAMILY_CONVERT:
    return eval_convert(op, from, to, imm, x[0], out);
  case KILN_FAMILY_MEMORY:
    *out = x[0] + x[1] * imm;
    return op == KILN_OP_PADD;
  case KILN_FAMILY_FREE:
  case KILN_FAMILY_VECTOR:
  case KILN_FAMILY_ATOMIC:
  case KILN_FAMILY_CALL:
  case KILN_FAMILY_ITEM:
  case KILN_FAMILY_SUB_GROUP:
  case KILN_FAMILY_FLOW:
  case KILN_FAMILY_GROUP:
  case KILN_FAMILY_IMAGE:
    break;
  }
  return false;
}

static bool eval(enum kiln_op op, kiln_type type, uint64_t imm, const uint8_t *shuffle, const kiln_type *operand_types,
                 const union kiln_lanes *const *operands, uint32_t count, union kiln_lanes *result) {
  union kiln_lanes out; // result may be one of the operands
  unsigned lanes = kiln_type_lanes(type);
  if (op == KILN_OP_BITCAST) {
    bitcast(operand_types[0], type, operands[0], &out);
  } else if (op == KILN_OP_ANY || op == KILN_OP_ALL || op == KILN_OP_AGREE) {
    out.bits[0] = vote(op, kiln_type_lanes(operand_types[0]), operands[0]);
  } else if (kiln_op_family(op) == KILN_FAMILY_VECTOR) {
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

bool kiln_eval(enum kiln_op op, kiln_type type, uint64_t imm, uint16_t flags, const uint8_t *shuffle,
               const kiln_type *operand_types, const union kiln_lanes *const *operands, uint32_t count,
               union kiln_lanes *result) {
  (void)flags; // they permit other results, but demand none
  if (count == 0)
    return false;
  struct kiln_floats floats = kiln_floats_enter();
  bool known = eval(op, type, imm, shuffle, operand_types, operands, count, result);
  kiln_floats_leave(floats);
  return known;
}
