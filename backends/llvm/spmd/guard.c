// Guards (plan/guard.c): the conditions as code, for how many work-items of a row they hold, and whether they hold
// where a value is used.
#include "backends/llvm/spmd/spmd.h"

// ---- conditions

// A value that counts up or down by a constant from lane to lane stays on its side of a bound for size / step lanes
// after the first; for none if valid is false.
struct room {
  LLVMValueRef valid; // NULL: yes
  LLVMValueRef size;  // unsigned, in 64 bits
  uint64_t step;      // per lane
};

// The value as a 64-bit integer.
static LLVMValueRef extended(struct kiln_ll_fn *f, kiln_value v, bool is_signed) {
  return kiln_ll_extended(f->ll, kiln_ll_held(f, v), is_signed ? KILN_OP_SEXT : KILN_OP_ZEXT);
}

// The smallest or largest integer of a type, in 64 bits.
static LLVMValueRef end_of_type(struct kiln_ll_fn *f, unsigned bits, bool is_signed, bool is_high) {
  uint64_t high = UINT64_MAX >> (64 - bits + is_signed), low = is_signed ? ~high : 0;
  return kiln_ll_i64(f->ll, is_high ? high : low);
}

// The room up to the bound in the direction of the stride. A NULL bound is the end of the type.
static struct room room_between(struct kiln_ll_fn *f, LLVMValueRef low, LLVMValueRef first, LLVMValueRef high,
                                kiln_value linear, bool is_signed) {
  int64_t stride = kiln_ll_shape(f, linear).stride;
  unsigned bits = kiln_kind_bits(kiln_type_kind(kiln_value_type(f->fn, linear)));
  LLVMValueRef bound = stride > 0 ? high : low;
  if (!bound)
    bound = end_of_type(f, bits, is_signed, stride > 0);
  struct room room = {NULL, NULL, stride > 0 ? (uint64_t)stride : -(uint64_t)stride};
  room.size = stride > 0 ? LLVMBuildSub(f->ll->b, bound, first, "") : LLVMBuildSub(f->ll->b, first, bound, "");
  return room;
}

// The value that must not wrap in an extension: its operand, or the linear term that the analysis has found.
static kiln_value extended_term(const struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_shape *shapes = f->form->assumes && f->fn->assumed_shapes ? f->fn->assumed_shapes : f->fn->shapes;
  kiln_value x = kiln_operands(f->fn, inst)[0];
  struct kiln_affine sum;
  if (!kiln_ll_shape(f, inst).of_term)
    return x;
  kiln_affine_of(f->fn, x, KILN_AFFINE_EXTENDED, &sum);
  for (uint32_t i = 0; i < sum.term_count; i++)
    x = shapes[sum.terms[i].value].kind == KILN_SHAPE_LINEAR ? sum.terms[i].value : x;
  return x;
}

// The room in which the narrow operand of an extension does not wrap.
static struct room extension_room(struct kiln_ll_fn *f, kiln_value inst) {
  kiln_value x = extended_term(f, inst);
  bool is_signed = kiln_inst(f->fn, inst)->op == KILN_OP_SEXT;
  return room_between(f, NULL, extended(f, x, is_signed), NULL, x, is_signed);
}

// The room in which a minimum or maximum equals its linear operand, which does not wrap.
static struct room clamp_room(struct kiln_ll_fn *f, kiln_value inst) {
  enum kiln_op op = (enum kiln_op)kiln_inst(f->fn, inst)->op;
  const kiln_value *x = kiln_operands(f->fn, inst);
  bool second = kiln_ll_shape(f, x[1]).kind == KILN_SHAPE_LINEAR;
  bool is_signed = op == KILN_OP_SMIN || op == KILN_OP_SMAX, is_max = op == KILN_OP_SMAX || op == KILN_OP_UMAX;
  LLVMValueRef first = extended(f, x[second], is_signed), limit = extended(f, x[!second], is_signed);
  struct room room = room_between(f, is_max ? limit : NULL, first, is_max ? NULL : limit, x[second], is_signed);
  LLVMIntPredicate le = kiln_ll_less(is_signed, true);
  room.valid = is_max ? LLVMBuildICmp(f->ll->b, le, limit, first, "") : LLVMBuildICmp(f->ll->b, le, first, limit, "");
  return room;
}

