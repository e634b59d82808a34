// Expressions. The IR's integers have no sign; C's do, and signed arithmetic must not overflow there. So a text knows
// its sign, arithmetic is made unsigned by one of its operands, and signed operations cast where they must.
#include "backends/opencl/print/print.h"
#include "kiln/op_cases.h"

enum form { FORM_NONE, FORM_WRAP, FORM_BITS, FORM_CMP, FORM_INFIX, FORM_CALL, FORM_MATH, FORM_OTHER };

static const struct op_row {
  enum form form;
  const char *text;
  enum cl_sign in, out;
} ops[KILN_OP_COUNT] = {
#define CL_OP(op, form, text, in, out) [KILN_OP_##op] = {FORM_##form, text, in, out},
#define CL_OTHER(op, text, in, out) [KILN_OP_##op] = {FORM_OTHER, text, in, out},
#include "backends/opencl/print/expr.def"
};

enum cl_sign kiln_cl_operand_sign(const struct kiln_function *fn, kiln_value value, uint32_t operand) {
  const struct kiln_inst *inst = &fn->insts[value];
  if ((inst->op == KILN_OP_ASHR || inst->op == KILN_OP_LSHR) && operand == 1)
    return CL_ANY;
  return ops[inst->op].in;
}

enum cl_sign kiln_cl_natural_sign(const struct cl_printer *p, kiln_value value) {
  enum cl_sign sign = ops[p->fn->insts[value].op].out;
  return sign == CL_ANY ? CL_UNSIGNED : sign;
}

static bool is_int(kiln_type type) { return kiln_kind_is_int(kiln_type_kind(type)); }
static bool is_bool(kiln_type type) { return kiln_type_kind(type) == KILN_BOOL; }
static unsigned lanes_of(kiln_type type) { return kiln_type_lanes(type); }
static unsigned bits_of(kiln_type type) { return kiln_kind_bits(kiln_type_kind(type)); }

static struct cl_text call1(struct cl_printer *p, const char *function, struct cl_text text, enum cl_sign sign) {
  return kiln_cl_call(p, function, text.s, sign);
}

static struct cl_text call2(struct cl_printer *p, const char *function, struct cl_text x, struct cl_text y,
                            enum cl_sign sign) {
  return kiln_cl_call(p, function, kiln_cl_format(p, "%s, %s", x.s, y.s), sign);
}

// The text with the sign that is wanted.
static struct cl_text fit(struct cl_printer *p, struct cl_text text, kiln_type type, enum cl_sign want) {
  if (want == CL_ANY || !is_int(type) || text.sign == want)
    return text;
  const char *name = kiln_cl_type_name(p, type, want);
  return lanes_of(type) > 1 ? call1(p, kiln_cl_format(p, "as_%s", name), text, want)
                            : kiln_cl_cast(p, name, text, want);
}

// Converts the text to the type as C does: by a cast, or by a function if it is a vector.
static struct cl_text to_type(struct cl_printer *p, kiln_type type, struct cl_text text, enum cl_sign sign) {
  const char *name = kiln_cl_type_name(p, type, sign);
  return lanes_of(type) > 1 ? call1(p, kiln_cl_format(p, "convert_%s", name), text, sign)
                            : kiln_cl_cast(p, name, text, sign);
}

// ---- operands

static kiln_value operand(const struct cl_printer *p, kiln_value value, uint32_t index) {
  return kiln_operands(p->fn, value)[index];
}
static kiln_type operand_type(const struct cl_printer *p, kiln_value value, uint32_t index) {
  return kiln_value_type(p->fn, operand(p, value, index));
}

static bool is_soft_half(const struct cl_printer *p, kiln_type type) {
  return p->half_emulated && kiln_type_kind(type) == KILN_F16;
}

static struct cl_text number(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  struct cl_text text = kiln_cl_expr(p, value, sign);
  kiln_type type = kiln_value_type(p->fn, value);
  if (!is_soft_half(p, type))
    return text;
  return call1(p, kiln_cl_helper(p, CL_HELPER_HALF_TO_FLOAT, type, CL_ANY, 0), text, CL_ANY);
}

static struct cl_text result(struct cl_printer *p, kiln_type type, struct cl_text text) {
  if (!is_soft_half(p, type))
    return text;
  return call1(p, kiln_cl_helper(p, CL_HELPER_FLOAT_TO_HALF, type, CL_ANY, KILN_ROUND_EVEN), text, CL_UNSIGNED);
}

// A vector of bool as a vector of integers of the kind: 0 or -1.
static struct cl_text mask(struct cl_printer *p, kiln_value value, enum kiln_kind kind) {
  struct cl_text text = kiln_cl_expr(p, value, CL_SIGNED);
  text.sign = CL_SIGNED;
  if (kiln_cl_mask_kind(p, value) == kind)
    return text;
  return to_type(p, kiln_vec_type(kind, lanes_of(kiln_value_type(p->fn, value))), text, CL_SIGNED);
}

// ---- infix

// Types narrower than int are computed as int.
static struct cl_text narrow(struct cl_printer *p, struct cl_text text, kiln_type type, enum cl_sign sign) {
  if (lanes_of(type) > 1 || bits_of(type) >= 32)
    return text;
  return kiln_cl_cast(p, kiln_cl_type_name(p, type, sign), text, sign);
}

// As C computes it: with operands that are signed, and undefined where it overflows.
static struct cl_text signed_arithmetic(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const char *op = ops[inst->op].text;
  kiln_value a = operand(p, value, 0), b = operand(p, value, 1);
  struct cl_text x = kiln_cl_expr(p, a, CL_SIGNED), y = kiln_cl_expr(p, b, CL_SIGNED);
  uint64_t top = (uint64_t)1 << (bits_of(inst->type) - 1), negative = (0 - p->fn->insts[b].imm) & (top * 2 - 1);
  if (p->fn->insts[b].op == KILN_OP_CONST && inst->op == KILN_OP_IADD && p->fn->insts[b].imm & top && negative != top) {
    op = "-"; // x + -1 is x - 1
    y = kiln_cl_scalar_constant(p, inst->type, negative, CL_SIGNED);
  }
  return kiln_cl_infix(p, x, op, y, CL_SIGNED);
}

