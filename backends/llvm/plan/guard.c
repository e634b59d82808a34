// Guards: conditions under which a value is linear. Guards that depend only on ids, parameters and constants are tested
// before a warp runs, for as many work-items of the row as they hold for; those warps then assume them. Other guards
// are tested where the value is used.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): wraps, positions_bounds, positions_sides.
#include "backends/llvm/plan/find.h"

bool kiln_ll_is_clamp(enum kiln_op op) {
  return op == KILN_OP_SMIN || op == KILN_OP_SMAX || op == KILN_OP_UMIN || op == KILN_OP_UMAX;
}

static bool is_compare(enum kiln_op op) { return kiln_op_family(op) == KILN_FAMILY_COMPARE; }

kiln_value kiln_ll_variable_factor(const struct kiln_ll_fn *f, kiln_value v, int64_t *unit) {
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  const kiln_value *x = kiln_operands(f->fn, v);
  if (in->op != KILN_OP_IMUL || f->form->shapes[v].kind != KILN_SHAPE_LINEAR)
    return 0;
  bool is_second = kiln_ll_shape(f, x[0]).kind == KILN_SHAPE_LINEAR;
  kiln_value factor = x[is_second];
  int64_t stride = kiln_ll_shape(f, x[!is_second]).stride;
  *unit = stride ? f->form->shapes[v].stride / stride : 1;
  return kiln_inst(f->fn, factor)->op != KILN_OP_CONST ? factor : 0;
}

bool kiln_ll_has_condition(const struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  enum kiln_op op = (enum kiln_op)in->op;
  int64_t unit;
  return in->region && f->form->shapes[v].guarded &&
         (op == KILN_OP_SEXT || op == KILN_OP_ZEXT || kiln_ll_is_clamp(op) || is_compare(op) ||
          kiln_op_is_division(op) || kiln_ll_variable_factor(f, v, &unit));
}

bool kiln_ll_is_assumed(const struct kiln_ll_fn *f, kiln_value v) {
  return f->form->assumes && f->form->shapes[v].early;
}

bool kiln_ll_may_assume(const struct kiln_function *fn) {
  if (fn->assumed_shapes)
    return true;
  for (kiln_value v = 1; v < fn->shape_count; v++)
    if (fn->insts[v].region && fn->shapes[v].early)
      return true;
  return false;
}

bool kiln_ll_assumes_divisions(const struct kiln_function *fn) {
  for (kiln_value v = 1; fn->assumed_shapes && v < fn->shape_count; v++)
    if (fn->insts[v].region && kiln_op_is_division(kiln_op_of(&fn->insts[v])) && fn->assumed_shapes[v].early)
      return true;
  return false;
}

static bool is_zero(const struct kiln_function *fn, kiln_value v) {
  return fn->insts[v].op == KILN_OP_CONST && fn->insts[v].imm == 0;
}

// Whether v is the global id in dimension 0, or max(id, 0), which is the same since ids are not negative.
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
  if (kiln_ll_is_clamp(op))
    return is_id(fn, v) || ((op == KILN_OP_SMIN || op == KILN_OP_UMIN) && is_id(fn, x[0]));
  if (is_compare(op))
    return is_id(fn, x[0]) && kiln_op_is_order(op);
  if (op == KILN_OP_IMUL) // by a stride that may be one
    return fn->insts[x[0]].op == KILN_OP_CONST || fn->insts[x[1]].op == KILN_OP_CONST;
  return !kiln_op_is_division(op);
}

bool kiln_ll_assumes_ends_of_rows(const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->shape_count; v++)
    if (fn->insts[v].region && (fn->shapes[v].early || (fn->assumed_shapes && fn->assumed_shapes[v].early)) &&
        !holds_up_to(fn, v))
      return false;
  return true;
}

const bool *kiln_ll_find_conditional(const struct kiln_ll_fn *f) {
  const struct kiln_ll_form *s = f->form;
  const struct kiln_function *fn = f->fn;
  bool *conditional = KILN_NEW_ARRAY(&f->ll->arena, bool, fn->inst_count);
  for (bool changed = true; changed;) {
    changed = false;
    for (kiln_value v = 1; v < fn->inst_count; v++) {
      if (conditional[v] || s->shapes[v].kind != KILN_SHAPE_LINEAR || !s->shapes[v].guarded || !fn->insts[v].region)
        continue;
      bool is_conditional = kiln_ll_has_condition(f, v) && !kiln_ll_is_assumed(f, v);
      for (uint32_t i = 0; i < fn->insts[v].operand_count; i++)
        is_conditional |= conditional[kiln_operands(fn, v)[i]];
      changed |= conditional[v] = is_conditional;
    }
  }
  return conditional;
}
