// Dead code elimination.
//
// Removes unreachable code (after a node that never reaches its end), then marks what is live, from effects backwards,
// and removes the rest: unused values, loads that are not volatile, stores to variables that are never read, unused
// phis, nodes without effect. A loop without an exit of its own stays, since it never ends.
// Requires a verified function. Linear.
#include "jit/pass/common.h"

#include <string.h>

struct dce {
  struct kiln_function *fn;
  struct kiln_jumps jumps;
  uint8_t *live;         // by value
  kiln_value *root;      // by value: the VAR that an address is in; 0: unknown
  kiln_value *var_store; // by VAR: first store to it; by store: the next one
  kiln_value *work;
  uint32_t work_count;
  bool changed;
};

// ---- unreachable code -----------------------------------------------------------------------------------------------

// Per node: whether some jump that can run ends it. Filled in while the walk leaves regions.
static bool trim_region(struct dce *d, uint32_t region, uint8_t *left);

static bool trim_node(struct dce *d, kiln_value id, uint8_t *left) {
  const struct kiln_node *node = kiln_node(d->fn, id);
  uint32_t first = node->region_first, count = node->region_count;
  for (uint32_t r = first; r < first + count; r++)
    trim_region(d, r, left);
  return left[id];
}

static bool trim_region(struct dce *d, uint32_t region, uint8_t *left) {
  struct kiln_function *fn = d->fn;
  for (kiln_value id = fn->regions[region].first; id; id = fn->insts[id].next) {
    if (kiln_op_is_node(fn->insts[id].op) && !trim_node(d, id, left)) {
      if (fn->insts[id].next == fn->regions[region].last &&
          fn->insts[fn->regions[region].last].op == KILN_OP_UNREACHABLE)
        return false;
      kiln_remove_rest(fn, id);
      struct kiln_builder b = kiln_builder_at_end(fn, region);
      kiln_build(&b, KILN_OP_UNREACHABLE, KILN_VOID, NULL, 0, 0, 0, 0);
      d->changed = true;
      return false;
    }
    if (kiln_op_is_jump(fn->insts[id].op) && fn->insts[id].op != KILN_OP_CONTINUE)
      left[kiln_jump_target(fn, id)] = 1;
  }
  return true;
}

// ---- marking --------------------------------------------------------------------------------------------------------

static void mark(struct dce *d, kiln_value id) {
  if (!id || d->live[id])
    return;
  d->live[id] = 1;
  d->work[d->work_count++] = id;
}

static void mark_operand(struct dce *d, kiln_value inst, uint32_t index) {
  if (index < d->fn->insts[inst].operand_count)
    mark(d, kiln_operands(d->fn, inst)[index]);
}

// The values that flow into a phi. position: its index in the list, remembered in imm2 of the phi during the pass.
static void mark_phi(struct dce *d, kiln_value phi) {
  struct kiln_function *fn = d->fn;
  kiln_value node = (kiln_value)fn->insts[phi].imm;
  uint32_t index = fn->insts[phi].imm2 >> 1;
  bool header = fn->insts[phi].imm2 & 1;
  mark(d, node);
  if (header)
    mark_operand(d, node, index);
  for (kiln_value jump = d->jumps.first[node]; jump; jump = d->jumps.next[jump])
    if (fn->insts[jump].region && (fn->insts[jump].op == KILN_OP_CONTINUE) == header) {
      mark_operand(d, jump, index);
      mark(d, jump);
    }
}

static void mark_dependencies(struct dce *d, kiln_value id) {
  struct kiln_function *fn = d->fn;
  const struct kiln_inst *inst = &fn->insts[id];
  if (inst->region)
    mark(d, kiln_owner(fn, id));
  if (inst->op == KILN_OP_PHI) {
    mark_phi(d, id);
    return;
  }
  if (kiln_op_is_node(inst->op)) {
    if (inst->op != KILN_OP_LOOP)
      mark_operand(d, id, 0);
    for (kiln_value jump = d->jumps.first[id]; jump; jump = d->jumps.next[jump])
      if (fn->insts[jump].region)
        mark(d, jump);
    return;
  }
  if (kiln_op_is_jump(inst->op) && inst->op != KILN_OP_RETURN) {
    mark(d, kiln_jump_target(fn, id));
    return; // values only where their phi is live
  }
  for (uint32_t i = 0; i < inst->operand_count; i++)
    mark_operand(d, id, i);
  if (inst->op == KILN_OP_VAR)
    for (kiln_value store = d->var_store[id]; store; store = d->var_store[store])
      mark(d, store);
}