static struct cl_text wrap_arithmetic(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const char *op = ops[inst->op].text;
  if (kiln_cl_is_signed_index(p, value))
    return signed_arithmetic(p, value);
  bool scalar = lanes_of(inst->type) == 1, wide = bits_of(inst->type) >= 32;
  enum cl_sign want = scalar && wide ? CL_ANY : CL_UNSIGNED;
  kiln_value a = operand(p, value, 0), b = operand(p, value, 1);
  struct cl_text x = kiln_cl_expr(p, a, want), y = kiln_cl_expr(p, b, want);
  if (p->fn->insts[b].op == KILN_OP_CONST && scalar && wide) {
    uint64_t bits = p->fn->insts[b].imm, sign = (uint64_t)1 << (bits_of(inst->type) - 1);
    uint64_t negative = (0 - bits) & (sign * 2 - 1);
    if (bits & sign && inst->op == KILN_OP_IADD && negative <= 0xffff) { // x + -1 is x - 1
      op = "-";
      y = kiln_cl_scalar_constant(p, inst->type, negative, x.sign == CL_UNSIGNED ? CL_ANY : CL_UNSIGNED);
    } else if (x.sign == CL_SIGNED || bits > 0x7fffffff) {
      y = kiln_cl_expr(p, b, CL_UNSIGNED);
    }
  } else if (x.sign == CL_SIGNED && y.sign == CL_SIGNED && scalar && wide) {
    x = kiln_cl_expr(p, a, CL_UNSIGNED);
  }
  if (scalar && !wide && inst->op == KILN_OP_IMUL && bits_of(inst->type) == 16) // int could overflow
    x = kiln_cl_cast(p, "uint", x, CL_UNSIGNED);
  return narrow(p, kiln_cl_infix(p, x, op, y, CL_UNSIGNED), inst->type, CL_UNSIGNED);
}

static struct cl_text bits(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  bool exact = lanes_of(inst->type) > 1 || bits_of(inst->type) < 32;
  const struct kiln_inst *second = kiln_inst(p->fn, operand(p, value, 1));
  if (inst->op == KILN_OP_XOR && !exact && second->op == KILN_OP_CONST &&
      second->imm == ~(uint64_t)0 >> (64 - bits_of(inst->type))) {
    struct cl_text x = kiln_cl_expr(p, operand(p, value, 0), CL_ANY);
    return kiln_cl_prefix(p, "~", x, (enum cl_sign)x.sign);
  }
  enum cl_sign want = exact ? (sign == CL_ANY ? CL_UNSIGNED : sign) : CL_ANY;
  struct cl_text x = kiln_cl_expr(p, operand(p, value, 0), want), y = kiln_cl_expr(p, operand(p, value, 1), want);
  if (!exact && x.sign == CL_UNSIGNED && second->op == KILN_OP_CONST && second->imm > 0x7fffffff)
    y = kiln_cl_expr(p, operand(p, value, 1), CL_UNSIGNED);
  enum cl_sign out = exact ? want : x.sign == CL_SIGNED && y.sign == CL_SIGNED ? CL_SIGNED : CL_UNSIGNED;
  return narrow(p, kiln_cl_infix(p, x, ops[inst->op].text, y, out), inst->type, out);
}

static struct cl_text shift(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const struct op_row *row = &ops[inst->op];
  bool scalar = lanes_of(inst->type) == 1, is_narrow = scalar && bits_of(inst->type) < 32;
  enum cl_sign sign = row->out;
  struct cl_text x = kiln_cl_expr(p, operand(p, value, 0), sign);
  struct cl_text y = kiln_cl_expr(p, operand(p, value, 1), scalar ? CL_ANY : sign);
  if (is_narrow) // C counts modulo 32
    y = kiln_cl_infix(p, y, "&", kiln_cl_primary(kiln_cl_format(p, "%u", bits_of(inst->type) - 1), CL_SIGNED),
                      CL_SIGNED);
  return narrow(p, kiln_cl_infix(p, x, row->text, y, sign), inst->type, sign);
}

static struct cl_text compare_by(struct cl_printer *p, kiln_value value, const char *op) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const struct op_row *row = &ops[inst->op];
  kiln_type type = operand_type(p, value, 0);
  kiln_value a = operand(p, value, 0), b = operand(p, value, 1);
  if (kiln_type_kind(type) == KILN_PTR) {
    struct cl_text x = kiln_cl_pointer_expr(p, a), y = kiln_cl_pointer_expr(p, b);
    if (strcmp(kiln_cl_pointer_type(p, a), kiln_cl_pointer_type(p, b))) {
      x = kiln_cl_cast(p, "ulong", x, CL_UNSIGNED);
      y = kiln_cl_cast(p, "ulong", y, CL_UNSIGNED);
    }
    return kiln_cl_infix(p, x, op, y, CL_SIGNED);
  }
  enum cl_sign want = row->in;
  if (is_int(type) && want == CL_ANY && (lanes_of(type) > 1 || bits_of(type) < 32))
    want = CL_UNSIGNED;
  return kiln_cl_infix(p, number(p, a, want), op, number(p, b, want), CL_SIGNED);
}

static struct cl_text compare(struct cl_printer *p, kiln_value value) {
  return compare_by(p, value, ops[kiln_inst(p->fn, value)->op].text);
}

