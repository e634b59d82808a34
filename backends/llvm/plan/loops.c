// What is asked of the loops and operations of a kernel.
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/form.h"

#define MAX_DEPTH 5 // of loops that count

bool kiln_ll_constant(const struct kiln_function *fn, kiln_value v, int64_t *out) {
  const struct kiln_inst *in = kiln_inst(fn, v);
  if (in->op != KILN_OP_CONST || !kiln_kind_is_int(kiln_type_kind(in->type)))
    return false;
  unsigned unused = 64 - kiln_kind_bits(kiln_type_kind(in->type));
  *out = (int64_t)(in->imm << unused) >> unused;
  return true;
}

bool kiln_ll_uses(const struct kiln_function *fn, enum kiln_op op) {
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (fn->insts[v].op == op && (fn->insts[v].region || kiln_op_table[op].effect == KILN_EFFECT_FREE))
      return true;
  return false;
}

bool kiln_ll_has_loop(const struct kiln_function *fn, uint32_t region) {
  for (kiln_value v = fn->regions[region].first; v; v = kiln_inst(fn, v)->next) {
    if (kiln_inst(fn, v)->op == KILN_OP_LOOP)
      return true;
    for (uint32_t r = 0; kiln_op_is_node(kiln_inst(fn, v)->op) && r < kiln_node(fn, v)->region_count; r++)
      if (kiln_ll_has_loop(fn, kiln_node(fn, v)->region_first + r))
        return true;
  }
  return false;
}

uint64_t kiln_ll_iterations(const struct kiln_function *fn, kiln_value v) {
  uint64_t iterations = 1;
  for (unsigned depth = 0; v && depth < MAX_DEPTH; v = kiln_owner(fn, v))
    if (kiln_inst(fn, v)->op == KILN_OP_LOOP)
      iterations *= KILN_COST_ITERATIONS, depth++;
  return iterations;
}

bool kiln_ll_is_contiguous(const struct kiln_function *fn, const struct kiln_shape *shapes, kiln_value access) {
  struct kiln_shape shape = shapes[kiln_operands(fn, access)[0]];
  return shape.kind == KILN_SHAPE_LINEAR && shape.stride == (int64_t)kiln_type_bytes(kiln_access_type(fn, access));
}

kiln_value kiln_ll_first_effect(const struct kiln_function *fn, kiln_value v) {
  while (kiln_effect_of(fn, v) == KILN_EFFECT_PURE || kiln_effect_of(fn, v) == KILN_EFFECT_ITEM)
    v = fn->insts[v].next;
  return v;
}

kiln_value *kiln_ll_variables_of(struct kiln_ll *ll, const struct kiln_function *fn) {
  kiln_value *variable = KILN_NEW_ARRAY(&ll->arena, kiln_value, fn->inst_count);
  for (bool changed = true; changed;) { // ids need not be in order of definition
    changed = false;
    for (kiln_value v = 1; v < fn->inst_count; v++) {
      const struct kiln_inst *in = kiln_inst(fn, v);
      bool moves = in->region && (in->op == KILN_OP_PADD || in->op == KILN_OP_PCAST);
      kiln_value of = in->region && in->op == KILN_OP_VAR ? v : moves ? variable[kiln_operands(fn, v)[0]] : 0;
      changed |= of != variable[v];
      variable[v] = of;
    }
  }
  return variable;
}

bool kiln_ll_is_remainder(const struct kiln_function *fn, kiln_value v) {
  if (fn->insts[v].op != KILN_OP_LOOP || kiln_node(fn, v)->unroll != 1)
    return false;
  for (uint32_t i = 0; i < fn->insts[v].operand_count; i++) {
    const struct kiln_inst *first = &fn->insts[kiln_operands(fn, v)[i]];
    if (first->op == KILN_OP_PHI && fn->insts[first->imm].region == fn->insts[v].region)
      return true;
  }
  return false;
}

bool kiln_ll_is_fallback(const struct kiln_function *fn, kiln_value v) {
  for (kiln_value node = kiln_owner(fn, v); node; v = node, node = kiln_owner(fn, v))
    if (kiln_ll_is_remainder(fn, node) ||
        (kiln_ll_is_version(fn, node) && fn->insts[v].region != kiln_node(fn, node)->region_first))
      return true;
  return false;
}
