// What the passes share.
#include "jit/pass/common.h"

#include <stdio.h>
#include <stdlib.h>

bool kiln_pass_scratch(struct kiln_module *module, void *subject,
                       bool (*run)(void *subject, struct kiln_arena *arena)) {
  if (kiln_module_failed(module))
    return false;
  struct kiln_arena arena;
  jmp_buf jump;
  kiln_arena_init(&arena, &jump);
  bool changed;
  if (setjmp(jump)) {
    kiln_module_priv(module)->failed = true;
    changed = true;
  } else {
    changed = run(subject, &arena);
  }
  kiln_arena_free(&arena);
  return changed;
}

struct kiln_jumps kiln_jumps_find(const struct kiln_function *fn, struct kiln_arena *arena) {
  struct kiln_jumps jumps = {KILN_NEW_ARRAY(arena, kiln_value, fn->inst_count),
                             KILN_NEW_ARRAY(arena, kiln_value, fn->inst_count)};
  for (kiln_value id = fn->inst_count - 1; id > 0; id--) {
    if (!fn->insts[id].region || !kiln_op_is_jump(fn->insts[id].op))
      continue;
    kiln_value target = kiln_jump_target(fn, id);
    if (!target)
      continue;
    jumps.next[id] = jumps.first[target];
    jumps.first[target] = id;
  }
  return jumps;
}

kiln_value kiln_jumps_only_continue(const struct kiln_jumps *jumps, const struct kiln_function *fn, kiln_value loop) {
  kiln_value found = 0;
  for (kiln_value jump = jumps->first[loop]; jump; jump = jumps->next[jump])
    if (fn->insts[jump].op == KILN_OP_CONTINUE) {
      if (found)
        return 0;
      found = jump;
    }
  return found;
}

bool kiln_takes_pointer(const struct kiln_function *fn, enum kiln_space space) {
  for (uint32_t i = 0; i < fn->param_count; i++)
    if (fn->params[i].type == kiln_ptr_type(space))
      return true;
  return false;
}

bool kiln_uses_local_memory(const struct kiln_function *fn) {
  for (kiln_value id = 1; id < fn->inst_count; id++)
    if (fn->insts[id].op == KILN_OP_GLOBAL && fn->insts[id].type == kiln_ptr_type(KILN_LOCAL))
      return true;
  return kiln_takes_pointer(fn, KILN_LOCAL);
}

const struct kiln_value_list *kiln_phis_of(const struct kiln_function *fn, kiln_value inst) {
  unsigned op = fn->insts[inst].op;
  kiln_value node = op == KILN_OP_LOOP ? inst : kiln_jump_target(fn, inst);
  if (!node)
    return NULL;
  return op == KILN_OP_LOOP || op == KILN_OP_CONTINUE ? &kiln_node(fn, node)->header : &kiln_node(fn, node)->results;
}

uint32_t *kiln_count_uses(const struct kiln_function *fn, struct kiln_arena *arena) {
  uint32_t *uses = KILN_NEW_ARRAY(arena, uint32_t, fn->inst_count);
  for (kiln_value id = fn->regions[fn->body].first; id; id = kiln_walk_next(fn, id))
    for (uint32_t i = 0; i < fn->insts[id].operand_count; i++)
      uses[kiln_operands(fn, id)[i]]++;
  return uses;
}

void kiln_build_exit(struct kiln_builder *b, kiln_value condition, uint32_t side, kiln_value node,
                     const kiln_value *values, uint32_t count) {
  kiln_value test = kiln_build_if(b, condition);
  if (!test)
    return;
  uint32_t first = kiln_node(b->fn, test)->region_first;
  struct kiln_builder leaves = kiln_builder_at_end(b->fn, first + side);
  struct kiln_builder goes_on = kiln_builder_at_end(b->fn, first + !side);
  kiln_build_break(&leaves, node, values, count);
  kiln_build_yield(&goes_on, NULL, 0);
}

void kiln_remove_rest(struct kiln_function *fn, kiln_value inst) {
  uint32_t region = fn->insts[inst].region;
  while (fn->regions[region].last != inst)
    kiln_remove(fn, fn->regions[region].last);
}