// The comparison that holds where the operation's does not; NULL: there is none, a NaN makes both false.
static const char *opposite(unsigned op) {
  switch (op) {
  case KILN_OP_EQ:
  case KILN_OP_FEQ:
    return "!=";
  case KILN_OP_NE:
  case KILN_OP_FNE:
    return "==";
  case KILN_OP_SLT:
  case KILN_OP_ULT:
    return ">=";
  case KILN_OP_SLE:
  case KILN_OP_ULE:
    return ">";
  }
  return NULL;
}

struct cl_text kiln_cl_negated(struct cl_printer *p, kiln_value condition) {
  const struct kiln_inst *inst = kiln_inst(p->fn, condition);
  bool has_var = kiln_cl_var(p, condition) != NULL;
  if (!has_var && inst->op == KILN_OP_BNOT)
    return kiln_cl_expr(p, operand(p, condition, 0), CL_ANY);
  if (!has_var && opposite(inst->op))
    return compare_by(p, condition, opposite(inst->op));
  return kiln_cl_prefix(p, "!", kiln_cl_expr(p, condition, CL_ANY), CL_SIGNED);
}

// ---- division

static bool is_safe_divisor(const struct kiln_function *fn, kiln_value value, bool is_signed) {
  const struct kiln_inst *inst = kiln_inst(fn, value);
  if (inst->op == KILN_OP_CONST) {
    uint64_t ones = ~(uint64_t)0 >> (64 - bits_of(inst->type));
    return inst->imm != 0 && (!is_signed || inst->imm != ones);
  }
  if (inst->op != KILN_OP_CONST_VEC)
    return inst->op == KILN_OP_LOCAL_SIZE || inst->op == KILN_OP_FULL_LOCAL_SIZE || inst->op == KILN_OP_NUM_GROUPS ||
           inst->op == KILN_OP_GLOBAL_SIZE;
  for (uint32_t i = 0; i < inst->operand_count; i++)
    if (!is_safe_divisor(fn, kiln_operands(fn, value)[i], is_signed))
      return false;
  return true;
}

static struct cl_text divide(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const struct op_row *row = &ops[inst->op];
  struct cl_text x = kiln_cl_expr(p, operand(p, value, 0), row->in);
  struct cl_text y = kiln_cl_expr(p, operand(p, value, 1), row->in);
  if (is_safe_divisor(p->fn, operand(p, value, 1), row->in == CL_SIGNED))
    return narrow(p, kiln_cl_infix(p, x, row->text, y, row->in), inst->type, row->in);
  enum cl_helper_kind kind = *row->text == '/' ? CL_HELPER_DIV : CL_HELPER_REM;
  return call2(p, kiln_cl_helper(p, kind, inst->type, row->in, 0), x, y, row->in);
}

// ---- calls of built-in functions

static struct cl_text builtin(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const struct op_row *row = &ops[inst->op];
  const char *prefix = "";
  if (inst->op == KILN_OP_NEXTAFTER && is_soft_half(p, inst->type)) {
    const char *name = kiln_cl_helper(p, CL_HELPER_HALF_NEXTAFTER, inst->type, CL_ANY, 0);
    return call2(p, name, kiln_cl_expr(p, operand(p, value, 0), CL_UNSIGNED),
                 kiln_cl_expr(p, operand(p, value, 1), CL_UNSIGNED), CL_UNSIGNED);
  }
  bool trigonometric = inst->op == KILN_OP_SIN || inst->op == KILN_OP_COS || inst->op == KILN_OP_TAN;
  if (trigonometric && p->options.features.lane_trig && lanes_of(inst->type) > 1 && !(inst->flags & KILN_FP_NATIVE) &&
      kiln_type_kind(inst->type) == KILN_F32)
    return call1(p, kiln_cl_helper(p, CL_HELPER_BY_LANE, inst->type, CL_ANY, inst->op),
                 kiln_cl_expr(p, operand(p, value, 0), CL_ANY), CL_ANY);
  if (row->form == FORM_MATH && kiln_type_kind(inst->type) == KILN_F32)
    prefix = inst->flags & KILN_FP_NATIVE ? "native_" : inst->flags & KILN_FP_HALF ? "half_" : "";
  const char *list = "";
  for (uint32_t i = 0; i < inst->operand_count; i++)
    list = kiln_cl_format(p, "%s%s%s", list, i ? ", " : "", number(p, operand(p, value, i), row->in).s);
  return result(p, inst->type, kiln_cl_call(p, kiln_cl_format(p, "%s%s", prefix, row->text), list, row->out));
}

static struct cl_text float_divide(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  struct cl_text x = number(p, operand(p, value, 0), CL_ANY), y = number(p, operand(p, value, 1), CL_ANY);
  if (inst->flags & (KILN_FP_NATIVE | KILN_FP_HALF) && kiln_type_kind(inst->type) == KILN_F32)
    return call2(p, inst->flags & KILN_FP_NATIVE ? "native_divide" : "half_divide", x, y, CL_ANY);
  return result(p, inst->type, kiln_cl_infix(p, x, "/", y, CL_ANY));
}

static struct cl_text negate(struct cl_printer *p, kiln_value value) {
  kiln_type type = kiln_value_type(p->fn, value);
  struct cl_text x = kiln_cl_expr(p, operand(p, value, 0), CL_ANY);
  if (!is_soft_half(p, type))
    return kiln_cl_prefix(p, "-", x, CL_ANY);
  struct cl_text sign_bit = kiln_cl_cast(p, "ushort", kiln_cl_primary("0x8000", CL_UNSIGNED), CL_UNSIGNED);
  struct cl_text negated = kiln_cl_infix(p, x, "^", sign_bit, CL_UNSIGNED);
  return lanes_of(type) == 1 ? kiln_cl_cast(p, "ushort", negated, CL_UNSIGNED) : negated;
}

// ---- bool

