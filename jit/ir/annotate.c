// Fills in properties of nodes and functions that backends read. Called functions must have
// been annotated before.
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
         owner = fn->regions[fn->insts[owner].region].owner)
      kiln_node(fn, owner)->has_barrier = true;
  }
}
