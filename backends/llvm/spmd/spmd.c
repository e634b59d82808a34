// Values at many lanes: shapes, vector forms, and the dispatch of instructions.

#include <string.h>

#include "backends/llvm/plan/group.h"
#include "backends/llvm/spmd/spmd.h"
#include "kiln/op_cases.h"

// ---- guards

static LLVMValueRef both(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef y) {
  if (!x || !y)
    return x ? x : y;
  return x == y ? x : LLVMBuildAnd(ll->b, x, y, "");
}

static void set_guard(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_ll_form *s = f->form;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef guard = NULL;
  for (uint32_t i = 0; i < in->operand_count; i++) {
    kiln_value x = kiln_operands(f->fn, inst)[i];
    if (s->conditional[x] && s->shapes[x].kind == KILN_SHAPE_LINEAR)
      guard = both(f->ll, guard, s->made->guards[x]);
  }
  if (s->conditional[inst] && kiln_ll_has_condition(f, inst) && !kiln_ll_is_assumed(f, inst) &&
      !kiln_ll_uniform_loop_fits(f, inst))
    guard = both(f->ll, guard, kiln_ll_emit_condition(f, inst));
  s->made->guards[inst] = guard;
}

// ---- vectors of the language

static LLVMValueRef lane_is(struct kiln_ll_fn *f, LLVMValueRef index, unsigned n, unsigned c) {
  LLVMTypeRef type = LLVMTypeOf(index);
  LLVMValueRef count = kiln_ll_splat(type, n);
  if (n & (n - 1))
    index = LLVMBuildURem(f->ll->b, index, count, "");
  else
    index = LLVMBuildAnd(f->ll->b, index, kiln_ll_splat(type, n - 1), "");
  return LLVMBuildICmp(f->ll->b, LLVMIntEQ, index, kiln_ll_splat(type, c), "");
}

static LLVMValueRef component_in_memory_order(struct kiln_ll_fn *f, LLVMValueRef vector, unsigned n, unsigned c) {
  int list[KILN_LL_MAX_LANES];
  for (unsigned i = 0; i < f->form->lanes; i++)
    list[i] = (int)(i * n + c);
  return kiln_ll_shuffle(f->ll, vector, NULL, list, f->form->lanes);
}

static LLVMValueRef extract(struct kiln_ll_fn *f, kiln_value inst) {
  const kiln_value *x = kiln_operands(f->fn, inst);
  unsigned n = kiln_type_lanes(kiln_value_type(f->fn, x[0]));
  LLVMValueRef vector = kiln_ll_wide(f, x[0]);
  const struct kiln_inst *number = kiln_inst(f->fn, x[1]);
  if (n == 1)
    return vector;
  if (number->op == KILN_OP_CONST && f->form->ordered[x[0]])
    return component_in_memory_order(f, vector, n, (unsigned)(number->imm % n));
  if (number->op == KILN_OP_CONST)
    return kiln_ll_component(f, vector, (unsigned)(number->imm % n));
  LLVMValueRef index = kiln_ll_wide(f, x[1]), result = kiln_ll_component(f, vector, 0);
  for (unsigned c = 1; c < n; c++)
    result = LLVMBuildSelect(f->ll->b, lane_is(f, index, n, c), kiln_ll_component(f, vector, c), result, "");
  return result;
}

static LLVMValueRef insert(struct kiln_ll_fn *f, kiln_value inst) {
  const kiln_value *x = kiln_operands(f->fn, inst);
  unsigned n = kiln_type_lanes(kiln_value_type(f->fn, inst));
  LLVMValueRef vector = kiln_ll_wide(f, x[0]), value = kiln_ll_wide(f, x[1]), parts[16];
  const struct kiln_inst *number = kiln_inst(f->fn, x[2]);
  bool known = number->op == KILN_OP_CONST;
  LLVMValueRef index = known ? NULL : kiln_ll_wide(f, x[2]);
  for (unsigned c = 0; c < n; c++) {
    parts[c] = kiln_ll_component(f, vector, c);
    if (known ? number->imm % n == c : n == 1)
      parts[c] = value;
    else if (!known)
      parts[c] = LLVMBuildSelect(f->ll->b, lane_is(f, index, n, c), value, parts[c], "");
  }
  return kiln_ll_join_components(f, parts, n);
}