static struct cl_text logic(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  if (lanes_of(inst->type) > 1) {
    enum kiln_kind kind = kiln_cl_mask_kind(p, value);
    struct cl_text x = mask(p, operand(p, value, 0), kind);
    if (inst->op == KILN_OP_BNOT)
      return kiln_cl_prefix(p, "~", x, CL_SIGNED);
    const char *op = inst->op == KILN_OP_BAND ? "&" : inst->op == KILN_OP_BOR ? "|" : "^";
    return kiln_cl_infix(p, x, op, mask(p, operand(p, value, 1), kind), CL_SIGNED);
  }
  struct cl_text x = kiln_cl_expr(p, operand(p, value, 0), CL_ANY);
  if (inst->op == KILN_OP_BNOT)
    return kiln_cl_prefix(p, "!", x, CL_SIGNED);
  struct cl_text y = kiln_cl_expr(p, operand(p, value, 1), CL_ANY);
  const char *op = inst->op == KILN_OP_BXOR ? "!=" : inst->op == KILN_OP_BAND ? "&&" : "||";
  return kiln_cl_infix(p, x, op, y, CL_SIGNED);
}

static struct cl_text select_value(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  kiln_type type = kiln_value_type(p->fn, value), condition = operand_type(p, value, 0);
  enum cl_sign want = is_int(type) ? (sign == CL_ANY ? CL_UNSIGNED : sign) : CL_ANY;
  kiln_value a = operand(p, value, 1), b = operand(p, value, 2);
  bool is_mask = is_bool(type) && lanes_of(type) > 1;
  enum kiln_kind kind = kiln_cl_mask_kind(p, value);
  struct cl_text x = is_mask ? mask(p, a, kind) : kiln_cl_expr(p, a, want);
  struct cl_text y = is_mask ? mask(p, b, kind) : kiln_cl_expr(p, b, want);
  if (lanes_of(condition) == 1) {
    struct cl_text c = kiln_cl_expr(p, operand(p, value, 0), CL_ANY);
    struct cl_text chosen = kiln_cl_choice(p, c, x, y, is_mask ? CL_SIGNED : want);
    return is_int(type) ? narrow(p, chosen, type, want) : chosen;
  }
  if (!is_mask) {
    static const enum kiln_kind by_width[] = {KILN_I8, KILN_I16, KILN_I32, KILN_I64};
    unsigned width = bits_of(type);
    kind = by_width[width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3];
  }
  struct cl_text c = mask(p, operand(p, value, 0), kind);
  return kiln_cl_call(p, "select", kiln_cl_format(p, "%s, %s, %s", y.s, x.s, c.s), is_mask ? CL_SIGNED : want);
}

static struct cl_text any_all(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  kiln_value vector = operand(p, value, 0);
  struct cl_text x = kiln_cl_expr(p, vector, CL_SIGNED);
  if (lanes_of(kiln_value_type(p->fn, vector)) == 1)
    return x;
  return call1(p, inst->op == KILN_OP_ANY ? "any" : "all", x, CL_SIGNED);
}

// ---- vectors

static const char *lane_name(struct cl_printer *p, unsigned lanes, unsigned lane) {
  static const char *const short_names[] = {"x", "y", "z", "w"};
  return lanes <= 4 ? short_names[lane] : kiln_cl_format(p, "s%x", lane);
}

// The type of an expression of the vector: of integers for bool.
static kiln_type literal_type(kiln_type type) {
  return is_bool(type) && lanes_of(type) > 1 ? kiln_vec_type(KILN_I32, lanes_of(type)) : type;
}

static enum cl_sign literal_sign(kiln_type type, enum cl_sign sign) {
  if (is_bool(type))
    return CL_SIGNED;
  return is_int(type) && sign == CL_ANY ? CL_UNSIGNED : sign;
}

static struct cl_text vector_operand(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  return is_bool(kiln_value_type(p->fn, value)) ? mask(p, value, KILN_I32) : kiln_cl_expr(p, value, sign);
}

// A scalar as an element of a vector literal.
static struct cl_text element_text(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  struct cl_text text = kiln_cl_expr(p, value, sign);
  if (!is_bool(kiln_value_type(p->fn, value)))
    return text;
  struct cl_text one = kiln_cl_primary("1", CL_SIGNED);
  return kiln_cl_choice(p, text, kiln_cl_prefix(p, "-", one, CL_SIGNED), kiln_cl_primary("0", CL_SIGNED), CL_SIGNED);
}

static struct cl_text is_not_zero(struct cl_printer *p, struct cl_text x) {
  return kiln_cl_infix(p, x, "!=", kiln_cl_primary("0", CL_SIGNED), CL_SIGNED);
}

static struct cl_text literal(struct cl_printer *p, kiln_type type, const char *list, enum cl_sign sign) {
  return kiln_cl_vector(p, kiln_cl_type_name(p, literal_type(type), sign), list, sign);
}

static struct cl_text vec(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  sign = literal_sign(inst->type, sign);
  const char *list = "";
  for (uint32_t i = 0; i < inst->operand_count; i++)
    list = kiln_cl_format(p, "%s%s%s", list, i ? ", " : "", element_text(p, operand(p, value, i), sign).s);
  return literal(p, inst->type, list, sign);
}

static bool constant_lane(const struct cl_printer *p, kiln_value index, unsigned lanes, unsigned *out) {
  const struct kiln_inst *inst = kiln_inst(p->fn, index);
  if (inst->op != KILN_OP_CONST)
    return false;
  uint64_t lane = inst->imm;
  *out = (unsigned)(lane % lanes);
  return true;
}

