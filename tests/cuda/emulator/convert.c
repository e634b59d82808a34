// cvt: conversions between all types.
#include <fenv.h>

#include "tests/cuda/emulator/parse.h"

enum { TO_INTEGER = 16 }; // in instruction.mode, beside the rounding: .rni and the like

// ---- values of any type

static enum type from_type(const struct instruction *in) { return (enum type)in->u.types.from; }
static enum type to_type(const struct instruction *in) { return (enum type)in->u.types.to; }
static bool is_float(enum type type) { return type_class(type) == CLASS_FLOAT; }
static bool is_signed(enum type type) { return type_class(type) == CLASS_SIGNED; }

static S64 sign_extended(uint64_t bits, unsigned size) { return (S64)(bits << (64 - size)) >> (64 - size); }

static long double float_of(enum type type, uint64_t bits, bool flushes) {
  if (type == T_F32)
    return (long double)(flushes ? flush_F32(get_F32(bits)) : get_F32(bits));
  if (type == T_F64)
    return (long double)get_F64(bits);
  return small_float_value(type == T_F16 ? &format_f16 : &format_bf16, (uint16_t)bits);
}

static long double integral(long double value, enum rounding rounding) {
  switch (rounding) {
  case ROUND_NEAREST:
  case ROUND_NONE:
    return rintl(value);
  case ROUND_ZERO:
    return truncl(value);
  case ROUND_DOWN:
    return floorl(value);
  case ROUND_UP:
    return ceill(value);
  }
  return value;
}

static uint64_t float_bits(enum type type, long double value, enum rounding rounding, bool flushes) {
  if (type == T_F16 || type == T_BF16)
    return round_small_float(type == T_F16 ? &format_f16 : &format_bf16, value, rounding);
  volatile long double exact = value;
  volatile F32 single = 0;
  volatile F64 wide = 0;
  fesetround(c_rounding(rounding));
  if (type == T_F32)
    single = (F32)exact;
  else
    wide = (F64)exact;
  fesetround(FE_TONEAREST);
  return type == T_F32 ? put_F32(flushes ? flush_F32(single) : single) : put_F64(wide);
}

// The nearest value that the type has. A NaN becomes 0, and the top bit where one of the types has 64 bits.
static uint64_t integer_of_float(enum type to, enum type from, long double value, enum rounding rounding) {
  unsigned bits = type_bits(to);
  if (isnan(value))
    return from != T_F64 && bits != 64 ? 0 : UINT64_C(1) << (bits - 1);
  value = integral(value, rounding);
  long double top = ldexpl(1, (int)(is_signed(to) ? bits - 1 : bits)), bottom = is_signed(to) ? -top : 0;
  if (value >= top)
    return is_signed(to) ? type_mask(bits - 1) : type_mask(bits);
  if (value <= bottom)
    return is_signed(to) ? UINT64_C(1) << (bits - 1) : 0;
  return (is_signed(to) ? (uint64_t)(S64)value : (uint64_t)value) & type_mask(bits);
}

static uint64_t limit_integer(const struct instruction *in, uint64_t bits, bool is_negative) {
  unsigned size = type_bits(to_type(in));
  if (is_signed(to_type(in))) {
    S64 top = (S64)type_mask(size - 1);
    if (is_negative)
      return (S64)bits < -top - 1 ? (uint64_t)(-top - 1) : bits;
    return bits > (uint64_t)top ? (uint64_t)top : bits;
  }
  return is_negative ? 0 : bits > type_mask(size) ? type_mask(size) : bits;
}

// ---- running

// The target's register may be wider than the type: signed values fill it.
static void put_integer(struct item *item, const struct instruction *in, uint64_t bits) {
  enum type type = to_type(in);
  unsigned size = type_bits(type);
  bits = is_signed(type) ? (uint64_t)sign_extended(bits, size) : bits & type_mask(size);
  item->r[in->to[0]] = bits & in->mask[0];
}

static uint64_t integer_source(const struct item *item, const struct instruction *in) {
  uint64_t bits = item->r[in->from[0]];
  unsigned size = type_bits(from_type(in));
  return is_signed(from_type(in)) ? (uint64_t)sign_extended(bits, size) : bits & type_mask(size);
}

static void run_integers(struct item *item, struct instruction *in) {
  uint64_t bits = integer_source(item, in);
  if (in->saturates)
    bits = limit_integer(in, bits, is_signed(from_type(in)) && (S64)bits < 0);
  put_integer(item, in, bits);
}

static void run_to_integer(struct item *item, struct instruction *in) {
  long double value = float_of(from_type(in), item->r[in->from[0]], in->flushes);
  put_integer(item, in, integer_of_float(to_type(in), from_type(in), value, (enum rounding)in->rounding));
}

static long double saturated(const struct instruction *in, long double value) {
  return !in->saturates ? value : value >= 1 ? 1 : value > 0 ? value : 0;
}

static void run_from_integer(struct item *item, struct instruction *in) {
  uint64_t bits = integer_source(item, in);
  long double value = is_signed(from_type(in)) ? (long double)(S64)bits : (long double)bits;
  item->r[in->to[0]] = float_bits(to_type(in), saturated(in, value), (enum rounding)in->rounding, in->flushes);
}

static void run_floats(struct item *item, struct instruction *in) {
  long double value = float_of(from_type(in), item->r[in->from[0]], in->flushes);
  if (in->mode & TO_INTEGER)
    value = integral(value, (enum rounding)in->rounding);
  if (in->makes_nan && value < 0) // .relu
    value = 0;
  item->r[in->to[0]] = float_bits(to_type(in), saturated(in, value), (enum rounding)in->rounding, in->flushes);
}