// The room in which a comparison of a linear with a uniform value gives the same in all lanes. For an equality: all
// lanes are on the same side of the uniform value.
static struct room compare_room(struct kiln_ll_fn *f, kiln_value inst) {
  LLVMBuilderRef b = f->ll->b;
  enum kiln_op op = (enum kiln_op)kiln_inst(f->fn, inst)->op;
  const kiln_value *x = kiln_operands(f->fn, inst);
  bool second = kiln_ll_shape(f, x[1]).kind == KILN_SHAPE_LINEAR, is_signed = op != KILN_OP_ULT && op != KILN_OP_ULE;
  bool is_equality = op == KILN_OP_EQ || op == KILN_OP_NE, strict = kiln_op_is_strict_order(op);
  unsigned bits = kiln_kind_bits(kiln_type_kind(kiln_value_type(f->fn, x[0])));
  LLVMValueRef first = extended(f, x[second], is_signed), other = extended(f, x[!second], is_signed);
  LLVMValueRef one = kiln_ll_i64(f->ll, 1), before = LLVMBuildSub(b, other, one, ""),
               after = LLVMBuildAdd(b, other, one, "");
  LLVMIntPredicate lt = kiln_ll_less(is_signed, false);
  LLVMValueRef below = LLVMBuildICmp(b, lt, first, other, ""), equal = LLVMBuildICmp(b, LLVMIntEQ, first, other, "");
  // In "x <= u" and "u < x" the equal value belongs to the lower side.
  bool joins_low = !is_equality && strict == second;
  LLVMValueRef is_low = joins_low ? LLVMBuildOr(b, below, equal, "") : below;
  LLVMValueRef high = LLVMBuildSelect(b, is_low, joins_low ? other : before, end_of_type(f, bits, is_signed, true), "");
  LLVMValueRef low =
      LLVMBuildSelect(b, is_low, end_of_type(f, bits, is_signed, false), joins_low || is_equality ? after : other, "");
  if (is_equality) {
    high = LLVMBuildSelect(b, equal, other, high, "");
    low = LLVMBuildSelect(b, equal, other, low, "");
  }
  return room_between(f, low, first, high, x[second], is_signed);
}

// The room in which no lane passes a multiple of the divisor or the end of the type, and signed values are positive.
static struct room division_room(struct kiln_ll_fn *f, kiln_value inst) {
  LLVMBuilderRef b = f->ll->b;
  enum kiln_op op = kiln_op_of(kiln_inst(f->fn, inst));
  const kiln_value *x = kiln_operands(f->fn, inst);
  bool is_signed = kiln_op_is_signed_division(op);
  LLVMValueRef first = extended(f, x[0], is_signed), divisor = extended(f, x[1], is_signed);
  LLVMValueRef zero = LLVMConstNull(f->ll->i64), one = kiln_ll_i64(f->ll, 1);
  struct room room = room_between(f, NULL, first, NULL, x[0], is_signed);
  room.valid = LLVMBuildICmp(b, is_signed ? LLVMIntSGT : LLVMIntNE, divisor, zero, "");
  divisor = LLVMBuildSelect(b, room.valid, divisor, one, "");
  LLVMValueRef past = LLVMBuildURem(b, first, divisor, "");
  LLVMValueRef before = LLVMBuildSub(b, LLVMBuildSub(b, divisor, one, ""), past, "");
  room.size = kiln_ll_plain(f->ll, KILN_OP_UMIN, room.size, before);
  if (is_signed)
    room.valid = LLVMBuildAnd(b, room.valid, LLVMBuildICmp(b, LLVMIntSGE, first, zero, ""), "");
  return room;
}

static struct room room_of(struct kiln_ll_fn *f, kiln_value inst) {
  enum kiln_op op = (enum kiln_op)kiln_inst(f->fn, inst)->op;
  if (kiln_op_family(op) == KILN_FAMILY_COMPARE)
    return compare_room(f, inst);
  if (kiln_op_is_division(op))
    return division_room(f, inst);
  return kiln_ll_is_clamp(op) ? clamp_room(f, inst) : extension_room(f, inst);
}