static struct cl_text extract(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  kiln_value vector = operand(p, value, 0), index = operand(p, value, 1);
  kiln_type type = kiln_value_type(p->fn, vector);
  unsigned lane;
  sign = literal_sign(type, sign);
  struct cl_text x = vector_operand(p, vector, sign);
  struct cl_text text;
  if (constant_lane(p, index, lanes_of(type), &lane)) {
    text = kiln_cl_member(p, x, lane_name(p, lanes_of(type), lane), sign);
  } else {
    const char *name = kiln_cl_helper(p, CL_HELPER_EXTRACT, literal_type(type), sign, 0);
    text = call2(p, name, x, kiln_cl_expr(p, index, CL_UNSIGNED), sign);
  }
  return is_bool(type) ? is_not_zero(p, text) : text;
}

// Lanes [from, to) of a vector, as elements of a literal.
static struct cl_text swizzle(struct cl_printer *p, struct cl_text vector, unsigned lanes, const uint8_t *list,
                              unsigned count) {
  const char *text = lanes <= 4 ? "" : "s";
  for (unsigned i = 0; i < count; i++)
    text = lanes <= 4 ? kiln_cl_format(p, "%s%s", text, lane_name(p, lanes, list[i]))
                      : kiln_cl_format(p, "%s%x", text, list[i]);
  return kiln_cl_member(p, vector, text, (enum cl_sign)vector.sign);
}

// Appends a run of lanes to a literal, in pieces that are types.
static const char *add_run(struct cl_printer *p, const char *list, struct cl_text vector, unsigned lanes,
                           const uint8_t *run, unsigned count) {
  while (count) {
    unsigned piece = count >= 16 ? 16 : count >= 8 ? 8 : count >= 4 ? 4 : count;
    list = kiln_cl_format(p, "%s%s%s", list, *list ? ", " : "", swizzle(p, vector, lanes, run, piece).s);
    run += piece;
    count -= piece;
  }
  return list;
}

