// Guards: conditions under which a value is linear. Guards that depend only on ids, parameters and constants are tested
// before a warp runs, for as many work-items of the row as they hold for; those warps then assume them. Other guards
// are tested where the value is used.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): wraps, positions_bounds, positions_sides.
#include "backends/llvm/spmd/spmd.h"

bool kiln_ll_spmd_is_clamp(enum kiln_op op) {
  return op == KILN_OP_SMIN || op == KILN_OP_SMAX || op == KILN_OP_UMIN || op == KILN_OP_UMAX;
}

static bool is_compare(enum kiln_op op) { return kiln_op_family(op) == KILN_FAMILY_COMPARE; }

// A product of a linear value by one that is no constant is linear if that is one. Returns the factor; 0: v is no such
// product.
static kiln_value stride_of(const struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  const kiln_value *x = kiln_operands(f->fn, v);
  if (in->op != KILN_OP_IMUL || f->spmd->shapes[v].kind != KILN_SHAPE_LINEAR)
    return 0;
  kiln_value factor = x[kiln_ll_shape(f, x[0]).kind == KILN_SHAPE_LINEAR];
  return kiln_inst(f->fn, factor)->op != KILN_OP_CONST ? factor : 0;
}

bool kiln_ll_spmd_is_root(const struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  enum kiln_op op = (enum kiln_op)in->op;
  return in->region && f->spmd->shapes[v].guarded &&
         (op == KILN_OP_SEXT || op == KILN_OP_ZEXT || kiln_ll_spmd_is_clamp(op) || is_compare(op) ||
          kiln_op_is_division(op) || stride_of(f, v));
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

bool kiln_ll_spmd_assumes_divisions(const struct kiln_function *fn) {
  for (kiln_value v = 1; fn->assumed_shapes && v < fn->shape_count; v++)
    if (fn->insts[v].region && kiln_op_is_division(kiln_op_of(&fn->insts[v])) && fn->assumed_shapes[v].early)
      return true;
  return false;
}

static bool is_zero(const struct kiln_function *fn, kiln_value v) {
  return fn->insts[v].op == KILN_OP_CONST && fn->insts[v].imm == 0;
}

// Also as the larger one of it and 0, as it is positive.
static bool is_id(const struct kiln_function *fn, kiln_value v) {
  if (fn->insts[v].op == KILN_OP_SMAX && is_zero(fn, kiln_operands(fn, v)[1]))
    v = kiln_operands(fn, v)[0];
  v = fn->insts[v].op == KILN_OP_TRUNC ? kiln_operands(fn, v)[0] : v;
  return fn->insts[v].op == KILN_OP_GLOBAL_ID && fn->insts[v].imm == 0;
}

// Whether the guard of a value, if it has one of its own, holds for a prefix of each row: for its first 100 work-items,
// say, and for none of the later ones.
static bool holds_up_to(const struct kiln_function *fn, kiln_value v) {
  enum kiln_op op = kiln_op_of(&fn->insts[v]);
  const kiln_value *x = kiln_operands(fn, v);
  if (kiln_ll_spmd_is_clamp(op))
    return is_id(fn, v) || ((op == KILN_OP_SMIN || op == KILN_OP_UMIN) && is_id(fn, x[0]));
  if (is_compare(op))
    return is_id(fn, x[0]) && kiln_op_is_order(op);
  if (op == KILN_OP_IMUL) // by a stride that may be one
    return fn->insts[x[0]].op == KILN_OP_CONST || fn->insts[x[1]].op == KILN_OP_CONST;
  return !kiln_op_is_division(op);
}

bool kiln_ll_spmd_assumes_ends_of_rows(const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->shape_count; v++)
    if (fn->insts[v].region && (fn->shapes[v].early || (fn->assumed_shapes && fn->assumed_shapes[v].early)) &&
        !holds_up_to(fn, v))
      return false;
  return true;
}

