// Properties of nodes and functions that backends read. Called functions must have been annotated before.
#include "jit/ir/internal.h"

static bool is_barrier(const struct kiln_function *fn, const struct kiln_inst *inst) {
  if (inst->op == KILN_OP_CALL)
    return fn->module->functions[inst->imm]->has_barrier;
  return kiln_inst_is_barrier(inst);
}

static bool uses_sub_groups(const struct kiln_function *fn, const struct kiln_inst *inst) {
  if (inst->op == KILN_OP_CALL)
    return fn->module->functions[inst->imm]->has_sub_groups;
  return kiln_op_uses_sub_groups(kiln_op_of(inst)) && !kiln_inst_is_barrier(inst);
}

void kiln_function_annotate(struct kiln_function *fn) {
  fn->has_barrier = fn->has_sub_groups = false;
  for (uint32_t i = 0; i < fn->node_count; i++)
    fn->nodes[i].has_barrier = false;
  for (kiln_value id = 1; id < fn->inst_count; id++) {
    const struct kiln_inst *inst = &fn->insts[id];
    fn->has_sub_groups |= inst->region && uses_sub_groups(fn, inst);
    if (!inst->region || !is_barrier(fn, inst))
      continue;
    fn->has_barrier = true;
    // Up to the first node that is marked already: every node is marked once.
    for (kiln_value owner = fn->regions[inst->region].owner; owner && !kiln_node(fn, owner)->has_barrier;
         owner = kiln_owner(fn, owner))
      kiln_node(fn, owner)->has_barrier = true;
  }
}

bool kiln_function_private_local(const struct kiln_function *fn, uint64_t *bytes) {
  bool possible = true;
  *bytes = 0;
  for (uint32_t i = 0; i < fn->param_count; i++)
    possible &= fn->params[i].type != kiln_ptr_type(KILN_LOCAL);
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *inst = &fn->insts[v];
    if (inst->op == KILN_OP_GLOBAL && inst->type == kiln_ptr_type(KILN_LOCAL))
      *bytes += fn->module->globals[inst->imm].size;
    if (inst->region && kiln_op_is_atomic(kiln_op_of(inst)))
      possible &= kiln_value_type(fn, kiln_operands(fn, v)[0]) != kiln_ptr_type(KILN_LOCAL);
    possible &= !inst->region || inst->op != KILN_OP_PSPACE;
  }
  return possible;
}
