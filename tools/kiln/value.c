#include "value.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static const struct value_type types[] = {
    {"i8", 1, 'i'},  {"u8", 1, 'u'},  {"i16", 2, 'i'}, {"u16", 2, 'u'}, {"i32", 4, 'i'}, {"u32", 4, 'u'},
    {"i64", 8, 'i'}, {"u64", 8, 'u'}, {"f16", 2, 'f'}, {"f32", 4, 'f'}, {"f64", 8, 'f'},
};

const struct value_type *find_type(const char *text, size_t size) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (strlen(types[i].name) == size && memcmp(types[i].name, text, size) == 0)
      return &types[i];
  }
  return NULL;
}

const struct value_type *find_kernel_type(const char *name, size_t *count) {
  static const char *const names[][2] = {
      {"char", "i8"},  {"uchar", "u8"},  {"short", "i16"}, {"ushort", "u16"}, {"int", "i32"},    {"uint", "u32"},
      {"long", "i64"}, {"ulong", "u64"}, {"half", "f16"},  {"float", "f32"},  {"double", "f64"},
  };
  size_t size = strcspn(name, "0123456789");
  char *end;
  *count = name[size] ? strtoul(name + size, &end, 10) : 1;
  if (name[size] && *end)
    return NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strlen(names[i][0]) == size && memcmp(names[i][0], name, size) == 0)
      return find_type(names[i][1], strlen(names[i][1]));
  }
  return NULL;
}

// ---- half ----------------------------------------------------------------------------------------------------------