struct kiln_replaced kiln_replaced_new(const struct kiln_function *fn, struct kiln_arena *arena) {
  return (struct kiln_replaced){KILN_NEW_ARRAY(arena, kiln_value, fn->inst_count), fn->inst_count};
}

kiln_value kiln_resolve(const struct kiln_replaced *replaced, kiln_value value) {
  while (value < replaced->count && replaced->by[value])
    value = replaced->by[value];
  return value;
}

void kiln_resolve_operands(struct kiln_function *fn, kiln_value inst, const struct kiln_replaced *replaced) {
  kiln_value *operands = fn->operands + fn->insts[inst].operand_first;
  kiln_function_priv(fn)->changes++;
  for (uint32_t i = 0; i < fn->insts[inst].operand_count; i++)
    operands[i] = kiln_resolve(replaced, operands[i]);
}

void kiln_resolve_all(struct kiln_function *fn, const struct kiln_replaced *replaced) {
  for (kiln_value id = fn->regions[fn->body].first; id; id = kiln_walk_next(fn, id))
    kiln_resolve_operands(fn, id, replaced);
}

void kiln_forget_shapes(struct kiln_function *fn) {
  fn->shapes = fn->assumed_shapes = NULL;
  fn->assumed_divergent = NULL;
  fn->shape_count = 0;
  kiln_affine_forget(fn); // forms look at shapes; after a change the pipeline forgets the rest
}

uint32_t kiln_loop_size(const struct kiln_function *fn) {
  uint32_t count = 0;
  for (kiln_value v = fn->regions[fn->body].first, end = 0; v; v = kiln_walk_next(fn, v)) {
    end = v == end ? 0 : end;
    if (!end && fn->insts[v].op == KILN_OP_LOOP)
      end = kiln_walk_past(fn, v);
    count += end != 0;
  }
  return count;
}

static bool stores_alone(const struct kiln_function *fn, kiln_value inst, uint32_t most) {
  if (fn->insts[inst].op != KILN_OP_IF || kiln_node(fn, inst)->results.count)
    return false;
  for (kiln_value v = kiln_walk_next(fn, inst), end = kiln_walk_past(fn, inst); v != end; v = kiln_walk_next(fn, v)) {
    enum kiln_op op = kiln_op_of(&fn->insts[v]);
    if (!most-- ||
        (op != KILN_OP_STORE && op != KILN_OP_YIELD && op != KILN_OP_IF && kiln_effect_of(fn, v) != KILN_EFFECT_PURE))
      return false;
  }
  return true;
}

bool kiln_store_alone(const struct kiln_function *fn, const kiln_value *insts, uint32_t count, uint32_t most) {
  bool all = true;
  for (uint32_t i = 0; all && i < count; i++)
    all = stores_alone(fn, insts[i], most);
  return all;
}

bool kiln_depends_on_no_groups(const struct kiln_function *fn) {
  if (kiln_uses_local_memory(fn))
    return false;
  for (kiln_value id = 1; id < fn->inst_count; id++) {
    const struct kiln_inst *inst = &fn->insts[id];
    if (!inst->region) // was removed: a call may name a function that is no longer there
      continue;
    if (kiln_op_uses_sub_groups(kiln_op_of(inst)) || inst->op == KILN_OP_LOCAL_ID || inst->op == KILN_OP_GROUP_ID ||
        inst->op == KILN_OP_LOCAL_SIZE || inst->op == KILN_OP_FULL_LOCAL_SIZE || inst->op == KILN_OP_NUM_GROUPS ||
        inst->op == KILN_OP_BARRIER || (inst->op == KILN_OP_CALL && !fn->module->functions[inst->imm]->is_flat))
      return false;
  }
  return true;
}

void kiln_keep_facts(struct kiln_function *fn) {
  kiln_affine_forget(fn); // forms look at shapes, and at small_ids
#ifdef KILN_DEBUG
  char fault[200];
  if (!kiln_facts_hold(fn, fault, sizeof fault)) {
    fprintf(stderr, "kiln_function_analyse_again: %s has changed: %s\n", fn->name, fault);
    abort();
  }
#endif
}