static void run_single_to_double(struct item *item, struct instruction *in) {
  item->r[in->to[0]] = put_F64((F64)get_F32(item->r[in->from[0]]));
}
static void run_double_to_single(struct item *item, struct instruction *in) {
  item->r[in->to[0]] = put_F32((F32)get_F64(item->r[in->from[0]]));
}
static void run_single_of_s32(struct item *item, struct instruction *in) {
  item->r[in->to[0]] = put_F32((F32)get_S32(item->r[in->from[0]]));
}
static void run_single_of_u32(struct item *item, struct instruction *in) {
  item->r[in->to[0]] = put_F32((F32)get_U32(item->r[in->from[0]]));
}

// The first source becomes the upper half.
static void run_pair(struct item *item, struct instruction *in) {
  enum type half = to_type(in) == T_F16X2 ? T_F16 : T_BF16;
  uint64_t bits = 0;
  for (unsigned i = 0; i < 2; i++) {
    long double value = (long double)get_F32(item->r[in->from[i]]);
    if (in->makes_nan && value < 0)
      value = 0;
    bits = bits << 16 | float_bits(half, value, (enum rounding)in->rounding, false);
  }
  item->r[in->to[0]] = bits;
}

// ---- decoding

static bool read_modifier(const struct form *form, uint32_t index, struct instruction *in) {
  static const char *const roundings[] = {"rn", "rz", "rm", "rp"}, *const integral_ones[] = {"rni", "rzi", "rmi",
                                                                                             "rpi"};
  for (uint8_t r = 0; r < 4; r++) {
    if (part_is(form, index, roundings[r]) || part_is(form, index, integral_ones[r])) {
      in->rounding = r;
      in->mode = part_is(form, index, integral_ones[r]) ? TO_INTEGER : 0;
      return true;
    }
  }
  bool *flag = part_is(form, index, "ftz")    ? &in->flushes
               : part_is(form, index, "sat")  ? &in->saturates
               : part_is(form, index, "relu") ? &in->makes_nan
                                              : NULL;
  if (flag)
    *flag = true;
  return flag != NULL;
}

static void check_conversion(struct parser *p, const struct form *form, enum type to, enum type from) {
  static const struct {
    enum type to, from;
    unsigned version, sm;
  } rows[] = {
#define CONVERT(to, from, version, sm) {T_##to, T_##from, version, sm},
#include "tests/cuda/emulator/convert.def"
#undef CONVERT
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].to == to && rows[i].from == from)
      need(p, form, rows[i].version, rows[i].sm);
}

// What must be rounded, and how, follows from the types.
static bool rounding_fits(const struct instruction *in, enum type to, enum type from) {
  bool rounds = in->rounding != ROUND_NONE, is_integral = in->mode & TO_INTEGER;
  if (!is_float(to))
    return is_float(from) ? rounds && is_integral : !rounds;
  if (!is_float(from))
    return rounds && !is_integral;
  if (to == from)
    return !rounds || is_integral;
  bool narrows = type_bits(to) < type_bits(from) || (type_bits(to) == type_bits(from) && to != T_F16X2);
  return to == T_F16X2 || to == T_BF16X2 || narrows ? rounds && !is_integral : !rounds;
}

static bool is_convertible(enum type type, bool is_target) {
  if (type == T_F16X2 || type == T_BF16X2)
    return is_target;
  return type_class(type) >= CLASS_UNSIGNED && type != T_U16X2 && type != T_S16X2;
}

static void (*conversion(const struct instruction *in, enum type to, enum type from))(struct item *item,
                                                                                      struct instruction *in) {
  bool is_plain = !in->flushes && !in->saturates && in->rounding == ROUND_NEAREST && !in->makes_nan;
  if (to == T_F16X2 || to == T_BF16X2)
    return run_pair;
  if (!is_float(to))
    return is_float(from) ? run_to_integer : run_integers;
  if (to == T_F32 && is_plain && from == T_S32)
    return run_single_of_s32;
  if (to == T_F32 && is_plain && from == T_U32)
    return run_single_of_u32;
  if (to == T_F32 && is_plain && from == T_F64)
    return run_double_to_single;
  if (to == T_F64 && from == T_F32 && !in->flushes && !in->saturates)
    return run_single_to_double;
  return is_float(from) ? run_floats : run_from_integer;
}

void decode_cvt(struct parser *p, const struct form *form, struct instruction *in) {
  if (form->count < 2) {
    unknown_operation(p, form);
    return;
  }
  enum type to = part_type(p, form, form->count - 2), from = part_type(p, form, form->count - 1);
  for (uint32_t i = 0; i + 2 < form->count; i++)
    if (!read_modifier(form, i, in))
      unknown_operation(p, form);
  if (p->failed)
    return;
  bool is_pair = to == T_F16X2 || to == T_BF16X2;
  if (!is_convertible(to, true) || !is_convertible(from, false) || (is_pair && from != T_F32))
    unknown_operation(p, form);
  else if (!rounding_fits(in, to, from))
    parser_fail(p, PTX_SYNTAX, "%.*s: with another rounding, or without", (int)form->size, form->text);
  check_conversion(p, form, to, from);
  in->u.types.to = (uint8_t)to;
  in->u.types.from = (uint8_t)from;
  in->run = conversion(in, to, from);
  read_target(p, in, 0, to, is_float(to) ? OPERAND_EXACT : OPERAND_WIDER);
  for (unsigned i = 0; i < (is_pair ? 2u : 1u); i++) {
    expect(p, ",");
    in->from[i] = read_source(p, from, is_float(from) ? OPERAND_EXACT : OPERAND_WIDER);
  }
}
