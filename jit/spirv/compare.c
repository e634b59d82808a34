// Comparisons, classes of floats, choices.
#include "jit/spirv/function.h"

// detail of a comparison: how the operation of the IR is used.
enum {
  SWAPPED = 1, // on the operands in the other order
  NEGATED = 2, // its result
  EITHER = 4,  // true in one order or the other
};

static kiln_type as_ints(kiln_type floats) {
  enum kiln_kind kind = kiln_type_kind(floats);
  return kiln_vec_type(kind == KILN_F16 ? KILN_I16 : kind == KILN_F32 ? KILN_I32 : KILN_I64, kiln_type_lanes(floats));
}

static kiln_value bits_of(struct kiln_spv_fn *f, kiln_value v) {
  return kiln_spv_op1(f, KILN_OP_BITCAST, as_ints(kiln_spv_ir(f, v)), v);
}

struct kiln_spv_value kiln_spv_compare(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                       const struct kiln_spv_lowering *how) {
  (void)inst;
  kiln_value x = kiln_spv_plain(f, 0), y = kiln_spv_plain(f, 1);
  enum kiln_op op = (enum kiln_op)how->op;
  enum kiln_kind kind = kiln_type_kind(kiln_spv_ir(f, x));
  if (kind == KILN_PTR)
    y = kiln_spv_cast(f, y, kiln_spv_ir(f, x));
  // Khronos' translator ends a compare-exchange of floats so, which compares their bits.
  if (kiln_kind_is_float(kind) && (op == KILN_OP_EQ || op == KILN_OP_NE)) {
    x = bits_of(f, x);
    y = bits_of(f, y);
  }
  kiln_value v = how->detail & SWAPPED ? kiln_spv_op2(f, op, y, x) : kiln_spv_op2(f, op, x, y);
  if (how->detail & EITHER)
    v = kiln_spv_op2(f, KILN_OP_BOR, v, kiln_spv_op2(f, op, y, x));
  if (how->detail & NEGATED)
    v = kiln_spv_op1(f, KILN_OP_BNOT, 0, v);
  return kiln_spv_of(kiln_spv_result(f), v);
}

struct kiln_spv_value kiln_spv_ordered(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                       const struct kiln_spv_lowering *how) {
  (void)inst;
  kiln_value x = kiln_spv_plain(f, 0), y = kiln_spv_plain(f, 1);
  kiln_value v = kiln_spv_op2(f, KILN_OP_FEQ, x, x);
  v = kiln_spv_op2(f, KILN_OP_BAND, v, kiln_spv_op2(f, KILN_OP_FEQ, y, y));
  if (how->detail & NEGATED)
    v = kiln_spv_op1(f, KILN_OP_BNOT, 0, v);
  return kiln_spv_of(kiln_spv_result(f), v);
}

// On the bits, which no floating-point option touches: without the sign, in order of magnitude. op: the instruction.
struct kiln_spv_value kiln_spv_classify(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                        const struct kiln_spv_lowering *how) {
  (void)how;
  kiln_value v = kiln_spv_plain(f, 0);
  enum kiln_kind kind = kiln_type_kind(kiln_spv_ir(f, v));
  if (!kiln_kind_is_float(kind))
    kiln_spv_wrong(f, "its operand is no float");
  unsigned digits = kind == KILN_F16 ? 10 : kind == KILN_F32 ? 23 : 52;
  uint64_t all = kiln_bits_mask(kiln_kind_bits(kind)), least = UINT64_C(1) << digits;
  uint64_t infinity = (all >> 1) - (least - 1);
  kiln_type type = as_ints(kiln_spv_ir(f, v));
  v = bits_of(f, v);
  if (inst->op == KILN_SPV_OpSignBitSet)
    return kiln_spv_of(kiln_spv_result(f), kiln_spv_op2(f, KILN_OP_SLT, v, kiln_const(f->fn, type, 0)));
  v = kiln_spv_op2(f, KILN_OP_AND, v, kiln_const(f->fn, type, all >> 1));
  kiln_value limit = kiln_const(f->fn, type, infinity);
  if (inst->op == KILN_SPV_OpIsNormal) {
    v = kiln_spv_op2(f, KILN_OP_ISUB, v, kiln_const(f->fn, type, least));
    v = kiln_spv_op2(f, KILN_OP_ULT, v, kiln_const(f->fn, type, infinity - least));
  } else if (inst->op == KILN_SPV_OpIsNan) {
    v = kiln_spv_op2(f, KILN_OP_SLT, limit, v);
  } else {
    v = kiln_spv_op2(f, inst->op == KILN_SPV_OpIsInf ? KILN_OP_EQ : KILN_OP_SLT, v, limit);
  }
  return kiln_spv_of(kiln_spv_result(f), v);
}

// Whether some component of a bool is true, or all are.
struct kiln_spv_value kiln_spv_any_all(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                       const struct kiln_spv_lowering *how) {
  (void)inst;
  kiln_value v = kiln_spv_plain(f, 0);
  // LLVM 22 makes these of any() and all() of OpenCL C without the comparison: true where the sign bit is set.
  if (kiln_kind_is_int(kiln_type_kind(kiln_spv_ir(f, v))))
    v = kiln_spv_op2(f, KILN_OP_SLT, v, kiln_const(f->fn, kiln_spv_ir(f, v), 0));
  if (kiln_type_lanes(kiln_spv_ir(f, v)) > 1)
    v = kiln_spv_op1(f, (enum kiln_op)how->op, kiln_scalar_type(KILN_BOOL), v);
  return kiln_spv_of(kiln_spv_result(f), v);
}

static struct kiln_spv_value choose(struct kiln_spv_fn *f, kiln_value condition, const struct kiln_spv_value *x,
                                    const struct kiln_spv_value *y) {
  if (!kiln_spv_same_type(x->type, y->type))
    kiln_spv_wrong(f, "it chooses between two types");
  if (!x->parts) {
    kiln_type type = kiln_spv_ir(f, x->value);
    kiln_value other = y->value;
    if (kiln_type_kind(type) == KILN_PTR)
      other = kiln_spv_cast(f, other, type);
    return kiln_spv_of(x->type, kiln_spv_select(f, condition, x->value, other));
  }
  kiln_spv_enter(f);
  struct kiln_spv_value *parts = kiln_spv_parts(f, x->type);
  for (uint32_t k = 0; k < x->type->count; k++)
    parts[k] = choose(f, condition, &x->parts[k], &y->parts[k]);
  kiln_spv_leave(f);
  return (struct kiln_spv_value){.type = x->type, .parts = parts};
}

struct kiln_spv_value kiln_spv_choose(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                      const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value condition = kiln_spv_plain(f, 0);
  struct kiln_spv_value x = kiln_spv_operand(f, 1), y = kiln_spv_operand(f, 2);
  return choose(f, condition, &x, &y);
}
