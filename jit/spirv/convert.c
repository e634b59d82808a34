// Conversions of numbers and pointers.
#include "jit/spirv/function.h"

// The type of the result with the lanes of the operand: where these differ, lower.c says so.
static kiln_type wanted(struct kiln_spv_fn *f, kiln_value v) {
  return kiln_vec_type(kiln_type_kind(kiln_spv_result_ir(f)), kiln_type_lanes(kiln_spv_ir(f, v)));
}

static enum kiln_round rounding(struct kiln_spv_fn *f, enum kiln_round normal) {
  const struct kiln_spv_decoration *says = kiln_spv_decoration(f->spv, f->at->id, KILN_SPV_Decoration_FPRoundingMode);
  if (!says || !says->count)
    return normal;
  if (says->operands[0] > KILN_ROUND_DOWN) // the numbers are those of SPIR-V
    kiln_spv_wrong(f, "the rounding mode %u is not supported", says->operands[0]);
  return (enum kiln_round)says->operands[0];
}

// Brings an integer of so many bits into the range of so many others or another sign, in its own type.
static kiln_value saturate(struct kiln_spv_fn *f, kiln_value v, unsigned have, bool from_signed, unsigned want,
                           bool to_signed) {
  kiln_type type = kiln_spv_ir(f, v);
  unsigned value_bits = to_signed ? want - 1 : want; // of the largest value
  if (from_signed && !to_signed)
    v = kiln_spv_op2(f, KILN_OP_SMAX, v, kiln_const(f->fn, type, 0));
  else if (from_signed && want < have)
    v = kiln_spv_op2(f, KILN_OP_SMAX, v, kiln_spv_const(f, type, ~UINT64_C(0) << value_bits));
  if (value_bits < (from_signed ? have - 1 : have)) {
    kiln_value most = kiln_spv_const(f, type, (UINT64_C(1) << value_bits) - 1);
    v = kiln_spv_op2(f, from_signed ? KILN_OP_SMIN : KILN_OP_UMIN, v, most);
  }
  return v;
}

struct kiln_spv_value kiln_spv_float_to_int(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                            const struct kiln_spv_lowering *how) {
  kiln_value x = kiln_spv_plain(f, 0);
  kiln_type type = wanted(f, x);
  if (!kiln_kind_is_int(kiln_type_kind(type)))
    kiln_spv_wrong(f, "the result is no integer");
  const struct kiln_spv_type *result = kiln_spv_result(f);
  bool saturates = kiln_spv_decoration(f->spv, inst->id, KILN_SPV_Decoration_SaturatedConversion);
  kiln_value v = kiln_spv_build(f, (enum kiln_op)how->op, type, &x, 1, (uint64_t)rounding(f, KILN_ROUND_ZERO),
                                saturates ? 0 : KILN_FP_INRANGE);
  bool is_signed = how->op == KILN_OP_FTOS;
  if (saturates && result->odd_bits)
    v = saturate(f, v, kiln_kind_bits(kiln_type_kind(type)), is_signed, result->odd_bits, is_signed);
  return kiln_spv_of(result, v);
}

struct kiln_spv_value kiln_spv_to_float(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                        const struct kiln_spv_lowering *how) {
  (void)inst;
  kiln_value x = kiln_spv_plain(f, 0);
  kiln_type type = wanted(f, x);
  if (!kiln_kind_is_float(kiln_type_kind(type)))
    kiln_spv_wrong(f, "the result is no float");
  if (type == kiln_spv_ir(f, x))
    return kiln_spv_of(kiln_spv_result(f), x);
  return kiln_spv_of(kiln_spv_result(f),
                     kiln_spv_build(f, (enum kiln_op)how->op, type, &x, 1, (uint64_t)rounding(f, KILN_ROUND_EVEN), 0));
}

// detail: bit 0: the operand has a sign, bit 1: so has the result, bit 2: saturates in any case.
struct kiln_spv_value kiln_spv_int_to_int(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                          const struct kiln_spv_lowering *how) {
  kiln_value x = kiln_spv_plain(f, 0);
  enum kiln_kind kind = kiln_type_kind(kiln_spv_result_ir(f));
  const struct kiln_spv_type *from = kiln_spv_operand(f, 0).type, *to = kiln_spv_result(f);
  unsigned have = kiln_spv_bits(from), want = kiln_spv_bits(to);
  bool from_signed = how->detail & 1;
  if (!kiln_kind_is_int(kind) || !kiln_kind_is_int(kiln_type_kind(from->ir)))
    kiln_spv_wrong(f, "it converts what is no integer");
  if ((how->detail & 4) || kiln_spv_decoration(f->spv, inst->id, KILN_SPV_Decoration_SaturatedConversion))
    x = saturate(f, x, have, from_signed, want, how->detail & 2);
  x = kiln_spv_resize(f, x, kind, from_signed);
  return kiln_spv_of(to, from_signed || have > want ? kiln_spv_cut(f, x, to) : x);
}

// ---- pointers ------------------------------------------------------------------------------------------------------