LLVMValueRef kiln_ll_emit_condition(struct kiln_ll_fn *f, kiln_value inst) {
  LLVMBuilderRef b = f->ll->b;
  int64_t unit;
  kiln_value factor = kiln_ll_variable_factor(f, inst, &unit);
  if (factor) {
    LLVMValueRef stride = kiln_ll_held(f, factor);
    return LLVMBuildICmp(b, LLVMIntEQ, stride, LLVMConstInt(LLVMTypeOf(stride), (uint64_t)unit, false), "");
  }
  struct room room = room_of(f, inst);
  LLVMValueRef span = kiln_ll_i64(f->ll, room.step * (f->form->lanes - 1));
  LLVMValueRef fits = LLVMBuildICmp(b, LLVMIntUGE, room.size, span, "");
  return room.valid ? LLVMBuildAnd(b, room.valid, fits, "") : fits;
}

// Emits the value and everything it depends on.
static void emit_early(struct kiln_ll_fn *f, kiln_value v, bool *done) {
  if (done[v] || !kiln_inst(f->fn, v)->region)
    return;
  done[v] = true;
  for (uint32_t i = 0; i < kiln_inst(f->fn, v)->operand_count; i++)
    emit_early(f, kiln_operands(f->fn, v)[i], done);
  kiln_ll_inst(f, v);
}

// Whether f relies on the value before a warp runs, by the shapes of full warps.
static bool is_relied_on(const struct kiln_ll_fn *f, kiln_value v) {
  return kiln_ll_has_condition(f, v) && kiln_ll_is_assumed(f, v) && kiln_ll_shape(f, v).kind != KILN_SHAPE_VARYING &&
         !kiln_ll_is_guarded_off(f, kiln_inst(f->fn, v)->region);
}

LLVMValueRef kiln_ll_assumptions_may_hold(struct kiln_ll_fn *f) {
  LLVMBuilderRef b = f->ll->b;
  const struct kiln_function *fn = f->fn;
  LLVMValueRef may = NULL;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    kiln_value divisor = kiln_op_is_division(kiln_op_of(&fn->insts[v])) ? kiln_operands(fn, v)[1] : 0;
    if (!divisor || fn->insts[divisor].op == KILN_OP_CONST || !kiln_is_of_launch(fn, divisor) || !is_relied_on(f, v))
      continue;
    LLVMValueRef held = kiln_ll_emit_ahead(f, divisor);
    LLVMValueRef least = LLVMConstInt(LLVMTypeOf(held), f->form->lanes, false);
    LLVMValueRef large = LLVMBuildICmp(b, LLVMIntUGE, held, least, "");
    may = may ? LLVMBuildAnd(b, may, large, "may.hold") : large;
  }
  return may;
}

LLVMValueRef kiln_ll_assumed_items(struct kiln_ll_fn *f, LLVMValueRef remaining) {
  LLVMBuilderRef b = f->ll->b;
  const struct kiln_function *fn = f->fn;
  bool *done = KILN_NEW_ARRAY(&f->ll->arena, bool, fn->inst_count);
  LLVMValueRef one = kiln_ll_i64(f->ll, 1), valid = NULL, steps = LLVMBuildSub(b, remaining, one, "");
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    if (!is_relied_on(f, v))
      continue;
    emit_early(f, fn->insts[v].operand_count > 1 ? kiln_operands(fn, v)[0] : extended_term(f, v), done);
    if (fn->insts[v].operand_count > 1)
      emit_early(f, kiln_operands(fn, v)[1], done);
    struct room room = room_of(f, v);
    if (room.valid)
      valid = valid ? LLVMBuildAnd(b, valid, room.valid, "") : room.valid;
    if (room.step > 1)
      room.size = LLVMBuildUDiv(b, room.size, kiln_ll_i64(f->ll, room.step), "");
    steps = kiln_ll_plain(f->ll, KILN_OP_UMIN, steps, room.size);
  }
  LLVMValueRef run = LLVMBuildAdd(b, steps, one, "run");
  return valid ? LLVMBuildSelect(b, valid, run, LLVMConstNull(f->ll->i64), "run") : run;
}