static LLVMValueRef shuffle(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  const uint8_t *list = f->fn->shuffles[in->node];
  unsigned n = kiln_type_lanes(in->type), from = kiln_type_lanes(kiln_value_type(f->fn, kiln_operands(f->fn, inst)[0]));
  LLVMValueRef x = kiln_ll_operand(f, inst, 0), y = kiln_ll_operand(f, inst, 1), parts[16];
  LLVMTypeRef element = kiln_ll_type(f->ll, kiln_type_element(in->type));
  for (unsigned c = 0; c < n; c++) {
    if (list[c] >= 2 * from)
      parts[c] = LLVMConstNull(LLVMVectorType(element, f->form->lanes));
    else
      parts[c] = list[c] < from ? kiln_ll_component(f, x, list[c]) : kiln_ll_component(f, y, list[c] - from);
  }
  return kiln_ll_join_components(f, parts, n);
}

// Whether some, or all, components are true, lane by lane.
static LLVMValueRef reduce_bools(struct kiln_ll_fn *f, kiln_value inst) {
  LLVMValueRef x = kiln_ll_operand(f, inst, 0);
  unsigned n = kiln_ll_lanes(x) / f->form->lanes;
  LLVMValueRef result = kiln_ll_component(f, x, 0);
  for (unsigned c = 1; c < n; c++) {
    LLVMValueRef part = kiln_ll_component(f, x, c);
    result = kiln_inst(f->fn, inst)->op == KILN_OP_ANY ? LLVMBuildOr(f->ll->b, result, part, "")
                                                       : LLVMBuildAnd(f->ll->b, result, part, "");
  }
  return result;
}

// Reinterprets bits. Elements of another size span components.
static LLVMValueRef reinterpret(struct kiln_ll_fn *f, kiln_value inst) {
  kiln_type to = kiln_value_type(f->fn, inst), from = kiln_value_type(f->fn, kiln_operands(f->fn, inst)[0]);
  LLVMValueRef x = kiln_ll_operand(f, inst, 0);
  unsigned n = kiln_type_lanes(to), m = kiln_type_lanes(from), lanes = f->form->lanes;
  LLVMTypeRef type = kiln_ll_vector(kiln_ll_type(f->ll, kiln_type_element(to)), n * lanes);
  if (n == m)
    return LLVMBuildBitCast(f->ll->b, x, type, "");
  x = kiln_ll_to_lanes(f, x, m, m);
  return kiln_ll_from_lanes(f, LLVMBuildBitCast(f->ll->b, x, type, ""), n, n);
}

// Components in the order in which the place holds them.
static LLVMValueRef in_order(const struct kiln_ll_fn *f, LLVMValueRef value, unsigned n) {
  struct kiln_ll_fn by_components = *f;
  by_components.at.in_memory_order = false;
  return f->at.in_memory_order ? kiln_ll_to_lanes(&by_components, value, n, n) : value;
}

static LLVMValueRef vector_op(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  unsigned n = kiln_type_lanes(in->type);
  switch (kiln_op_of(in)) {
  case KILN_OP_SELECT: {
    LLVMValueRef condition = kiln_ll_operand(f, inst, 0);
    unsigned have = kiln_ll_lanes(condition) / f->form->lanes;
    if (have < n)
      condition = kiln_ll_repeat(f, condition, n);
    return LLVMBuildSelect(f->ll->b, condition, kiln_ll_operand(f, inst, 1), kiln_ll_operand(f, inst, 2), "");
  }
  case KILN_OP_SPLAT:
    return kiln_ll_repeat(f, kiln_ll_operand(f, inst, 0), n);
  case KILN_OP_VEC: {
    LLVMValueRef parts[16];
    for (unsigned i = 0; i < n; i++)
      parts[i] = kiln_ll_operand(f, inst, i);
    return in_order(f, kiln_ll_join_components(f, parts, n), n);
  }
  case KILN_OP_EXTRACT:
    return extract(f, inst);
  case KILN_OP_INSERT:
    return insert(f, inst);
  case KILN_OP_SHUFFLE:
    return shuffle(f, inst);
    KILN_CASES_BUT_VECTOR break;
  }
  return NULL;
}

