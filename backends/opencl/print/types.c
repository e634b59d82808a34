// Names of types, and constants with exactly their value.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/opencl/print/print.h"
#include "base/c_locale.h"

static const char *kind_name(struct cl_printer *p, enum kiln_kind kind, enum cl_sign sign) {
  bool is_signed = sign == CL_SIGNED;
  switch (kind) {
  case KILN_VOID:
    return "void";
  case KILN_BOOL:
    return "bool";
  case KILN_I8:
    return is_signed ? "char" : "uchar";
  case KILN_I16:
    return is_signed ? "short" : "ushort";
  case KILN_I32:
    return is_signed ? "int" : "uint";
  case KILN_I64:
    return is_signed ? "long" : "ulong";
  case KILN_F16:
    if (p->half_emulated)
      return "ushort";
    kiln_cl_need_extension(p, CL_EXT_FP16);
    return "half";
  case KILN_F32:
    return "float";
  case KILN_F64:
    kiln_cl_need_extension(p, CL_EXT_FP64);
    return "double";
  case KILN_PTR:
    return "ulong";
  case KILN_IMAGE: // kiln_cl_type_name has its name
    break;
  }
  return "void";
}

const char *kiln_cl_type_name(struct cl_printer *p, kiln_type type, enum cl_sign sign) {
  if (kiln_type_kind(type) == KILN_IMAGE)
    return kiln_cl_image_type(p, type);
  const char *name = kind_name(p, kiln_type_kind(type), sign);
  unsigned lanes = kiln_type_lanes(type);
  return lanes == 1 ? name : kiln_cl_format(p, "%s%u", name, lanes);
}

static bool is_comparison(unsigned op) { return op >= KILN_OP_EQ && op <= KILN_OP_FLE; }

enum kiln_kind kiln_cl_mask_kind(struct cl_printer *p, kiln_value value) {
  const struct kiln_function *fn = p->fn;
  for (int i = 0; i < 8; i++) {
    const struct kiln_inst *inst = &fn->insts[value];
    if (is_comparison(inst->op)) {
      kiln_type operands = kiln_value_type(fn, kiln_operands(fn, value)[0]);
      if (p->half_emulated && kiln_type_kind(operands) == KILN_F16) // compared as floats
        return KILN_I32;
      switch (kiln_kind_bits(kiln_type_kind(operands))) {
      case 8:
        return KILN_I8;
      case 16:
        return KILN_I16;
      case 64:
        return KILN_I64;
      }
      return KILN_I32;
    }
    if (inst->op < KILN_OP_BAND || inst->op > KILN_OP_BNOT)
      break;
    value = kiln_operands(fn, value)[0];
  }
  return KILN_I32;
}

const char *kiln_cl_value_type_name(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  kiln_type type = kiln_value_type(p->fn, value);
  unsigned lanes = kiln_type_lanes(type);
  if (kiln_type_kind(type) == KILN_PTR)
    return kiln_cl_pointer_type(p, value);
  if (kiln_type_kind(type) == KILN_BOOL && lanes > 1)
    return kiln_cl_type_name(p, kiln_vec_type(kiln_cl_mask_kind(p, value), lanes), CL_SIGNED);
  return kiln_cl_type_name(p, type, sign);
}

// ---- constants

static struct cl_text negative(struct cl_printer *p, bool is_negative, struct cl_text text) {
  return is_negative ? kiln_cl_prefix(p, "-", text, (enum cl_sign)text.sign) : text;
}

static struct cl_text int_constant(struct cl_printer *p, enum kiln_kind kind, uint64_t bits, enum cl_sign sign) {
  unsigned width = kiln_kind_bits(kind);
  int64_t value = (int64_t)(bits << (64 - width)) >> (64 - width);
  if (sign == CL_ANY)
    sign = value < 0 || bits <= 0x7fffffff ? CL_SIGNED : CL_UNSIGNED;
  if (sign == CL_SIGNED && value == INT64_MIN) // C has no negative literals
    return kiln_cl_primary("(-9223372036854775807l - 1)", sign);
  if (sign == CL_SIGNED && width == 32 && value == INT32_MIN)
    return kiln_cl_primary("(-2147483647 - 1)", sign);
  const char *suffix = width == 64 ? (sign == CL_SIGNED ? "l" : "ul") : (sign == CL_SIGNED ? "" : "u");
  bool is_negative = sign == CL_SIGNED && value < 0;
  unsigned long long size = sign != CL_SIGNED ? bits : is_negative ? 0 - (uint64_t)value : (uint64_t)value;
  const char *digits = kiln_cl_format(p, sign == CL_SIGNED || bits <= 0xffff ? "%llu%s" : "0x%llx%s", size, suffix);
  struct cl_text text = negative(p, is_negative, kiln_cl_primary(digits, sign));
  return width < 32 ? kiln_cl_cast(p, kind_name(p, kind, sign), text, sign) : text;
}

// The shortest decimal text that reads back as the same value.
static const char *decimal(struct cl_printer *p, double value, bool single) {
  char text[64];
  for (int digits = 1; digits <= 17; digits++) {
    kiln_snprintf(text, sizeof text, "%.*g", digits, value);
    if (single ? kiln_strtof(text, NULL) == (float)value : kiln_strtod(text, NULL) == value)
      break;
  }
  double size = fabs(value);
  if (strchr(text, 'e') && size >= 1e-4 && size < 1e9) { // without an exponent
    for (int digits = 1; digits <= 17; digits++) {
      char plain[64];
      kiln_snprintf(plain, sizeof plain, "%.*f", digits, value);
      if (single ? kiln_strtof(plain, NULL) == (float)value : kiln_strtod(plain, NULL) == value) {
        memcpy(text, plain, sizeof text);
        break;
      }
    }
  }
  return kiln_cl_format(p, "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0", single ? "f" : "");
}