static struct cl_text insert(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  kiln_type type = kiln_value_type(p->fn, value);
  unsigned lanes = lanes_of(type), lane;
  sign = literal_sign(type, sign);
  struct cl_text x = vector_operand(p, operand(p, value, 0), sign);
  const char *element = element_text(p, operand(p, value, 1), sign).s;
  if (!constant_lane(p, operand(p, value, 2), lanes, &lane)) {
    const char *name = kiln_cl_helper(p, CL_HELPER_INSERT, literal_type(type), sign, 0);
    const char *index = kiln_cl_expr(p, operand(p, value, 2), CL_UNSIGNED).s;
    return kiln_cl_call(p, name, kiln_cl_format(p, "%s, %s, %s", x.s, element, index), sign);
  }
  static const uint8_t all[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const char *list = add_run(p, "", x, lanes, all, lane);
  list = kiln_cl_format(p, "%s%s%s", list, *list ? ", " : "", element);
  return literal(p, type, add_run(p, list, x, lanes, all + lane + 1, lanes - lane - 1), sign);
}

static struct cl_text shuffle(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  kiln_type from = operand_type(p, value, 0);
  unsigned lanes = lanes_of(from), count = lanes_of(inst->type);
  sign = literal_sign(inst->type, sign);
  uint8_t wanted[16];
  unsigned last = 0;
  for (unsigned i = 0; i < count; i++) { // undefined lanes go with their neighbours
    uint8_t lane = p->fn->shuffles[inst->node][i];
    wanted[i] = lane == 0xff ? (uint8_t)last : lane;
    last = wanted[i];
  }
  struct cl_text sources[2] = {{0}, {0}};
  const char *list = "";
  unsigned runs = 0;
  for (unsigned i = 0; i < count;) {
    unsigned side = wanted[i] >= lanes, end = i;
    uint8_t run[16];
    for (; end < count && (wanted[end] >= lanes) == (side == 1); end++)
      run[end - i] = (uint8_t)(wanted[end] - side * lanes);
    if (!sources[side].s)
      sources[side] = lanes == 1 ? element_text(p, operand(p, value, side), sign)
                                 : vector_operand(p, operand(p, value, side), sign);
    if (lanes == 1)
      for (unsigned k = i; k < end; k++)
        list = kiln_cl_format(p, "%s%s%s", list, k ? ", " : "", sources[side].s);
    else
      list = add_run(p, list, sources[side], lanes, run, end - i);
    runs++;
    i = end;
  }
  bool is_swizzle = runs == 1 && lanes > 1;
  struct cl_text text = is_swizzle ? kiln_cl_primary(list, sign) : literal(p, inst->type, list, sign);
  return is_bool(inst->type) && count == 1 ? is_not_zero(p, text) : text;
}

// ---- conversions

static struct cl_text extend(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  bool is_signed = inst->op == KILN_OP_SEXT;
  enum cl_sign sign = is_signed ? CL_SIGNED : CL_UNSIGNED;
  kiln_type from = operand_type(p, value, 0);
  if (is_bool(from) && lanes_of(from) == 1) {
    struct cl_text x = kiln_cl_expr(p, operand(p, value, 0), CL_ANY);
    if (is_signed)
      x = kiln_cl_prefix(p, "-", kiln_cl_cast(p, "int", x, CL_SIGNED), CL_SIGNED);
    return to_type(p, inst->type, x, sign);
  }
  if (is_bool(from)) {
    struct cl_text x = mask(p, operand(p, value, 0), kiln_type_kind(inst->type));
    if (is_signed)
      return x;
    const char *name = kiln_cl_type_name(p, inst->type, CL_SIGNED);
    struct cl_text one = kiln_cl_cast(p, name, kiln_cl_primary("1", CL_SIGNED), CL_SIGNED);
    return kiln_cl_infix(p, x, "&", one, CL_SIGNED);
  }
  return to_type(p, inst->type, kiln_cl_expr(p, operand(p, value, 0), sign), sign);
}

static struct cl_text truncate(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  sign = sign == CL_ANY ? CL_UNSIGNED : sign;
  struct cl_text x = kiln_cl_expr(p, operand(p, value, 0), lanes_of(inst->type) > 1 ? sign : CL_ANY);
  return to_type(p, inst->type, x, sign);
}

static const char *rounding(uint64_t imm) {
  static const char *const names[] = {"_rte", "_rtz", "_rtp", "_rtn"};
  return names[imm & 3];
}

static struct cl_text float_to_int(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  enum cl_sign sign = inst->op == KILN_OP_FTOS ? CL_SIGNED : CL_UNSIGNED;
  struct cl_text x = number(p, operand(p, value, 0), CL_ANY);
  if (inst->flags & KILN_FP_INRANGE && inst->imm == KILN_ROUND_ZERO)
    return to_type(p, inst->type, x, sign);
  kiln_type from = kiln_value_type(p->fn, operand(p, value, 0));
  bool wide = kiln_type_kind(from) == KILN_F64 || kiln_type_kind(inst->type) == KILN_I64;
  if (p->options.features.nan_limits && wide) {
    kiln_type float_type = is_soft_half(p, from) ? kiln_vec_type(KILN_F32, kiln_type_lanes(from)) : from;
    x = call1(p, kiln_cl_helper(p, CL_HELPER_NO_NAN, float_type, CL_ANY, 0), x, CL_ANY);
  }
  const char *name = kiln_cl_format(p, "convert_%s_sat%s", kiln_cl_type_name(p, inst->type, sign), rounding(inst->imm));
  return call1(p, name, x, sign);
}

static struct cl_text int_to_float(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  struct cl_text x = kiln_cl_expr(p, operand(p, value, 0), ops[inst->op].in);
  if (is_soft_half(p, inst->type)) {
    kiln_type single = kiln_vec_type(KILN_F32, lanes_of(inst->type));
    // Up to 24 bits are exact in a float, more are beyond half's range.
    x = call1(p, kiln_cl_format(p, "convert_%s_rtz", kiln_cl_type_name(p, single, CL_ANY)), x, CL_ANY);
    return call1(p, kiln_cl_helper(p, CL_HELPER_FLOAT_TO_HALF, inst->type, CL_ANY, (uint32_t)inst->imm), x,
                 CL_UNSIGNED);
  }
  if (inst->imm == KILN_ROUND_EVEN)
    return to_type(p, inst->type, x, CL_ANY);
  return call1(p, kiln_cl_format(p, "convert_%s%s", kiln_cl_type_name(p, inst->type, CL_ANY), rounding(inst->imm)), x,
               CL_ANY);
}

static struct cl_text float_to_float(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  kiln_type from = operand_type(p, value, 0);
  struct cl_text x = number(p, operand(p, value, 0), CL_ANY);
  if (is_soft_half(p, inst->type))
    return call1(p,
                 kiln_cl_helper(p, CL_HELPER_FLOAT_TO_HALF, inst->type,
                                kiln_type_kind(from) == KILN_F64 ? CL_SIGNED : CL_ANY, (uint32_t)inst->imm),
                 x, CL_UNSIGNED);
  if (is_soft_half(p, from) && kiln_type_kind(inst->type) == KILN_F32)
    return x;
  if (bits_of(inst->type) > bits_of(from) || inst->imm == KILN_ROUND_EVEN)
    return to_type(p, inst->type, x, CL_ANY);
  return call1(p, kiln_cl_format(p, "convert_%s%s", kiln_cl_type_name(p, inst->type, CL_ANY), rounding(inst->imm)), x,
               CL_ANY);
}

static struct cl_text bitcast(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  kiln_type from = operand_type(p, value, 0);
  sign = is_int(inst->type) && sign == CL_ANY ? CL_UNSIGNED : sign;
  struct cl_text x = kiln_cl_expr(p, operand(p, value, 0), is_soft_half(p, inst->type) ? CL_UNSIGNED : CL_ANY);
  bool same = lanes_of(from) == lanes_of(inst->type) && bits_of(from) == 16 &&
              (is_soft_half(p, from) || is_soft_half(p, inst->type));
  if (same) { // both are ushort already
    x.sign = CL_UNSIGNED;
    return fit(p, x, inst->type, sign);
  }
  return call1(p, kiln_cl_format(p, "as_%s", kiln_cl_type_name(p, inst->type, sign)), x, sign);
}

static struct cl_text count_trailing(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  kiln_value a = operand(p, value, 0);
  struct cl_text x = kiln_cl_expr(p, a, CL_UNSIGNED);
  const char *name = kiln_cl_type_name(p, inst->type, CL_UNSIGNED);
  struct cl_text one = kiln_cl_cast(p, name, kiln_cl_primary("1", CL_UNSIGNED), CL_UNSIGNED);
  // The bits below the lowest one that is set.
  struct cl_text below = kiln_cl_infix(p, kiln_cl_prefix(p, "~", x, CL_UNSIGNED), "&",
                                       kiln_cl_infix(p, x, "-", one, CL_UNSIGNED), CL_UNSIGNED);
  return call1(p, "popcount", kiln_cl_cast(p, name, below, CL_UNSIGNED), CL_UNSIGNED);
}

static struct cl_text dot4(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  struct cl_text x = kiln_cl_expr(p, operand(p, value, 0), CL_UNSIGNED);
  struct cl_text y = kiln_cl_expr(p, operand(p, value, 1), CL_UNSIGNED);
  struct cl_text sum = kiln_cl_expr(p, operand(p, value, 2), CL_UNSIGNED);
  return kiln_cl_call(p, kiln_cl_helper(p, CL_HELPER_DOT4, inst->type, CL_ANY, (uint32_t)inst->imm),
                      kiln_cl_format(p, "%s, %s, %s", x.s, y.s, sum.s), CL_UNSIGNED);
}

// ---- work-items

static struct cl_text query(struct cl_printer *p, const char *name, unsigned dim) {
  return kiln_cl_call(p, name, kiln_cl_format(p, "%u", dim), CL_UNSIGNED);
}

static struct cl_text item(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  static const char *const names[] = {"get_global_id",   "get_local_id",     "get_group_id",
                                      "get_global_size", "get_local_size",   "get_enqueued_local_size",
                                      "get_num_groups",  "get_global_offset"};
  if (inst->op == KILN_OP_WORK_DIM)
    return kiln_cl_call(p, "get_work_dim", "", CL_UNSIGNED);
  if (inst->op == KILN_OP_NOALIAS) // the text is the same for all launches
    return kiln_cl_primary("0", CL_SIGNED);
  if (inst->op > KILN_OP_GLOBAL_OFFSET) // of sub-groups
    return kiln_cl_no_text(p, value);
  const char *name = names[inst->op - KILN_OP_GLOBAL_ID];
  if (inst->op == KILN_OP_FULL_LOCAL_SIZE) {
    if (p->options.features.partial_groups)
      kiln_cl_need_version(p, 200);
    else
      name = "get_local_size"; // every group is full
  }
  unsigned dim = (unsigned)inst->imm;
  if (inst->op == KILN_OP_GLOBAL_OFFSET && p->options.features.no_offset) { // every group is full
    struct cl_text before =
        kiln_cl_infix(p, query(p, "get_group_id", dim), "*", query(p, "get_local_size", dim), CL_UNSIGNED);
    struct cl_text from = kiln_cl_infix(p, query(p, "get_global_id", dim), "-", before, CL_UNSIGNED);
    return kiln_cl_infix(p, from, "-", query(p, "get_local_id", dim), CL_UNSIGNED);
  }
  struct cl_text text = query(p, name, dim);
  return p->options.features.narrow ? kiln_cl_cast(p, "ulong", text, CL_UNSIGNED) : text;
}

// ---- calls

static struct cl_text call(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const struct kiln_function *callee = p->module->functions[inst->imm];
  const struct cl_signature *signature = &p->signatures[inst->imm];
  const char *list = "";
  for (uint32_t i = 0; i < inst->operand_count; i++) {
    kiln_value argument = operand(p, value, i);
    bool is_sampler = p->samplers[inst->imm][i];
    struct cl_text text = is_sampler ? kiln_cl_sampler(p, argument) : kiln_cl_expr(p, argument, signature->signs[i]);
    if (kiln_type_kind(callee->params[i].type) == KILN_PTR)
      text = kiln_cl_cast(p, signature->types[i], text, CL_ANY);
    list = kiln_cl_format(p, "%s%s%s", list, i ? ", " : "", text.s);
  }
  if (p->prints[inst->imm])
    list = kiln_cl_format(p, "%s%skiln_prints", list, *list ? ", " : "");
  struct cl_text text = kiln_cl_call(p, p->function_names[inst->imm], list, CL_UNSIGNED);
  bool is_pointer = kiln_type_kind(inst->type) == KILN_PTR;
  return is_pointer ? kiln_cl_cast(p, kiln_cl_pointer_type(p, value), text, CL_ANY) : text;
}

static struct cl_text print_call(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const char *list = kiln_cl_format_string(p, (uint32_t)inst->imm);
  for (uint32_t i = 0; i < inst->operand_count; i++) {
    kiln_value argument = operand(p, value, i);
    const struct kiln_inst *source = kiln_inst(p->fn, argument);
    bool is_string = source->op == KILN_OP_GLOBAL && kiln_type_space(source->type) == KILN_CONSTANT;
    list = kiln_cl_format(p, "%s, %s", list,
                          is_string ? kiln_cl_string(p, (uint32_t)source->imm) : number(p, argument, CL_SIGNED).s);
  }
  return kiln_cl_call(p, "printf", list, CL_SIGNED);
}

static struct cl_text space_number(struct cl_printer *p, enum kiln_space space) {
  return kiln_cl_primary(kiln_cl_format(p, "%d", space), CL_SIGNED);
}

// A null pointer is in global memory.
static struct cl_text pointer_space(struct cl_printer *p, kiln_value value) {
  struct cl_text pointer = kiln_cl_pointer_expr(p, operand(p, value, 0));
  struct cl_text is_local = call1(p, "to_local", pointer, CL_ANY), is_global = call1(p, "to_global", pointer, CL_ANY);
  kiln_cl_need_version(p, 200);
  is_global = kiln_cl_infix(p, is_global, "||", kiln_cl_prefix(p, "!", pointer, CL_SIGNED), CL_SIGNED);
  struct cl_text rest =
      kiln_cl_choice(p, is_global, space_number(p, KILN_GLOBAL), space_number(p, KILN_PRIVATE), CL_SIGNED);
  return kiln_cl_choice(p, is_local, space_number(p, KILN_LOCAL), rest, CL_SIGNED);
}

// ---- all

static struct cl_text convert(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  switch (kiln_inst(p->fn, value)->op) {
  case KILN_OP_TRUNC:
    return truncate(p, value, sign);
  case KILN_OP_ZEXT:
  case KILN_OP_SEXT:
    return extend(p, value);
  case KILN_OP_FTOS:
  case KILN_OP_FTOU:
    return float_to_int(p, value);
  case KILN_OP_STOF:
  case KILN_OP_UTOF:
    return int_to_float(p, value);
  case KILN_OP_FTOF:
    return float_to_float(p, value);
  case KILN_OP_BITCAST:
    return bitcast(p, value, sign);
  case KILN_OP_PSPACE:
    return pointer_space(p, value);
  case KILN_OP_PTOI:
    return kiln_cl_cast(p, "ulong", kiln_cl_pointer_expr(p, operand(p, value, 0)), CL_UNSIGNED);
  }
  return kiln_cl_no_text(p, value);
}

static struct cl_text other(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  switch (kiln_op_of(kiln_inst(p->fn, value))) {
  case KILN_OP_SDIV:
  case KILN_OP_UDIV:
  case KILN_OP_SREM:
  case KILN_OP_UREM:
    return divide(p, value);
  case KILN_OP_SHL:
  case KILN_OP_LSHR:
  case KILN_OP_ASHR:
    return shift(p, value);
  case KILN_OP_CTZ:
    return count_trailing(p, value);
  case KILN_OP_DOT4:
    return dot4(p, value);
  case KILN_OP_BAND:
  case KILN_OP_BOR:
  case KILN_OP_BXOR:
  case KILN_OP_BNOT:
    return logic(p, value);
  case KILN_OP_AGREE:
  case KILN_OP_ANY:
  case KILN_OP_ALL:
    return any_all(p, value);
  case KILN_OP_FDIV:
    return float_divide(p, value);
  case KILN_OP_FNEG:
    return negate(p, value);
  case KILN_OP_SELECT:
    return select_value(p, value, sign);
  case KILN_OP_SPLAT:
  case KILN_OP_VEC:
    return vec(p, value, sign);
  case KILN_OP_EXTRACT:
    return extract(p, value, sign);
  case KILN_OP_INSERT:
    return insert(p, value, sign);
  case KILN_OP_SHUFFLE:
    return shuffle(p, value, sign);
    KILN_CASES_CONVERT
    return convert(p, value, sign);
  case KILN_OP_LOAD:
    return kiln_cl_load(p, value);
  case KILN_OP_ATOMIC_LOAD:
  case KILN_OP_ATOMIC_RMW:
  case KILN_OP_ATOMIC_CAS:
    return kiln_cl_atomic(p, value);
  case KILN_OP_CALL:
    return call(p, value);
  case KILN_OP_PRINTF:
    return p->options.print_buffer ? kiln_cl_print_call(p, value) : print_call(p, value);
    KILN_CASES_IMAGE
    return kiln_cl_image(p, value);
    KILN_CASES_ITEM KILN_CASES_SUB_GROUP return item(p, value);
#define CL_OP(op, form, text, in, out) case KILN_OP_##op:
#define CL_OTHER(op, text, in, out)
#include "backends/opencl/print/expr.def" // kiln_cl_definition writes them
  case KILN_OP_PADD:
  case KILN_OP_VAR:
  case KILN_OP_STORE:
  case KILN_OP_COPY:
  case KILN_OP_ATOMIC_STORE:
  case KILN_OP_FENCE:
  case KILN_OP_ASSUME:
    KILN_CASES_FREE KILN_CASES_FLOW KILN_CASES_GROUP case KILN_OP_COUNT : break;
  }
  return kiln_cl_no_text(p, value);
}

struct cl_text kiln_cl_definition(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  struct cl_text text = {0};
  if (kiln_type_kind(inst->type) == KILN_PTR && inst->op != KILN_OP_LOAD && inst->op != KILN_OP_CALL)
    return kiln_cl_pointer_definition(p, value);
  switch (ops[inst->op].form) {
  case FORM_WRAP:
    text = wrap_arithmetic(p, value);
    break;
  case FORM_BITS:
    text = bits(p, value, sign);
    break;
  case FORM_CMP:
    text = compare(p, value);
    break;
  case FORM_INFIX:
    text = result(p, inst->type,
                  kiln_cl_infix(p, number(p, operand(p, value, 0), CL_ANY), ops[inst->op].text,
                                number(p, operand(p, value, 1), CL_ANY), CL_ANY));
    break;
  case FORM_CALL:
  case FORM_MATH:
    text = builtin(p, value);
    break;
  case FORM_NONE:
  case FORM_OTHER:
    text = other(p, value, sign);
    break;
  }
  return fit(p, text, inst->type, sign);
}

struct cl_text kiln_cl_expr(struct cl_printer *p, kiln_value value, enum cl_sign sign) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  if (kiln_type_kind(inst->type) == KILN_PTR)
    return kiln_cl_pointer_expr(p, value);
  if (inst->op == KILN_OP_CONST || inst->op == KILN_OP_CONST_VEC || inst->op == KILN_OP_UNDEF)
    return kiln_cl_constant(p, value, sign);
  const struct cl_var *var = kiln_cl_var(p, value);
  if (!var)
    return kiln_cl_definition(p, value, sign);
  struct cl_text text = kiln_cl_primary(var->name, var->is_signed ? CL_SIGNED : CL_UNSIGNED);
  return fit(p, text, inst->type, sign);
}

