// Strides that may be one: x[id * incx + offset] is contiguous in launches where the parameter incx is one, as it
// mostly is in BLAS. Shapes take such products for linear; the emitter tests the parameter where an address needs that.
//
// A parameter is a stride if it is used as a factor only, and only in addresses in which each term that is not the same
// for the launch has it as a factor. In a[row * pitch + column] the column does not have it: pitch is the length of a
// row. Comparisons with constants, as of "if (incx == 0) return", do not count; where one has found that the parameter
// is not one, its products are no strides.
#include "jit/pass/unit_strides.h"

static kiln_value through_extensions(const struct kiln_function *fn, kiln_value v) {
  while (fn->insts[v].op == KILN_OP_TRUNC || fn->insts[v].op == KILN_OP_SEXT || fn->insts[v].op == KILN_OP_ZEXT)
    v = kiln_operands(fn, v)[0];
  return v;
}

kiln_value kiln_integer_param_of(const struct kiln_function *fn, kiln_value v) {
  kiln_value root = through_extensions(fn, v);
  return fn->insts[root].op == KILN_OP_PARAM && kiln_kind_is_int(kiln_type_kind(fn->insts[root].type)) &&
                 kiln_type_lanes(fn->insts[root].type) == 1
             ? root
             : 0;
}

static bool compares_with_constant(const struct kiln_function *fn, kiln_value v) {
  enum kiln_op op = kiln_op_of(&fn->insts[v]);
  return (op == KILN_OP_EQ || op == KILN_OP_NE || kiln_op_is_order(op)) &&
         (fn->insts[kiln_operands(fn, v)[0]].op == KILN_OP_CONST ||
          fn->insts[kiln_operands(fn, v)[1]].op == KILN_OP_CONST);
}

// Marks parameters that are factors of values that are no constants, and have no other use. False: there are no such
// parameters.
static bool find_factors(const struct kiln_function *fn, bool *factors, bool *others) {
  bool any = false;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *inst = &fn->insts[v];
    const kiln_value *x = kiln_operands(fn, v);
    for (uint32_t i = 0; inst->region && i < inst->operand_count; i++) {
      kiln_value param = kiln_integer_param_of(fn, x[i]);
      if (!param || through_extensions(fn, v) != v || compares_with_constant(fn, v))
        continue;
      bool is_factor = inst->op == KILN_OP_IMUL && fn->insts[x[!i]].op != KILN_OP_CONST;
      factors[param] |= is_factor;
      others[param] |= !is_factor;
    }
  }
  for (uint32_t i = 0; i < fn->param_count; i++) {
    factors[fn->params[i].value] &= !others[fn->params[i].value];
    any |= factors[fn->params[i].value];
  }
  return any;
}

// Marks the factor of an address if each term that is not the same for the launch has it; else marks the factors of its
// terms as pitches.
static void look_at(const struct kiln_function *fn, kiln_value address, const bool *factors, bool *strides,
                    bool *pitches) {
  struct kiln_affine form;
  kiln_value stride = 0;
  bool is_pitch = false;
  kiln_affine_of(fn, address, KILN_AFFINE_PRODUCTS | KILN_AFFINE_MAY_WRAP, &form);
  for (uint32_t i = 0; i < form.term_count; i++) {
    const struct kiln_term *term = &form.terms[i];
    kiln_value factor = term->scale ? kiln_integer_param_of(fn, term->scale) : 0;
    if (kiln_is_of_launch(fn, term->value) && (!term->scale || kiln_is_of_launch(fn, term->scale)))
      continue;
    is_pitch |= !factor || !factors[factor] || (stride && stride != factor);
    stride = factor ? factor : stride;
  }
  strides[stride] |= stride && !is_pitch;
  for (uint32_t i = 0; i < form.term_count && is_pitch; i++)
    pitches[form.terms[i].scale ? kiln_integer_param_of(fn, form.terms[i].scale) : 0] = true;
}

// Whether v runs only where the parameter is not one, since an if asks for that.
static bool is_not_one(const struct kiln_function *fn, kiln_value v, kiln_value param) {
  uint64_t one;
  for (kiln_value node = kiln_owner(fn, v); node; v = node, node = kiln_owner(fn, v)) {
    const struct kiln_inst *test = fn->insts[node].op == KILN_OP_IF ? &fn->insts[kiln_operands(fn, node)[0]] : NULL;
    if (!test || (test->op != KILN_OP_EQ && test->op != KILN_OP_NE))
      continue;
    const kiln_value *x = fn->operands + test->operand_first;
    bool is_first = fn->insts[v].region == kiln_node(fn, node)->region_first;
    if (is_first == (test->op == KILN_OP_NE) && kiln_integer_param_of(fn, x[0]) == param &&
        kiln_const_splat(fn, x[1], &one) && one == 1)
      return true;
  }
  return false;
}

struct kiln_unit_strides kiln_unit_strides_find(const struct kiln_function *fn, struct kiln_arena *arena) {
  uint8_t *sides = KILN_NEW_ARRAY(arena, uint8_t, fn->inst_count);
  bool *factors = KILN_NEW_ARRAY(arena, bool, fn->inst_count), *strides = KILN_NEW_ARRAY(arena, bool, fn->inst_count);
  bool *others = KILN_NEW_ARRAY(arena, bool, fn->inst_count), any = false;
  if (!fn->is_kernel || !find_factors(fn, factors, others))
    return (struct kiln_unit_strides){sides, strides, false};
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *inst = &fn->insts[v];
    if (inst->region && kiln_op_is_access(inst->op))
      look_at(fn, kiln_operands(fn, v)[0], factors, strides, others);
  }
  for (uint32_t i = 0; i < fn->param_count; i++)
    strides[fn->params[i].value] &= !others[fn->params[i].value];
  for (kiln_value v = 1; v < fn->inst_count; v++)
    for (unsigned i = 0; fn->insts[v].region && fn->insts[v].op == KILN_OP_IMUL && i < 2; i++) {
      kiln_value factor = kiln_integer_param_of(fn, kiln_operands(fn, v)[i]);
      if (!strides[factor] || is_not_one(fn, v, factor))
        continue;
      sides[v] = i ? KILN_UNIT_SECOND : KILN_UNIT_FIRST;
      any = true;
    }
  return (struct kiln_unit_strides){sides, strides, any};
}
