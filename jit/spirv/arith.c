// Arithmetic of integers and floats that is an operation of the IR, or a few of them.
#include "jit/spirv/function.h"

// What the decoration says holds for the width of the type, not for a wider one that values are held in.
static uint16_t wrap_flags(const struct kiln_spv_fn *f, const struct kiln_spv_inst *inst) {
  return !f->spv->ids[inst->id].type->odd_bits &&
                 kiln_spv_decoration(f->spv, inst->id, KILN_SPV_Decoration_NoSignedWrap)
             ? KILN_INT_NSW
             : 0;
}

// One operation on all operands.
struct kiln_spv_value kiln_spv_plain_op(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                        const struct kiln_spv_lowering *how) {
  enum kiln_op op = (enum kiln_op)how->op;
  kiln_value operands[3] = {0};
  uint32_t count = (uint32_t)strlen(kiln_op_table[op].operands);
  if (inst->count != count)
    kiln_spv_wrong(f, "%u is no number of operands for it", inst->count);
  for (uint32_t k = 0; k < count; k++)
    operands[k] = kiln_spv_plain(f, k);
  uint16_t flags = kiln_op_has_int_flags(op) ? wrap_flags(f, inst) : 0;
  return kiln_spv_of(kiln_spv_result(f), kiln_spv_build(f, op, kiln_spv_result_ir(f), operands, count, 0, flags));
}

// A shift; the count may have another width.
struct kiln_spv_value kiln_spv_shift(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                     const struct kiln_spv_lowering *how) {
  kiln_value x = kiln_spv_plain(f, 0);
  kiln_value count = kiln_spv_resize(f, kiln_spv_plain(f, 1), kiln_type_kind(kiln_spv_ir(f, x)), false);
  uint16_t flags = how->op == KILN_OP_SHL ? wrap_flags(f, inst) : 0;
  return kiln_spv_of(kiln_spv_result(f),
                     kiln_spv_build(f, (enum kiln_op)how->op, KILN_VOID, (kiln_value[]){x, count}, 2, 0, flags));
}

struct kiln_spv_value kiln_spv_negate(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                      const struct kiln_spv_lowering *how) {
  (void)how;
  kiln_value x = kiln_spv_plain(f, 0), zero = kiln_const(f->fn, kiln_spv_ir(f, x), 0);
  return kiln_spv_of(kiln_spv_result(f),
                     kiln_spv_build(f, KILN_OP_ISUB, KILN_VOID, (kiln_value[]){zero, x}, 2, 0, wrap_flags(f, inst)));
}

struct kiln_spv_value kiln_spv_invert(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                      const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value x = kiln_spv_plain(f, 0), ones = kiln_spv_const(f, kiln_spv_ir(f, x), ~UINT64_C(0));
  return kiln_spv_of(kiln_spv_result(f), kiln_spv_op2(f, KILN_OP_XOR, x, ones));
}

// LLVM 22 has operands that are wider than the result: of these, the lower bits count.
struct kiln_spv_value kiln_spv_bitwise(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                       const struct kiln_spv_lowering *how) {
  (void)inst;
  const struct kiln_spv_type *type = kiln_spv_result(f);
  kiln_value operands[2];
  for (uint32_t k = 0; k < 2; k++) {
    struct kiln_spv_value v = kiln_spv_operand(f, k);
    operands[k] = v.value;
    if (kiln_spv_bits(v.type) > kiln_spv_bits(type))
      operands[k] = kiln_spv_cut(f, kiln_spv_resize(f, v.value, kiln_type_kind(type->ir), false), type);
  }
  return kiln_spv_of(type, kiln_spv_op2(f, (enum kiln_op)how->op, operands[0], operands[1]));
}

// A remainder with the sign of the divisor: the one that the IR has, plus the divisor where the signs differ.
struct kiln_spv_value kiln_spv_modulo(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                      const struct kiln_spv_lowering *how) {
  (void)inst;
  bool is_float = how->op == KILN_OP_FREM;
  kiln_value x = kiln_spv_plain(f, 0), y = kiln_spv_plain(f, 1);
  kiln_value rest = kiln_spv_op2(f, (enum kiln_op)how->op, x, y), zero = kiln_const(f->fn, kiln_spv_ir(f, rest), 0);
  enum kiln_op less = is_float ? KILN_OP_FLT : KILN_OP_SLT;
  kiln_value minus = kiln_spv_op2(f, less, rest, zero), divisor_minus = kiln_spv_op2(f, less, y, zero);
  kiln_value differs = kiln_spv_op2(f, KILN_OP_BXOR, minus, divisor_minus);
  kiln_value is_some = kiln_spv_op2(f, is_float ? KILN_OP_FNE : KILN_OP_NE, rest, zero);
  kiln_value sum = kiln_spv_op2(f, is_float ? KILN_OP_FADD : KILN_OP_IADD, rest, y);
  return kiln_spv_of(kiln_spv_result(f),
                     kiln_spv_select(f, kiln_spv_op2(f, KILN_OP_BAND, is_some, differs), sum, rest));
}

// ---- two results ---------------------------------------------------------------------------------------------------

static struct kiln_spv_value pair(struct kiln_spv_fn *f, kiln_value first, kiln_value second) {
  const struct kiln_spv_type *type = kiln_spv_result(f);
  if (type->kind != KILN_SPV_STRUCT || type->count != 2)
    kiln_spv_wrong(f, "the result is no struct of two members");
  struct kiln_spv_value *parts = kiln_spv_parts(f, type);
  parts[0] = kiln_spv_of(type->members[0], first);
  parts[1] = kiln_spv_of(type->members[1], second);
  for (unsigned k = 0; k < 2; k++)
    if (parts[k].type->ir != kiln_spv_ir(f, parts[k].value))
      kiln_spv_wrong(f, "the members of the result have other types than the operands");
  return (struct kiln_spv_value){.type = type, .parts = parts};
}

static const struct kiln_spv_type *operand_type(struct kiln_spv_fn *f) { return kiln_spv_operand(f, 0).type; }

// The lower and the upper half of a product. op: of the upper half.
struct kiln_spv_value kiln_spv_extended(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                        const struct kiln_spv_lowering *how) {
  (void)inst;
  kiln_value x = kiln_spv_plain(f, 0), y = kiln_spv_plain(f, 1);
  kiln_value low = kiln_spv_op2(f, KILN_OP_IMUL, x, y), high = kiln_spv_op2(f, (enum kiln_op)how->op, x, y);
  const struct kiln_spv_type *of = operand_type(f);
  if (of->odd_bits) { // the bits beyond the width stand in both
    kiln_value bits = kiln_const(f->fn, of->ir, of->odd_bits);
    kiln_value rest = kiln_const(f->fn, of->ir, kiln_kind_bits(kiln_type_kind(of->ir)) - of->odd_bits);
    high =
        kiln_spv_op2(f, KILN_OP_OR, kiln_spv_op2(f, KILN_OP_SHL, high, rest), kiln_spv_op2(f, KILN_OP_LSHR, low, bits));
  }
  return pair(f, kiln_spv_cut(f, low, of), kiln_spv_cut(f, high, of));
}

// A sum or difference, and 1 where it wraps.
struct kiln_spv_value kiln_spv_carry(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                     const struct kiln_spv_lowering *how) {
  (void)inst;
  kiln_value x = kiln_spv_plain(f, 0), y = kiln_spv_plain(f, 1);
  kiln_value v = kiln_spv_cut(f, kiln_spv_op2(f, (enum kiln_op)how->op, x, y), operand_type(f));
  kiln_value wraps = how->op == KILN_OP_IADD ? kiln_spv_op2(f, KILN_OP_ULT, v, x) : kiln_spv_op2(f, KILN_OP_ULT, x, y);
  const struct kiln_spv_type *result = kiln_spv_result(f);
  bool as_bool =
      result->kind == KILN_SPV_STRUCT && result->count == 2 && result->members[1]->ir == kiln_spv_ir(f, wraps);
  return pair(f, v, as_bool ? wraps : kiln_build1(f->b, KILN_OP_ZEXT, kiln_spv_ir(f, v), wraps));
}

// ---- products of vectors -------------------------------------------------------------------------------------------