const char *kiln_cl_assigned(struct cl_printer *p, kiln_value value, const struct cl_var *var, bool define) {
  kiln_type type = var->type;
  enum cl_sign sign = CL_ANY;
  if (is_int(type) && (lanes_of(type) > 1))
    sign = var->is_signed ? CL_SIGNED : CL_UNSIGNED;
  unsigned op = kiln_inst(p->fn, value)->op;
  if (op == KILN_OP_TRUNC || op == KILN_OP_BITCAST || op == KILN_OP_SELECT) // cast anyway
    sign = is_int(type) ? (var->is_signed ? CL_SIGNED : CL_UNSIGNED) : CL_ANY;
  struct cl_text text = define ? kiln_cl_definition(p, value, sign) : kiln_cl_expr(p, value, sign);
  if (is_bool(type) && lanes_of(type) > 1 && !define) {
    enum kiln_kind kind = kiln_cl_mask_kind(p, var->value);
    return mask(p, value, kind).s;
  }
  if (kiln_type_kind(type) == KILN_PTR && !define) {
    const char *want = kiln_cl_pointer_type(p, var->value);
    if (strcmp(want, kiln_cl_pointer_type(p, value)))
      return kiln_cl_cast(p, want, text, CL_ANY).s;
  }
  return text.s;
}