static double half_value(uint64_t bits) {
  int exponent = bits >> 10 & 31;
  double mantissa = (double)(bits & 1023);
  double value = exponent ? ldexp(mantissa + 1024, exponent - 25) : ldexp(mantissa, -24);
  return bits >> 15 ? -value : value;
}

static struct cl_text finite_text(struct cl_printer *p, double value, bool single) {
  return negative(p, signbit(value), kiln_cl_primary(decimal(p, fabs(value), single), CL_ANY));
}

static struct cl_text from_bits(struct cl_printer *p, const char *type, const char *bits) {
  return kiln_cl_call(p, kiln_cl_format(p, "as_%s", type), bits, CL_ANY);
}

// Infinities as casts of INFINITY, since as_double of bits is no constant expression; kiln_cl_vote_globals keeps NaNs
// out of initialisers.
static struct cl_text infinity(struct cl_printer *p, bool is_negative) {
  return negative(p, is_negative, kiln_cl_primary("INFINITY", CL_ANY));
}

static struct cl_text float_text(struct cl_printer *p, uint64_t bits) {
  float value;
  uint32_t word = (uint32_t)bits;
  memcpy(&value, &word, 4);
  if (isfinite(value))
    return finite_text(p, value, true);
  return isinf(value) ? infinity(p, value < 0) : from_bits(p, "float", kiln_cl_format(p, "0x%08xu", word));
}

static struct cl_text double_text(struct cl_printer *p, uint64_t bits) {
  double value;
  memcpy(&value, &bits, 8);
  if (isfinite(value))
    return finite_text(p, value, false);
  if (isinf(value))
    return kiln_cl_cast(p, "double", infinity(p, value < 0), CL_ANY);
  return from_bits(p, "double", kiln_cl_format(p, "0x%016llxul", (unsigned long long)bits));
}

static struct cl_text half_text(struct cl_printer *p, uint64_t bits) {
  bool is_finite = (bits >> 10 & 31) != 31;
  if (!is_finite && bits & 1023)
    return from_bits(p, "half", kiln_cl_format(p, "(ushort)0x%04x", (unsigned)bits));
  return kiln_cl_cast(p, "half", is_finite ? finite_text(p, half_value(bits), true) : infinity(p, bits >> 15 & 1),
                      CL_ANY);
}

static struct cl_text float_constant(struct cl_printer *p, enum kiln_kind kind, uint64_t bits) {
  if (kind == KILN_F32)
    return float_text(p, bits);
  if (kind == KILN_F64) {
    kiln_cl_need_extension(p, CL_EXT_FP64);
    return double_text(p, bits);
  }
  if (p->half_emulated)
    return kiln_cl_cast(p, "ushort", kiln_cl_primary(kiln_cl_format(p, "0x%04x", (unsigned)bits), CL_ANY), CL_UNSIGNED);
  kiln_cl_need_extension(p, CL_EXT_FP16);
  return half_text(p, bits);
}

struct cl_text kiln_cl_scalar_constant(struct cl_printer *p, kiln_type type, uint64_t bits, enum cl_sign sign) {
  enum kiln_kind kind = kiln_type_kind(type);
  if (kind == KILN_BOOL)
    return kiln_cl_primary(bits ? "true" : "false", CL_ANY);
  if (kiln_kind_is_int(kind))
    return int_constant(p, kind, bits, sign);
  return float_constant(p, kind, bits);
}

static uint64_t lane_bits(const struct kiln_inst *lane) { return lane->op == KILN_OP_CONST ? lane->imm : 0; }

struct cl_text kiln_cl_constant(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  const struct kiln_function *fn = p->fn;
  const struct kiln_inst *inst = &fn->insts[value];
  kiln_type type = inst->type, element = kiln_type_element(type);
  if (kiln_type_kind(type) == KILN_PTR)
    return kiln_cl_cast(p, kiln_cl_pointer_type(p, value), kiln_cl_primary("0", CL_ANY), CL_ANY);
  if (kiln_type_lanes(type) == 1)
    return kiln_cl_scalar_constant(p, type, lane_bits(inst), sign);
  bool is_mask = kiln_type_kind(type) == KILN_BOOL;
  if (is_mask)
    element = kiln_scalar_type(KILN_I32);
  if (kiln_kind_is_int(kiln_type_kind(element)) && sign == CL_ANY)
    sign = CL_UNSIGNED;
  if (is_mask)
    sign = CL_SIGNED;
  struct kiln_strbuf list = {0};
  bool splat = true;
  for (uint32_t i = 0; i < inst->operand_count; i++)
    splat &= lane_bits(&fn->insts[kiln_operands(fn, value)[i]]) == lane_bits(&fn->insts[*kiln_operands(fn, value)]);
  for (uint32_t i = 0; i < (splat ? 1 : inst->operand_count); i++) {
    uint64_t bits = inst->operand_count ? lane_bits(&fn->insts[kiln_operands(fn, value)[i]]) : 0;
    bits = is_mask && bits ? 0xffffffff : bits;
    kiln_strbuf_printf(&list, "%s%s", i ? ", " : "", kiln_cl_scalar_constant(p, element, bits, sign).s);
  }
  const char *name = kiln_cl_type_name(p, kiln_type_with_lanes(element, kiln_type_lanes(type)), sign);
  struct cl_text text = kiln_cl_vector(p, name, list.data ? list.data : "0", sign);
  kiln_strbuf_free(&list);
  return text;
}