static kiln_value as_address(struct kiln_spv_fn *f, kiln_value pointer) {
  return kiln_spv_op1(f, KILN_OP_PTOI, kiln_scalar_type(KILN_I64), pointer);
}

struct kiln_spv_value kiln_spv_pointer_to_int(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                              const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value v = as_address(f, kiln_spv_pointer(f, 0));
  enum kiln_kind kind = kiln_type_kind(kiln_spv_result_ir(f));
  if (!kiln_kind_is_int(kind))
    kiln_spv_wrong(f, "the result is no integer");
  return kiln_spv_of(kiln_spv_result(f), kiln_spv_resize(f, v, kind, false));
}

struct kiln_spv_value kiln_spv_int_to_pointer(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                              const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_type type = kiln_spv_result_ir(f);
  kiln_value v = kiln_spv_resize(f, kiln_spv_int(f, 0), KILN_I64, false);
  if (kiln_type_kind(type) != KILN_PTR)
    kiln_spv_wrong(f, "the result is no pointer");
  return kiln_spv_of(kiln_spv_result(f), kiln_spv_op1(f, KILN_OP_ITOP, type, v));
}

struct kiln_spv_value kiln_spv_cast_pointer(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                            const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  return kiln_spv_of(kiln_spv_result(f), kiln_spv_cast(f, kiln_spv_pointer(f, 0), kiln_spv_result_ir(f)));
}

static kiln_value leads_to(struct kiln_spv_fn *f, kiln_value pointer, enum kiln_space space) {
  if (kiln_spv_ir(f, pointer) != kiln_ptr_type(KILN_GENERIC))
    kiln_spv_wrong(f, "its operand is no generic pointer");
  kiln_value is = kiln_spv_op1(f, KILN_OP_PSPACE, kiln_scalar_type(KILN_I32), pointer);
  return kiln_spv_op2(f, KILN_OP_EQ, is, kiln_const(f->fn, kiln_scalar_type(KILN_I32), space));
}

// Null where the pointer leads elsewhere.
struct kiln_spv_value kiln_spv_cast_explicit(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                             const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value pointer = kiln_spv_pointer(f, 0);
  kiln_type type = kiln_spv_result_ir(f);
  if (kiln_type_kind(type) != KILN_PTR)
    kiln_spv_wrong(f, "the result is no pointer");
  kiln_value is = leads_to(f, pointer, kiln_type_space(type));
  kiln_value cast = kiln_spv_cast(f, pointer, type);
  return kiln_spv_of(kiln_spv_result(f), kiln_spv_select(f, is, cast, kiln_const(f->fn, type, 0)));
}

// What is no local memory is fenced as global memory, as by get_fence of OpenCL C.
struct kiln_spv_value kiln_spv_pointer_semantics(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                                 const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_type type = kiln_spv_result_ir(f);
  kiln_value is = leads_to(f, kiln_spv_pointer(f, 0), KILN_LOCAL);
  return kiln_spv_of(kiln_spv_result(f),
                     kiln_spv_select(f, is, kiln_spv_const(f, type, KILN_SPV_MemorySemantics_WorkgroupMemory),
                                     kiln_spv_const(f, type, KILN_SPV_MemorySemantics_CrossWorkgroupMemory)));
}

static unsigned size_of(kiln_type type) { return kiln_type_bytes(type); }

struct kiln_spv_value kiln_spv_bitcast(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                       const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value v = kiln_spv_plain(f, 0);
  const struct kiln_spv_type *type = kiln_spv_result(f), *was = f->spv->ids[f->at->operands[0]].type;
  kiln_type to = kiln_spv_result_ir(f), from = kiln_spv_ir(f, v), word = kiln_scalar_type(KILN_I64);
  bool from_pointer = kiln_type_kind(from) == KILN_PTR, to_pointer = kiln_type_kind(to) == KILN_PTR;
  bool has_bools = kiln_type_kind(from) == KILN_BOOL || kiln_type_kind(to) == KILN_BOOL;
  if ((type->odd_bits || was->odd_bits || has_bools) && !kiln_spv_same_type(type, was))
    return kiln_spv_of(type, kiln_spv_bitcast_odd(f, v, was, type));
  if (from_pointer && to_pointer) // a struct passed by value stays where it is, in constant memory
    return kiln_spv_of(type, was && was->ir == to ? v : kiln_spv_cast(f, v, to));
  if (size_of(from) != size_of(to) || kiln_type_kind(from) == KILN_BOOL || kiln_type_kind(to) == KILN_BOOL) {
    if (from != to)
      kiln_spv_wrong(f, "the result has another size than the operand");
  }
  if (from == to)
    return kiln_spv_of(type, v);
  if (from_pointer) {
    v = as_address(f, v);
    return kiln_spv_of(type, to == word ? v : kiln_build1(f->b, KILN_OP_BITCAST, to, v));
  }
  if (to_pointer && from != word)
    v = kiln_build1(f->b, KILN_OP_BITCAST, word, v);
  return kiln_spv_of(type, kiln_build1(f->b, to_pointer ? KILN_OP_ITOP : KILN_OP_BITCAST, to, v));
}