static bool has_effect(struct dce *d, kiln_value id) {
  const struct kiln_inst *inst = &d->fn->insts[id];
  switch (kiln_op_table[inst->op].effect) {
  case KILN_EFFECT_PURE:
  case KILN_EFFECT_ITEM:
  case KILN_EFFECT_FREE:
  case KILN_EFFECT_CROSS:
    return false;
  case KILN_EFFECT_READ:
    return inst->flags & KILN_MEM_VOLATILE;
  case KILN_EFFECT_WRITE:
    if ((inst->op != KILN_OP_STORE && inst->op != KILN_OP_COPY) || inst->flags & KILN_MEM_VOLATILE)
      return true;
    return d->root[kiln_operands(d->fn, id)[0]] == 0;
  case KILN_EFFECT_SYNC:
    return true;
  case KILN_EFFECT_FLOW:
    break;
  }
  if (inst->op == KILN_OP_RETURN)
    return true;
  if (inst->op != KILN_OP_LOOP)
    return false;
  for (kiln_value jump = d->jumps.first[id]; jump; jump = d->jumps.next[jump])
    if (d->fn->insts[jump].region && d->fn->insts[jump].op == KILN_OP_BREAK)
      return false;
  return true;
}

// Which variable an address is in, in program order (operands come first).
static void find_roots(struct dce *d) {
  struct kiln_function *fn = d->fn;
  for (kiln_value id = fn->regions[fn->body].first; id; id = kiln_walk_next(fn, id)) {
    const struct kiln_inst *inst = &fn->insts[id];
    if (inst->op == KILN_OP_VAR) {
      d->root[id] = id;
    } else if (inst->op == KILN_OP_PADD) {
      d->root[id] = d->root[kiln_operands(fn, id)[0]];
    } else if ((inst->op == KILN_OP_STORE || inst->op == KILN_OP_COPY) && d->root[kiln_operands(fn, id)[0]]) {
      kiln_value var = d->root[kiln_operands(fn, id)[0]];
      d->var_store[id] = d->var_store[var];
      d->var_store[var] = id;
    }
    if (has_effect(d, id))
      mark(d, id);
  }
}

static void number_phis(struct kiln_function *fn, bool on) {
  for (uint32_t n = 1; n < fn->node_count; n++) {
    const struct kiln_node *node = &fn->nodes[n];
    for (uint32_t i = 0; i < node->header.count; i++)
      fn->insts[node->header.items[i]].imm2 = on ? i << 1 | 1 : 0;
    for (uint32_t i = 0; i < node->results.count; i++)
      fn->insts[node->results.items[i]].imm2 = on ? i << 1 : 0;
  }
}

// ---- sweeping -------------------------------------------------------------------------------------------------------

// Keeps the operands whose phi is live. To be called before the list of phis itself shrinks.
static void shrink_operands(struct dce *d, kiln_value id, const struct kiln_value_list *phis) {
  struct kiln_inst *inst = &d->fn->insts[id];
  kiln_value *operands = d->fn->operands + inst->operand_first;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < phis->count && i < inst->operand_count; i++)
    if (d->live[phis->items[i]])
      operands[kept++] = operands[i];
  inst->operand_count = kept;
}

static void shrink_phis(struct dce *d, struct kiln_value_list *phis) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < phis->count; i++)
    if (d->live[phis->items[i]])
      phis->items[kept++] = phis->items[i];
  d->changed |= kept != phis->count;
  phis->count = kept;
}

static void sweep_node(struct dce *d, kiln_value id) {
  struct kiln_function *fn = d->fn;
  struct kiln_node *node = kiln_node(fn, id);
  for (kiln_value jump = d->jumps.first[id]; jump; jump = d->jumps.next[jump])
    if (fn->insts[jump].region)
      shrink_operands(d, jump, kiln_phis_of(fn, jump));
  if (fn->insts[id].op == KILN_OP_LOOP)
    shrink_operands(d, id, &node->header);
  shrink_phis(d, &node->header);
  shrink_phis(d, &node->results);
}

static void sweep_region(struct dce *d, uint32_t region) {
  struct kiln_function *fn = d->fn;
  for (kiln_value id = fn->regions[region].first, next; id; id = next) {
    next = fn->insts[id].next;
    if (kiln_op_is_jump(fn->insts[id].op))
      continue;
    if (!d->live[id]) {
      kiln_remove(fn, id);
      d->changed = true;
      continue;
    }
    if (!kiln_op_is_node(fn->insts[id].op))
      continue;
    sweep_node(d, id);
    const struct kiln_node *node = kiln_node(fn, id);
    uint32_t first = node->region_first, count = node->region_count;
    for (uint32_t r = first; r < first + count; r++)
      sweep_region(d, r);
  }
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_function *fn = subject;
  struct dce d = {.fn = fn};
  trim_region(&d, fn->body, KILN_NEW_ARRAY(arena, uint8_t, fn->inst_count));
  d.jumps = kiln_jumps_find(fn, arena);
  d.live = KILN_NEW_ARRAY(arena, uint8_t, fn->inst_count);
  d.root = KILN_NEW_ARRAY(arena, kiln_value, fn->inst_count);
  d.var_store = KILN_NEW_ARRAY(arena, kiln_value, fn->inst_count);
  d.work = KILN_NEW_ARRAY(arena, kiln_value, fn->inst_count);
  number_phis(fn, true);
  find_roots(&d);
  while (d.work_count)
    mark_dependencies(&d, d.work[--d.work_count]);
  sweep_region(&d, fn->body);
  number_phis(fn, false);
  return d.changed;
}

bool kiln_pass_dce(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }
