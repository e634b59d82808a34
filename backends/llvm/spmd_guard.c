// Guards: conditions under which values are linear that else are not. Those that hang on ids, parameters and constants
// alone are tested once, before a warp runs; the warp that runs if they hold takes them for granted. Others are tested
// where the value is used.
#include "backends/llvm/spmd.h"

bool kiln_ll_spmd_is_clamp(enum kiln_op op) {
  return op == KILN_OP_SMIN || op == KILN_OP_SMAX || op == KILN_OP_UMIN || op == KILN_OP_UMAX;
}

static bool is_compare(enum kiln_op op) { return op >= KILN_OP_EQ && op <= KILN_OP_ULE; }

bool kiln_ll_spmd_is_root(const struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  enum kiln_op op = (enum kiln_op)in->op;
  return in->region && f->spmd->shapes[v].guarded &&
         (op == KILN_OP_SEXT || op == KILN_OP_ZEXT || kiln_ll_spmd_is_clamp(op) || is_compare(op));
}

bool kiln_ll_spmd_is_assumed(const struct kiln_ll_fn *f, kiln_value v) {
  return f->spmd->assumes && f->spmd->shapes[v].early;
}

bool kiln_ll_spmd_may_assume(const struct kiln_function *fn) {
  if (fn->assumed_shapes)
    return true;
  for (kiln_value v = 1; v < fn->shape_count; v++)
    if (fn->insts[v].region && fn->shapes[v].early)
      return true;
  return false;
}

void kiln_ll_spmd_find_taint(struct kiln_ll_fn *f) {
  struct kiln_ll_spmd *s = f->spmd;
  const struct kiln_function *fn = f->fn;
  for (bool changed = true; changed;) {
    changed = false;
    for (kiln_value v = 1; v < fn->inst_count; v++) {
      if (s->tainted[v] || s->shapes[v].kind != KILN_SHAPE_LINEAR || !s->shapes[v].guarded || !fn->insts[v].region)
        continue;
      bool tainted = kiln_ll_spmd_is_root(f, v) && !kiln_ll_spmd_is_assumed(f, v);
      for (uint32_t i = 0; i < fn->insts[v].operand_count; i++)
        tainted |= s->tainted[kiln_operands(fn, v)[i]];
      changed |= s->tainted[v] = tainted;
    }
  }
}

// ---- conditions

// An integer of a value, in 64 bits.
static LLVMValueRef extended(struct kiln_ll_fn *f, kiln_value v, bool is_signed) {
  LLVMValueRef value = kiln_ll_held(f, v);
  return is_signed ? LLVMBuildSExt(f->ll->b, value, f->ll->i64, "") : LLVMBuildZExt(f->ll->b, value, f->ll->i64, "");
}

// The linear value steps work-items behind the first one, in 64 bits: steps and strides are below 2^31.
static LLVMValueRef last_value(struct kiln_ll_fn *f, LLVMValueRef first, int64_t stride, LLVMValueRef steps) {
  LLVMValueRef span = LLVMBuildMul(f->ll->b, steps, LLVMConstInt(f->ll->i64, (uint64_t)stride, true), "");
  return LLVMBuildAdd(f->ll->b, first, span, "");
}

static LLVMValueRef is_in_range(struct kiln_ll_fn *f, LLVMValueRef value, unsigned bits, bool is_signed) {
  LLVMTypeRef i64 = f->ll->i64;
  if (is_signed)
    value = LLVMBuildAdd(f->ll->b, value, LLVMConstInt(i64, UINT64_C(1) << (bits - 1), false), "");
  return LLVMBuildICmp(f->ll->b, LLVMIntULT, value, LLVMConstInt(i64, UINT64_C(1) << bits, false), "");
}

// Whether the narrow operand of an extension stays in range: the first one is in range, so is the last.
static LLVMValueRef extension_guard(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef steps) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  kiln_value x = kiln_operands(f->fn, inst)[0];
  unsigned bits = kiln_kind_bits(kiln_type_kind(kiln_value_type(f->fn, x)));
  bool is_signed = in->op == KILN_OP_SEXT;
  LLVMValueRef last = last_value(f, extended(f, x, is_signed), kiln_ll_shape(f, x).stride, steps);
  return is_in_range(f, last, bits, is_signed);
}

// Whether all are on the linear operand's side of the uniform one: the first and the last are, and the value does not
// wrap between them.
static LLVMValueRef clamp_guard(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef steps) {
  LLVMBuilderRef b = f->ll->b;
  enum kiln_op op = (enum kiln_op)kiln_inst(f->fn, inst)->op;
  const kiln_value *x = kiln_operands(f->fn, inst);
  unsigned bits = kiln_kind_bits(kiln_type_kind(kiln_value_type(f->fn, x[0])));
  bool second = kiln_ll_shape(f, x[1]).kind == KILN_SHAPE_LINEAR;
  bool is_signed = op == KILN_OP_SMIN || op == KILN_OP_SMAX, is_max = op == KILN_OP_SMAX || op == KILN_OP_UMAX;
  int64_t stride = kiln_ll_shape(f, x[second]).stride;
  LLVMValueRef first = extended(f, x[second], is_signed), limit = extended(f, x[!second], is_signed);
  LLVMValueRef last = last_value(f, first, stride, steps);
  LLVMValueRef low = stride > 0 ? first : last, high = stride > 0 ? last : first;
  LLVMIntPredicate le = is_signed ? LLVMIntSLE : LLVMIntULE;
  LLVMValueRef side = is_max ? LLVMBuildICmp(b, le, limit, low, "") : LLVMBuildICmp(b, le, high, limit, "");
  return LLVMBuildAnd(b, side, bits < 64 ? is_in_range(f, last, bits, is_signed) : LLVMBuildICmp(b, le, low, high, ""),
                      "");
}

