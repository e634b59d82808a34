// Nodes that lanes leave one by one, and loops in which lanes wait for one another before the next iteration.
#include "backends/llvm/plan/find.h"

bool kiln_ll_is_guarded_off(const struct kiln_ll_fn *f, uint32_t region) {
  for (kiln_value owner = f->fn->regions[region].owner; owner && f->cpu.decided;
       region = kiln_inst(f->fn, owner)->region, owner = f->fn->regions[region].owner) {
    unsigned decided = kiln_ll_decided(f, kiln_inst(f->fn, owner)->node);
    if (decided && region != kiln_node(f->fn, owner)->region_first + decided - 1)
      return true;
  }
  return false;
}

// Walks outwards from every jump. Inside a divergent node only some of the lanes that entered it may take the jump.
const bool *kiln_ll_find_losses(const struct kiln_ll_fn *f, bool *divergent) {
  const struct kiln_function *fn = f->fn;
  bool *loses = KILN_NEW_ARRAY(&f->ll->arena, bool, fn->node_count + 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (kiln_value v = 1; v < fn->inst_count; v++) {
      const struct kiln_inst *in = kiln_inst(fn, v);
      if (!in->region || (!kiln_op_leaves(in->op) && in->op != KILN_OP_YIELD) || kiln_ll_is_guarded_off(f, in->region))
        continue;
      kiln_value owner = kiln_owner(fn, v), target = kiln_jump_target(fn, v);
      bool parts = false; // lanes take different paths in a node that the jump leaves
      for (; owner && owner != target; owner = kiln_owner(fn, owner)) {
        uint32_t n = kiln_inst(fn, owner)->node;
        bool is_test = kiln_inst(fn, owner)->op == KILN_OP_IF;
        if (parts && !is_test && !divergent[n])
          divergent[n] = changed = true;
        parts |= divergent[n];
        if (parts && !loses[n])
          loses[n] = changed = true;
      }
      uint32_t n = owner ? kiln_inst(fn, owner)->node : 0;
      if (owner && parts && kiln_inst(fn, owner)->op != KILN_OP_IF && !divergent[n])
        divergent[n] = changed = true;
    }
  }
  return loses;
}

// If a loop has one continue, outside of inner loops, all remaining lanes enter the next iteration together. The header
// phis of lanes that have left are not read again, so they need no blending.
const bool *kiln_ll_find_merging_loops(const struct kiln_ll_fn *f) {
  const struct kiln_function *fn = f->fn;
  bool *seen = KILN_NEW_ARRAY(&f->ll->arena, bool, fn->node_count + 1);
  bool *merges = KILN_NEW_ARRAY(&f->ll->arena, bool, fn->node_count + 1);
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = kiln_inst(fn, v);
    if (!in->region || in->op != KILN_OP_CONTINUE)
      continue;
    kiln_value target = (kiln_value)in->imm, owner = kiln_owner(fn, v);
    uint32_t n = kiln_inst(fn, target)->node;
    merges[n] |= seen[n];
    seen[n] = true;
    for (; owner && owner != target; owner = kiln_owner(fn, owner))
      merges[n] |= kiln_inst(fn, owner)->op == KILN_OP_LOOP;
  }
  return merges;
}
