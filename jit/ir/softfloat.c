// Floats as bits: exact decoding, and rounding of a real number to any of the formats in any of the rounding modes,
// independent of the floating-point environment of the host.
#include "jit/ir/internal.h"

#include <string.h>

struct format {
  int precision; // bits of the significand, the hidden one included
  int exponent_bits;
};

static struct format format_of(enum kiln_kind kind) {
  if (kind == KILN_F16)
    return (struct format){11, 5};
  return kind == KILN_F32 ? (struct format){24, 8} : (struct format){53, 11};
}

static uint64_t bits_of_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double double_of_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint64_t infinity(struct format f) { return kiln_bits_mask(f.exponent_bits) << (f.precision - 1); }

// Whether the magnitude is to be rounded up, given the bit below the last one that is kept, whether anything below
// that is set, and whether the last kept bit is odd.
static bool round_up(enum kiln_round mode, bool negative, bool half, bool rest, bool odd) {
  switch (mode) {
  case KILN_ROUND_EVEN:
    return half && (rest || odd);
  case KILN_ROUND_ZERO:
    return false;
  case KILN_ROUND_UP:
    return !negative && (half || rest);
  case KILN_ROUND_DOWN:
    return negative && (half || rest);
  }
  return false;
}

// The bits of (-1)^negative * magnitude * 2^exponent.
static uint64_t encode(struct format f, bool negative, uint64_t magnitude, int exponent, enum kiln_round mode) {
  uint64_t sign = (uint64_t)negative << (f.precision - 1 + f.exponent_bits);
  if (magnitude == 0)
    return sign;
  int bias = (1 << (f.exponent_bits - 1)) - 1;
  int top = 63 - __builtin_clzll(magnitude);       // 2^(top + exponent) <= value
  int lowest = top + exponent - (f.precision - 1); // exponent of the last bit that is kept
  int subnormal = 1 - bias - (f.precision - 1);
  if (lowest < subnormal)
    lowest = subnormal;
  int drop = lowest - exponent;
  uint64_t kept;
  if (drop <= 0) {
    kept = magnitude << -drop;
  } else {
    bool half = drop <= 64 && (magnitude >> (drop - 1) & 1);
    bool rest = drop > 64 || (magnitude & kiln_bits_mask((unsigned)drop - 1)) != 0;
    kept = drop >= 64 ? 0 : magnitude >> drop;
    kept += round_up(mode, negative, half, rest, kept & 1);
  }
  // A carry out of the significand makes the next exponent, and a subnormal the smallest normal number, by addition.
  uint64_t biased = (uint64_t)(lowest - subnormal);
  uint64_t bits = (biased << (f.precision - 1)) + kept;
  if (bits >= infinity(f)) {
    bool away =
        mode == KILN_ROUND_EVEN || (mode == KILN_ROUND_UP && !negative) || (mode == KILN_ROUND_DOWN && negative);
    bits = away ? infinity(f) : infinity(f) - 1;
  }
  return sign | bits;
}

double kiln_float_value(enum kiln_kind kind, uint64_t bits) {
  if (kind == KILN_F64)
    return double_of_bits(bits);
  if (kind == KILN_F32) {
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
  }
  uint64_t sign = (bits & 0x8000) << 48, fraction = bits & 0x3ff;
  unsigned exponent = bits >> 10 & 0x1f;
  if (exponent == 0x1f)
    return double_of_bits(sign | 0x7ffull << 52 | (fraction ? fraction << 42 | 1ull << 51 : 0));
  double magnitude = exponent ? (double)(fraction | 0x400) * double_of_bits((uint64_t)(exponent + 1023 - 25) << 52)
                              : (double)fraction * 0x1p-24;
  return double_of_bits(bits_of_double(magnitude) | sign);
}

uint64_t kiln_float_round(enum kiln_kind kind, double value, enum kiln_round mode) {
  uint64_t bits = bits_of_double(value);
  if (kind == KILN_F64)
    return bits;
  struct format f = format_of(kind);
  bool negative = bits >> 63;
  int exponent = (int)(bits >> 52 & 0x7ff);
  uint64_t fraction = bits & kiln_bits_mask(52);
  uint64_t sign = (uint64_t)negative << (f.precision - 1 + f.exponent_bits);
  if (exponent == 0x7ff) {
    uint64_t payload = fraction >> (53 - f.precision) | (uint64_t)1 << (f.precision - 2); // quiet
    return sign | infinity(f) | (fraction ? payload : 0);
  }
  if (exponent == 0)
    return encode(f, negative, fraction, -1074, mode);
  return encode(f, negative, fraction | 1ull << 52, exponent - 1075, mode);
}

uint64_t kiln_float_from_int(enum kiln_kind kind, bool negative, uint64_t magnitude, enum kiln_round mode) {
  return encode(format_of(kind), negative, magnitude, 0, mode);
}