static double half_to_double(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 31  ? (fraction ? NAN : INFINITY)
                 : exponent == 0 ? ldexp(fraction, -24)
                                 : ldexp(fraction | 1024, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

// To nearest, ties to even.
static uint16_t half_from_double(double value) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  value = fabs(value);
  if (isnan(value))
    return sign | 0x7e00;
  if (value == 0) // has no exponent
    return sign;
  if (value >= 65520) // halfway to what would be the next number
    return sign | 0x7c00;
  int exponent;
  frexp(value, &exponent);
  if (exponent < -13)
    exponent = -13; // subnormal: the smallest exponent
  // In units of the last place; nearbyint rounds to even. A carry into the exponent is what adding wants.
  double units = nearbyint(ldexp(value, 11 - exponent));
  return sign | (uint16_t)((exponent + 13) * 1024 + (int)units);
}

// ---- reading and printing ------------------------------------------------------------------------------------------

static void store_float(const struct value_type *type, double value, void *out) {
  float single = (float)value;
  uint16_t half = half_from_double(value);
  memcpy(out, type->size == 2 ? (void *)&half : type->size == 4 ? (void *)&single : (void *)&value, type->size);
}

static bool parse_float(const struct value_type *type, const char *text, void *out) {
  char *end;
  // Each type from the digits, not by way of a wider one, which would round twice. Halves have so few digits that it
  // cannot be seen there.
  if (type->size == 4) {
    float value = read_float(text, &end);
    memcpy(out, &value, sizeof value);
  } else {
    store_float(type, read_double(text, &end), out);
  }
  return end != text && !*end;
}

static bool parse_integer(const struct value_type *type, const char *text, uint64_t *out) {
  char *end;
  errno = 0;
  unsigned bits = 8u * type->size;
  bool negative = *text == '-';
  bool hexadecimal = strncmp(text + negative, "0x", 2) == 0 || strncmp(text + negative, "0X", 2) == 0;
  uint64_t magnitude = strtoull(text + negative, &end, hexadecimal ? 16 : 10);
  if (!strspn(text + negative, "0123456789abcdefABCDEF") || end == text || *end || errno)
    return false;
  uint64_t most = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
  if (type->kind == 'i') {
    uint64_t limit = (most >> 1) + negative;
    // All bits of a signed type may be written in hexadecimal.
    if (magnitude > limit && !(hexadecimal && !negative && magnitude <= most))
      return false;
  } else if (magnitude > most || (negative && magnitude)) {
    return false;
  }
  *out = negative ? 0 - magnitude : magnitude;
  return true;
}

bool parse_value(const struct value_type *type, const char *text, void *out) {
  if (!*text || strchr(" \t\n\v\f\r", *text))
    return false;
  if (type->kind == 'f')
    return parse_float(type, text, out);
  uint64_t bits;
  if (!parse_integer(type, text, &bits))
    return false;
  memcpy(out, &bits, type->size); // little-endian
  return true;
}

static int64_t signed_bits(const struct value_type *type, const void *data) {
  uint64_t bits = 0;
  memcpy(&bits, data, type->size);
  unsigned shift = 64 - 8u * type->size;
  return (int64_t)(bits << shift) >> shift;
}

static double load_float(const struct value_type *type, const void *data) {
  double value;
  float single;
  uint16_t half;
  if (type->size == 8) {
    memcpy(&value, data, 8);
    return value;
  }
  if (type->size == 4) {
    memcpy(&single, data, 4);
    return (double)single;
  }
  memcpy(&half, data, 2);
  return half_to_double(half);
}

// Whole numbers of 64 bits are rounded.
static double load_number(const struct value_type *type, const void *data) {
  if (type->kind == 'f')
    return load_float(type, data);
  int64_t whole = signed_bits(type, data);
  if (type->kind == 'i')
    return (double)whole;
  uint64_t bits = 0;
  memcpy(&bits, data, type->size);
  return (double)bits;
}

static void format_float(const struct value_type *type, const void *data, char *out) {
  double value = load_float(type, data);
  if (isnan(value) || isinf(value)) {
    strcpy(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return;
  }
  // From as many digits as every number of the type keeps: fewer would read back, but show 65504 as 6.55e+04.
  for (int digits = type->size == 2 ? 5 : 6; digits <= 17; digits++) {
    format_number(out, 32, "%.*g", digits, value);
    unsigned char again[8];
    if (parse_float(type, out, again) && memcmp(again, data, type->size) == 0)
      return;
  }
}

// ---- conversion ----------------------------------------------------------------------------------------------------

static double largest(const struct value_type *type) {
  return type->size == 2 ? 65504 : type->size == 4 ? (double)FLT_MAX : DBL_MAX;
}

void format_range(const struct value_type *type, char *out) {
  unsigned bits = 8u * type->size;
  if (type->kind == 'f')
    format_number(out, 64, "from %.9g to %.9g", -largest(type), largest(type));
  else if (type->kind == 'i')
    snprintf(out, 64, "from %lld to %lld", (long long)(INT64_MIN >> (64 - bits)),
             (long long)(INT64_MAX >> (64 - bits)));
  else
    snprintf(out, 64, "from 0 to %llu", (unsigned long long)(UINT64_MAX >> (64 - bits)));
}

static bool float_from(const struct value_type *from, const void *in, const struct value_type *to, void *out) {
  double value = load_number(from, in);
  if (to->kind == 'f') {
    store_float(to, value, out);
    return !isfinite(value) || isfinite(load_number(to, out));
  }
  unsigned bits = 8u * to->size - (to->kind == 'i');
  double end = ldexp(1, (int)bits), least = to->kind == 'i' ? -end : 0;
  if (!(value == trunc(value) && value >= least && value < end)) // a NaN is neither
    return false;
  uint64_t whole = value < 0 ? 0 - (uint64_t)-value : (uint64_t)value;
  memcpy(out, &whole, to->size);
  return true;
}

bool convert_value(const struct value_type *from, const void *in, const struct value_type *to, void *out) {
  bool same_bits = from == to || (from->kind != 'f' && to->kind != 'f' && from->size == to->size);
  if (same_bits) {
    memcpy(out, in, to->size);
    return true;
  }
  if (from->kind == 'f' || to->kind == 'f')
    return float_from(from, in, to, out);
  uint64_t bits = 0;
  memcpy(&bits, in, from->size);
  bool negative = from->kind == 'i' && signed_bits(from, in) < 0;
  if (negative)
    bits = (uint64_t)signed_bits(from, in);
  memcpy(out, &bits, to->size);
  // It fits when it reads back with the same value.
  uint64_t again = 0;
  memcpy(&again, out, to->size);
  if (to->kind == 'i')
    again = (uint64_t)signed_bits(to, out);
  return again == bits && (negative ? to->kind == 'i' : to->kind == 'u' || (int64_t)again >= 0);
}

void format_value(const struct value_type *type, const void *data, char *out) {
  if (type->kind == 'f') {
    format_float(type, data, out);
  } else if (type->kind == 'i') {
    snprintf(out, 32, "%lld", (long long)signed_bits(type, data));
  } else {
    uint64_t bits = 0;
    memcpy(&bits, data, type->size);
    snprintf(out, 32, "%llu", (unsigned long long)bits);
  }
}

// ---- made numbers --------------------------------------------------------------------------------------------------

void iota_value(const struct value_type *type, uint64_t index, void *out) {
  if (type->kind == 'f')
    store_float(type, (double)index, out);
  else
    memcpy(out, &index, type->size);
}

bool random_init(struct random_source *source, const struct value_type *type, uint64_t seed, const char *low,
                 const char *high) {
  *source = (struct random_source){.state = seed, .high = 1, .bounded = low != NULL};
  if (!low)
    return true;
  unsigned char a[8], b[8];
  if (!parse_value(type, low, a) || !parse_value(type, high, b))
    return false;
  if (type->kind == 'f') {
    char *end;
    source->low = read_double(low, &end);
    source->high = read_double(high, &end);
    return source->low <= source->high;
  }
  uint64_t from = 0, to = 0;
  if (type->kind == 'i') {
    if (signed_bits(type, a) > signed_bits(type, b))
      return false;
    from = (uint64_t)signed_bits(type, a);
    to = (uint64_t)signed_bits(type, b);
  } else {
    memcpy(&from, a, type->size);
    memcpy(&to, b, type->size);
    if (from > to)
      return false;
  }
  source->low_bits = from;
  source->span = to - from + 1;
  return true;
}

static uint64_t next(struct random_source *source) {
  uint64_t z = source->state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

void random_value(struct random_source *source, const struct value_type *type, void *out) {
  uint64_t bits = next(source);
  if (type->kind == 'f') {
    double u = (double)(bits >> 11) * 0x1p-53;
    store_float(type, source->low + u * (source->high - source->low), out);
    return;
  }
  uint64_t value = !source->bounded ? bits >> (64 - 8u * type->size)
                                    : source->low_bits + (source->span ? bits % source->span : bits);
  memcpy(out, &value, type->size);
}