// Whether a comparison of a linear and a uniform value gives the same in all lanes: those of the first and the last one
// agree, and the value does not wrap between them; of equality: it is not reached.
static LLVMValueRef compare_guard(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef steps) {
  LLVMBuilderRef b = f->ll->b;
  enum kiln_op op = (enum kiln_op)kiln_inst(f->fn, inst)->op;
  const kiln_value *x = kiln_operands(f->fn, inst);
  unsigned bits = kiln_kind_bits(kiln_type_kind(kiln_value_type(f->fn, x[0])));
  bool second = kiln_ll_shape(f, x[1]).kind == KILN_SHAPE_LINEAR, is_signed = op != KILN_OP_ULT && op != KILN_OP_ULE;
  int64_t stride = kiln_ll_shape(f, x[second]).stride;
  LLVMValueRef first = extended(f, x[second], is_signed), other = extended(f, x[!second], is_signed);
  LLVMValueRef last = last_value(f, first, stride, steps);
  LLVMValueRef low = stride > 0 ? first : last, high = stride > 0 ? last : first, agree;
  LLVMIntPredicate lt = is_signed ? LLVMIntSLT : LLVMIntULT, le = is_signed ? LLVMIntSLE : LLVMIntULE;
  if (op == KILN_OP_EQ || op == KILN_OP_NE) {
    agree = LLVMBuildOr(b, LLVMBuildICmp(b, lt, other, low, ""), LLVMBuildICmp(b, lt, high, other, ""), "");
  } else {
    LLVMIntPredicate how = op == KILN_OP_SLT || op == KILN_OP_ULT ? lt : le;
    LLVMValueRef of_low = second ? LLVMBuildICmp(b, how, other, low, "") : LLVMBuildICmp(b, how, low, other, "");
    LLVMValueRef of_high = second ? LLVMBuildICmp(b, how, other, high, "") : LLVMBuildICmp(b, how, high, other, "");
    agree = LLVMBuildICmp(b, LLVMIntEQ, of_low, of_high, "");
  }
  LLVMValueRef exact = bits < 64 ? is_in_range(f, last, bits, is_signed) : LLVMBuildICmp(b, le, low, high, "");
  return LLVMBuildAnd(b, agree, exact, "");
}

static LLVMValueRef guard(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef steps) {
  enum kiln_op op = (enum kiln_op)kiln_inst(f->fn, inst)->op;
  if (is_compare(op))
    return compare_guard(f, inst, steps);
  return kiln_ll_spmd_is_clamp(op) ? clamp_guard(f, inst, steps) : extension_guard(f, inst, steps);
}

LLVMValueRef kiln_ll_spmd_guard(struct kiln_ll_fn *f, kiln_value inst) {
  return guard(f, inst, LLVMConstInt(f->ll->i64, f->spmd->lanes - 1, false));
}

// Emits what the value hangs on, and the value.
static void emit_early(struct kiln_ll_fn *f, kiln_value v, bool *done) {
  if (done[v] || !kiln_inst(f->fn, v)->region)
    return;
  done[v] = true;
  for (uint32_t i = 0; i < kiln_inst(f->fn, v)->operand_count; i++)
    emit_early(f, kiln_operands(f->fn, v)[i], done);
  kiln_ll_inst(f, v);
}

LLVMValueRef kiln_ll_spmd_test(struct kiln_ll_fn *f, LLVMValueRef count) {
  LLVMBuilderRef b = f->ll->b;
  const struct kiln_function *fn = f->fn;
  bool *done = KILN_NEW_ARRAY(&f->ll->arena, bool, fn->inst_count);
  LLVMValueRef steps = LLVMBuildSub(b, count, LLVMConstInt(f->ll->i64, 1, false), "");
  LLVMValueRef result = LLVMBuildICmp(b, LLVMIntULT, steps, LLVMConstInt(f->ll->i64, INT32_MAX, false), "");
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    if (!kiln_ll_spmd_is_root(f, v) || !kiln_ll_spmd_is_assumed(f, v) || kiln_ll_shape(f, v).kind == KILN_SHAPE_VARYING)
      continue;
    emit_early(f, kiln_operands(fn, v)[0], done);
    if (fn->insts[v].operand_count > 1)
      emit_early(f, kiln_operands(fn, v)[1], done);
    result = LLVMBuildAnd(b, result, guard(f, v, steps), "");
  }
  return result;
}