// ---- instructions

static bool is_unsigned_word(struct kiln_ll_fn *f, kiln_value inst, kiln_value index) {
  const struct kiln_inst *in = kiln_inst(f->fn, index);
  if (in->op != KILN_OP_ZEXT || kiln_ll_shape(f, index).kind == KILN_SHAPE_UNIFORM)
    return false;
  kiln_type from = kiln_value_type(f->fn, kiln_operands(f->fn, index)[0]);
  // In a kernel with barriers the operand is available only in the item region that computes the extension.
  return kiln_type_kind(from) == KILN_I32 && (!f->group || f->group->item_region[index] == f->group->item_region[inst]);
}

// Gather instructions take signed 32-bit indices: zext(i) is sext(i - 2^31) + 2^31. (Lane by lane an unsigned index
// costs nothing: moving it to a scalar register extends it.)
static LLVMValueRef unsigned_index(struct kiln_ll_fn *f, kiln_value pointer, kiln_value index, int64_t stride) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef word = kiln_ll_wide(f, kiln_operands(f->fn, index)[0]), base = kiln_ll_held(f, pointer);
  base = kiln_ll_address_at(ll, base, (int64_t)((uint64_t)stride << 31));
  word = LLVMBuildXor(ll->b, word, kiln_ll_splat(LLVMTypeOf(word), UINT64_C(1) << 31), "");
  word = LLVMBuildSExt(ll->b, word, kiln_ll_like(word, ll->i64), "");
  return kiln_ll_pointer_add(ll, base, word, stride);
}

// Keeps a scalar base: the gather adds it to the vector of offsets.
static LLVMValueRef padd(struct kiln_ll_fn *f, kiln_value inst) {
  kiln_value pointer = kiln_operands(f->fn, inst)[0];
  bool is_uniform = kiln_ll_shape(f, pointer).kind == KILN_SHAPE_UNIFORM;
  int64_t stride = (int64_t)kiln_inst(f->fn, inst)->imm;
  if (f->form->element[inst]) // the elements of one lane are `lanes` elements apart
    stride *= f->form->lanes;
  kiln_value index = kiln_operands(f->fn, inst)[1];
  if (is_uniform && kiln_ll_shape(f, inst).kind == KILN_SHAPE_VARYING && !kiln_ll_gathers_by_lane(f) &&
      is_unsigned_word(f, inst, index))
    return unsigned_index(f, pointer, index, stride);
  return kiln_ll_pointer_add(f->ll, is_uniform ? kiln_ll_held(f, pointer) : kiln_ll_wide(f, pointer),
                             kiln_ll_operand(f, inst, 1), stride);
}

LLVMValueRef kiln_ll_compute_wide(const struct kiln_ll_fn *from, kiln_value inst) {
  struct kiln_ll_fn copy = *from, *f = &copy;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  enum kiln_op_family family = kiln_op_family(kiln_op_of(in));
  f->at.is_wide = true;
  if (family == KILN_FAMILY_ITEM || family == KILN_FAMILY_SUB_GROUP) {
    bool is_id = in->op == KILN_OP_GLOBAL_ID || in->op == KILN_OP_LOCAL_ID;
    bool is_contiguous = (is_id && in->imm % 3 == 0) || in->op == KILN_OP_SUB_GROUP_LOCAL_ID;
    bool is_number = in->op == KILN_OP_SUB_GROUP_ID || in->op == KILN_OP_SUB_GROUP_LOCAL_ID;
    bool is_vector =
        (is_id && (f->cpu.packed || (f->cpu.flattened && in->imm < 3))) || (is_number && f->fn->splits_sub_groups);
    LLVMValueRef result = f->ll->hooks->item(f, (enum kiln_op)in->op, (unsigned)in->imm);
    return is_vector ? result : is_contiguous ? kiln_ll_linear_vector(f, result, 1) : kiln_ll_broadcast(f, result);
  }
  if (in->op == KILN_OP_PADD)
    return padd(f, inst);
  if (family == KILN_FAMILY_MATH && in->op != KILN_OP_RSQRT)
    return kiln_ll_by_lane(f, inst);
  if (family == KILN_FAMILY_VECTOR)
    return vector_op(f, inst);
  if (in->op == KILN_OP_ANY || in->op == KILN_OP_ALL)
    return reduce_bools(f, inst);
  if (in->op == KILN_OP_BITCAST)
    return reinterpret(f, inst);
  return (kiln_op_is_division(in->op) ? kiln_ll_divide_longs : kiln_ll_compute_op)(f, inst);
}

