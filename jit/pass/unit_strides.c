// Strides that may be one: x[id * incx + offset] is contiguous in launches where the parameter incx is one, as it
// mostly is in BLAS. Shapes take such products for linear; the emitter tests the parameter where an address needs that.
//
// A parameter is a stride if it is used as a factor only, and only in addresses in which each term that is not the same
// for the launch has it as a factor. In a[row * pitch + column] the column does not have it: pitch is the length of a
// row.
#include "jit/pass/unit_strides.h"

static kiln_value through_extensions(const struct kiln_function *fn, kiln_value v) {
  while (fn->insts[v].op == KILN_OP_TRUNC || fn->insts[v].op == KILN_OP_SEXT || fn->insts[v].op == KILN_OP_ZEXT)
    v = kiln_operands(fn, v)[0];
  return v;
}

// The integer parameter that a value is, whatever its width; 0: it is no parameter.
static kiln_value param_of(const struct kiln_function *fn, kiln_value v) {
  kiln_value root = through_extensions(fn, v);
  return fn->insts[root].op == KILN_OP_PARAM && kiln_kind_is_int(kiln_type_kind(fn->insts[root].type)) &&
                 kiln_type_lanes(fn->insts[root].type) == 1
             ? root
             : 0;
}

// Marks parameters that are factors of values that are no constants, and have no other use. False: there are no such
// parameters.
static bool find_factors(const struct kiln_function *fn, bool *factors, bool *others) {
  bool any = false;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *inst = &fn->insts[v];
    const kiln_value *x = kiln_operands(fn, v);
    for (uint32_t i = 0; inst->region && i < inst->operand_count; i++) {
      kiln_value param = param_of(fn, x[i]);
      if (!param || through_extensions(fn, v) != v)
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
    kiln_value factor = term->scale ? param_of(fn, term->scale) : 0;
    if (kiln_is_of_launch(fn, term->value) && (!term->scale || kiln_is_of_launch(fn, term->scale)))
      continue;
    is_pitch |= !factor || !factors[factor] || (stride && stride != factor);
    stride = factor ? factor : stride;
  }
  strides[stride] |= stride && !is_pitch;
  for (uint32_t i = 0; i < form.term_count && is_pitch; i++)
    pitches[form.terms[i].scale ? param_of(fn, form.terms[i].scale) : 0] = true;
}

uint8_t *kiln_unit_strides_find(const struct kiln_function *fn, struct kiln_arena *arena) {
  uint8_t *sides = KILN_NEW_ARRAY(arena, uint8_t, fn->inst_count);
  bool *factors = KILN_NEW_ARRAY(arena, bool, fn->inst_count), *strides = KILN_NEW_ARRAY(arena, bool, fn->inst_count);
  bool *others = KILN_NEW_ARRAY(arena, bool, fn->inst_count);
  if (!fn->is_kernel || !find_factors(fn, factors, others))
    return sides;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *inst = &fn->insts[v];
    if (inst->region && kiln_op_is_access(inst->op))
      look_at(fn, kiln_operands(fn, v)[0], factors, strides, others);
  }
  for (kiln_value v = 1; v < fn->inst_count; v++)
    for (unsigned i = 0; fn->insts[v].region && fn->insts[v].op == KILN_OP_IMUL && i < 2; i++) {
      kiln_value factor = param_of(fn, kiln_operands(fn, v)[i]);
      if (strides[factor] && !others[factor])
        sides[v] = i ? KILN_UNIT_SECOND : KILN_UNIT_FIRST;
    }
  return sides;
}