const bool *kiln_ll_spmd_find_taint(const struct kiln_ll_fn *f) {
  const struct kiln_ll_spmd *s = f->spmd;
  const struct kiln_function *fn = f->fn;
  bool *is_tainted = KILN_NEW_ARRAY(&f->ll->arena, bool, fn->inst_count);
  for (bool changed = true; changed;) {
    changed = false;
    for (kiln_value v = 1; v < fn->inst_count; v++) {
      if (is_tainted[v] || s->shapes[v].kind != KILN_SHAPE_LINEAR || !s->shapes[v].guarded || !fn->insts[v].region)
        continue;
      bool tainted = kiln_ll_spmd_is_root(f, v) && !kiln_ll_spmd_is_assumed(f, v);
      for (uint32_t i = 0; i < fn->insts[v].operand_count; i++)
        tainted |= is_tainted[kiln_operands(fn, v)[i]];
      changed |= is_tainted[v] = tainted;
    }
  }
  return is_tainted;
}

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
  const struct kiln_shape *shapes = f->spmd->assumes && f->fn->assumed_shapes ? f->fn->assumed_shapes : f->fn->shapes;
  kiln_value x = kiln_operands(f->fn, inst)[0];
  struct kiln_affine sum;
  if (!kiln_ll_shape(f, inst).of_term)
    return x;
  kiln_affine_of(f->fn, x, KILN_AFFINE_EXTENDED, &sum);
  for (uint32_t i = 0; i < sum.term_count; i++)
    x = shapes[sum.terms[i].value].kind == KILN_SHAPE_LINEAR ? sum.terms[i].value : x;
  return x;
}

// The narrow operand of an extension does not wrap.
static struct room extension_room(struct kiln_ll_fn *f, kiln_value inst) {
  kiln_value x = extended_term(f, inst);
  bool is_signed = kiln_inst(f->fn, inst)->op == KILN_OP_SEXT;
  return room_between(f, NULL, extended(f, x, is_signed), NULL, x, is_signed);
}

// A minimum or maximum equals its linear operand, which does not wrap.
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

// A comparison of a linear with a uniform value gives the same in all lanes. For an equality: all lanes are on the same
// side of the uniform value.
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

// No lane passes a multiple of the divisor, nor the end of the type. Of signed values, all are positive.
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
  if (is_compare(op))
    return compare_room(f, inst);
  if (kiln_op_is_division(op))
    return division_room(f, inst);
  return kiln_ll_spmd_is_clamp(op) ? clamp_room(f, inst) : extension_room(f, inst);
}

LLVMValueRef kiln_ll_spmd_guard(struct kiln_ll_fn *f, kiln_value inst) {
  LLVMBuilderRef b = f->ll->b;
  if (stride_of(f, inst)) {
    LLVMValueRef stride = kiln_ll_held(f, stride_of(f, inst));
    return LLVMBuildICmp(b, LLVMIntEQ, stride, LLVMConstInt(LLVMTypeOf(stride), 1, false), "");
  }
  struct room room = room_of(f, inst);
  LLVMValueRef span = kiln_ll_i64(f->ll, room.step * (f->spmd->lanes - 1));
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
  return kiln_ll_spmd_is_root(f, v) && kiln_ll_spmd_is_assumed(f, v) &&
         kiln_ll_shape(f, v).kind != KILN_SHAPE_VARYING && !kiln_ll_is_guarded_off(f, kiln_inst(f->fn, v)->region);
}

LLVMValueRef kiln_ll_spmd_may_hold(struct kiln_ll_fn *f) {
  LLVMBuilderRef b = f->ll->b;
  const struct kiln_function *fn = f->fn;
  LLVMValueRef may = NULL;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    kiln_value divisor = kiln_op_is_division(kiln_op_of(&fn->insts[v])) ? kiln_operands(fn, v)[1] : 0;
    if (!divisor || fn->insts[divisor].op == KILN_OP_CONST || !kiln_is_of_launch(fn, divisor) || !is_relied_on(f, v))
      continue;
    LLVMValueRef held = kiln_ll_emit_ahead(f, divisor);
    LLVMValueRef least = LLVMConstInt(LLVMTypeOf(held), f->spmd->lanes, false);
    LLVMValueRef large = LLVMBuildICmp(b, LLVMIntUGE, held, least, "");
    may = may ? LLVMBuildAnd(b, may, large, "may.hold") : large;
  }
  return may;
}

LLVMValueRef kiln_ll_spmd_run(struct kiln_ll_fn *f, LLVMValueRef remaining) {
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
