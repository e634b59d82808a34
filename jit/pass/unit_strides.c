// Strides that may be those of contiguous accesses: x[id * incx + offset] is contiguous in launches where the parameter
// incx is one, as it mostly is in BLAS, and *(float *)(bytes + id * nb0 + group * nb1) where nb0 is four, as it mostly
// is of tensors. Shapes take such products for linear; the emitter tests the parameter where an address needs that.
//
// A parameter is a stride if it is used as a factor only, and only in addresses in which each term that is not the same
// for the launch has it as a factor, or is a group's position with another parameter as a factor. In
// a[row * pitch + column] the column does not have it: pitch is the length of a row. Comparisons with constants, as of
// "if (incx == 0) return", do not count; where one has found that the parameter is not one, its products are no
// strides.
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

kiln_value kiln_first_of_phi(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *inst = &fn->insts[v];
  if (inst->op != KILN_OP_PHI || fn->insts[inst->imm].op != KILN_OP_LOOP)
    return v;
  const struct kiln_value_list header = kiln_node(fn, (kiln_value)inst->imm)->header;
  for (uint32_t i = 0; i < header.count; i++)
    if (header.items[i] == v)
      return kiln_operands(fn, (kiln_value)inst->imm)[i];
  return v;
}

struct find {
  const struct kiln_function *fn;
  const bool *factors; // by value, as all of these
  bool *pitches;
  uint8_t *units; // of strides
};

// Whether a value differs between neighbouring work-items, or is a counter that starts from one that does; or a
// quotient or remainder of it.
static bool follows_id(const struct kiln_function *fn, kiln_value v) {
  v = through_extensions(fn, v);
  while (kiln_op_is_division(kiln_op_of(&fn->insts[v])))
    v = through_extensions(fn, kiln_operands(fn, v)[0]);
  return kiln_depends_on(fn, kiln_first_of_phi(fn, v)) & (KILN_ON_GLOBAL_ID | KILN_ON_LOCAL_ID);
}

// Whether a value is the same in a group, or in a row of it.
static bool is_of_row(const struct kiln_function *fn, kiln_value v) {
  uint32_t of_row = KILN_ON_LAUNCH | KILN_ON_GROUP | KILN_ON_GROUP_IDS | (KILN_ON_GLOBAL_IDS & ~KILN_ON_GLOBAL_ID) |
                    (KILN_ON_LOCAL_IDS & ~KILN_ON_LOCAL_ID);
  return !(kiln_depends_on(fn, v) & ~of_row);
}

// The stride with which an access of so many bytes is contiguous, if the id's factor is the term's, in bytes.
static unsigned unit_of(int64_t factor, unsigned size) {
  return factor > 0 && factor < size && size % factor == 0 ? (unsigned)(size / factor) : 1;
}

// Notes the stride of an access; if it has none, the factors of its address are pitches.
static void look_at(struct find *s, kiln_value access) {
  const struct kiln_function *fn = s->fn;
  struct kiln_affine form;
  kiln_value stride = 0, scales[KILN_AFFINE_TERMS];
  bool is_pitch = false, others = false;
  unsigned unit = 1, size = kiln_type_bytes(kiln_access_type(fn, access));
  kiln_affine_of(fn, kiln_operands(fn, access)[0], KILN_AFFINE_PRODUCTS | KILN_AFFINE_MAY_WRAP, &form);
  for (uint32_t i = 0; i < form.term_count; i++) {
    const struct kiln_term *term = &form.terms[i];
    scales[i] = term->scale ? kiln_integer_param_of(fn, term->scale) : 0;
    if (kiln_is_of_launch(fn, term->value) && (!term->scale || kiln_is_of_launch(fn, term->scale)))
      continue;
    is_pitch |= !scales[i] || !s->factors[scales[i]];
    if (follows_id(fn, term->value)) {
      is_pitch |= stride && stride != scales[i];
      unit = unit_of(term->factor, size);
      stride = scales[i];
    }
  }
  for (uint32_t i = 0; i < form.term_count; i++) {
    const struct kiln_term *term = &form.terms[i];
    bool is_of_launch = kiln_is_of_launch(fn, term->value) && (!term->scale || kiln_is_of_launch(fn, term->scale));
    others |= stride && !is_of_launch && scales[i] != stride && !is_of_row(fn, term->value);
  }
  is_pitch |= others || (stride && s->units[stride] && s->units[stride] != unit);
  if (stride && !is_pitch)
    s->units[stride] = (uint8_t)unit;
  for (uint32_t i = 0; i < form.term_count && is_pitch; i++)
    s->pitches[scales[i]] = true;
}

// Whether v runs only where the stride is not its unit, since an if asks for that.
static bool is_not_unit(const struct kiln_function *fn, kiln_value v, kiln_value stride, unsigned unit) {
  uint64_t number;
  for (kiln_value node = kiln_owner(fn, v); node; v = node, node = kiln_owner(fn, v)) {
    const struct kiln_inst *test = fn->insts[node].op == KILN_OP_IF ? &fn->insts[kiln_operands(fn, node)[0]] : NULL;
    if (!test || (test->op != KILN_OP_EQ && test->op != KILN_OP_NE))
      continue;
    const kiln_value *x = fn->operands + test->operand_first;
    bool is_first = fn->insts[v].region == kiln_node(fn, node)->region_first;
    if (is_first == (test->op == KILN_OP_NE) && kiln_integer_param_of(fn, x[0]) == stride &&
        kiln_const_splat(fn, x[1], &number) && number == unit)
      return true;
  }
  return false;
}

struct kiln_unit_strides kiln_unit_strides_find(const struct kiln_function *fn, struct kiln_arena *arena) {
  uint8_t *sides = KILN_NEW_ARRAY(arena, uint8_t, fn->inst_count);
  uint8_t *units = KILN_NEW_ARRAY(arena, uint8_t, fn->inst_count);
  bool *factors = KILN_NEW_ARRAY(arena, bool, fn->inst_count);
  bool *pitches = KILN_NEW_ARRAY(arena, bool, fn->inst_count), any = false;
  if (!fn->is_kernel || !find_factors(fn, factors, pitches))
    return (struct kiln_unit_strides){sides, units, false};
  struct find find = {fn, factors, pitches, units};
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (fn->insts[v].region && kiln_op_is_access(fn->insts[v].op))
      look_at(&find, v);
  for (uint32_t i = 0; i < fn->param_count; i++)
    if (pitches[fn->params[i].value])
      units[fn->params[i].value] = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++)
    for (unsigned i = 0; fn->insts[v].region && fn->insts[v].op == KILN_OP_IMUL && i < 2; i++) {
      kiln_value stride = kiln_integer_param_of(fn, kiln_operands(fn, v)[i]);
      if (!stride || !units[stride] || is_not_unit(fn, v, stride, units[stride]))
        continue;
      sides[v] = i ? KILN_UNIT_SECOND : KILN_UNIT_FIRST;
      any = true;
    }
  return (struct kiln_unit_strides){sides, units, any};
}