// A value that lanes share, or that grows from lane to lane by a constant, from the scalars of its operands.
static LLVMValueRef compute_scalar(const struct kiln_ll_fn *from, kiln_value inst) {
  struct kiln_ll_fn copy = *from, *f = &copy;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  f->at.is_wide = false;
  kiln_value same = kiln_ll_clamped(f, inst);
  LLVMValueRef result = same                     ? kiln_ll_held(f, same)
                        : in->op == KILN_OP_PADD ? kiln_ll_sum_address(f, inst)
                        : in->op == KILN_OP_SEXT ? kiln_ll_sum_extension(f, inst)
                                                 : NULL;
  bool extends = in->op == KILN_OP_SEXT || in->op == KILN_OP_ZEXT;
  if (!result && extends && kiln_type_kind(in->type) == KILN_I64)
    result = kiln_ll_whole_id(f, kiln_operands(f->fn, inst)[0]);
  if (!result)
    result = f->form->element[inst] ? padd(f, inst) : kiln_ll_compute_op(f, inst);
  if (f->form->shapes[inst].kind == KILN_SHAPE_LINEAR)
    set_guard(f, inst);
  return result;
}

static LLVMValueRef compute(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_ll_form *s = f->form;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  enum kiln_op op = kiln_op_of(in);
  enum kiln_op_family family = kiln_op_family(op);
  if (family == KILN_FAMILY_MEMORY && op != KILN_OP_PADD)
    return kiln_ll_spmd_memory(f, inst);
  if (op == KILN_OP_PRINTF && in->flags & KILN_PRINT_FAIL) { // any lane that is on will do
    kiln_ll_compute_op(f, inst);
    return LLVMConstNull(kiln_ll_held_type(f, inst));
  }
  if (op == KILN_OP_CALL || op == KILN_OP_PRINTF || kiln_op_is_atomic(op))
    return kiln_ll_by_lane(f, inst);
  if (op == KILN_OP_PSPACE && s->shapes[inst].kind == KILN_SHAPE_VARYING)
    return kiln_ll_by_lane(f, inst);
  if ((family == KILN_FAMILY_GROUP && op != KILN_OP_BARRIER) ||
      (op == KILN_OP_AGREE && kiln_ll_shape(f, kiln_operands(f->fn, inst)[0]).kind == KILN_SHAPE_VARYING))
    return kiln_ll_group_op(f, inst);
  if (op == KILN_OP_ASSUME) {
    if (kiln_ll_shape(f, kiln_operands(f->fn, inst)[0]).kind == KILN_SHAPE_UNIFORM)
      kiln_ll_compute_op(f, inst);
    return NULL;
  }
  if (s->shapes[inst].kind == KILN_SHAPE_VARYING)
    return kiln_ll_compute_wide(f, inst);
  return kiln_ll_cancels(f, inst) ? kiln_ll_hold(f, inst, kiln_ll_compute_wide(f, inst)) : compute_scalar(f, inst);
}

LLVMValueRef kiln_ll_spmd_compute(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll_fn ordered = kiln_ll_in_order_of(f, inst);
  if (ordered.at.in_memory_order && kiln_op_table[kiln_inst(f->fn, inst)->op].effect == KILN_EFFECT_PURE)
    kiln_ll_tally(f, inst, KILN_LL_MEMORY_ORDER);
  return compute(&ordered, inst);
}