struct kiln_spv_value kiln_spv_scale(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                     const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value x = kiln_spv_plain(f, 0), factor = kiln_spv_plain(f, 1);
  kiln_type type = kiln_spv_ir(f, x);
  if (kiln_type_lanes(type) == 1 || kiln_type_element(type) != kiln_spv_ir(f, factor))
    kiln_spv_wrong(f, "its operands are no vector and scalar of one type");
  factor = kiln_build1(f->b, KILN_OP_SPLAT, type, factor);
  return kiln_spv_of(kiln_spv_result(f), kiln_spv_op2(f, KILN_OP_FMUL, x, factor));
}

struct kiln_spv_value kiln_spv_dot(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                   const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value x = kiln_spv_plain(f, 0), y = kiln_spv_plain(f, 1), sum = 0;
  if (kiln_spv_ir(f, x) != kiln_spv_ir(f, y))
    kiln_spv_wrong(f, "its operands have two types");
  for (unsigned i = 0; i < kiln_type_lanes(kiln_spv_ir(f, x)); i++) {
    kiln_value product = kiln_spv_op2(f, KILN_OP_FMUL, kiln_spv_lane(f, x, i), kiln_spv_lane(f, y, i));
    sum = i ? kiln_spv_op2(f, KILN_OP_FADD, sum, product) : product;
  }
  return kiln_spv_of(kiln_spv_result(f), sum);
}

// Four bytes each: one operation. The exact sum fits into 32 bits.
static kiln_value dot_of_bytes(struct kiln_spv_fn *f, kiln_value x, kiln_value y, uint16_t signs, enum kiln_kind kind) {
  kiln_type word = kiln_scalar_type(KILN_I32);
  if (kiln_spv_ir(f, x) != word)
    x = kiln_build1(f->b, KILN_OP_BITCAST, word, x);
  if (kiln_spv_ir(f, y) != word)
    y = kiln_build1(f->b, KILN_OP_BITCAST, word, y);
  kiln_value v =
      kiln_spv_build(f, KILN_OP_DOT4, KILN_VOID, (kiln_value[]){x, y, kiln_const(f->fn, word, 0)}, 3, signs, 0);
  return kiln_spv_resize(f, v, kind, signs != 0);
}

// detail: enum kiln_dot_signs. op: how the last operand is added; CONST: the product has only two.
struct kiln_spv_value kiln_spv_int_dot(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                       const struct kiln_spv_lowering *how) {
  kiln_value x = kiln_spv_plain(f, 0), y = kiln_spv_plain(f, 1), sum = 0;
  kiln_type result = kiln_spv_result_ir(f), type = kiln_spv_ir(f, x);
  enum kiln_kind kind = kiln_type_kind(result);
  bool adds = how->op != KILN_OP_CONST, is_packed = inst->count == (adds ? 4 : 3);
  if (!kiln_kind_is_int(kind) || type != kiln_spv_ir(f, y) || (is_packed && inst->operands[adds ? 3 : 2] != 0) ||
      (is_packed && type != kiln_scalar_type(KILN_I32)) || (!is_packed && kiln_type_lanes(type) == 1) ||
      kiln_type_lanes(result) > 1 || !kiln_kind_is_int(kiln_type_kind(type)))
    kiln_spv_wrong(f, "its operands are no vectors of integers");
  if (is_packed || type == kiln_vec_type(KILN_I8, 4)) {
    sum = dot_of_bytes(f, x, y, how->detail, kind);
  } else {
    for (unsigned i = 0; i < kiln_type_lanes(type); i++) {
      kiln_value a = kiln_spv_resize(f, kiln_spv_lane(f, x, i), kind, how->detail & KILN_DOT_FIRST_SIGNED);
      kiln_value b = kiln_spv_resize(f, kiln_spv_lane(f, y, i), kind, how->detail & KILN_DOT_SECOND_SIGNED);
      kiln_value product = kiln_spv_op2(f, KILN_OP_IMUL, a, b);
      sum = i ? kiln_spv_op2(f, KILN_OP_IADD, sum, product) : product;
    }
  }
  if (adds)
    sum = kiln_spv_op2(f, (enum kiln_op)how->op, sum, kiln_spv_plain(f, 2));
  return kiln_spv_of(kiln_spv_result(f), sum);
}
