// Which work-items of a warp run an exchange together (docs/ir.md, "Groups"). They diverge at nodes whose selector
// varies, and come together where the node ends, where a loop has been left by all, and where each iteration begins.
// Hardware needs their mask, and does not tell it: which work-items it runs at the same time is its own affair. So the
// mask is computed from the structure of the program: by a vote of those that come to a node, on the side that each
// takes. Where a jump leaves several nodes, those that take it first come to the end of each of these nodes, vote there
// and then go on; the others learn by the vote who is left.
//
// Nothing of this is needed where all take the same way: what does not vary is found here.
#include "backends/llvm/gpu/nvptx.h"

static struct kiln_ll_nvptx_node *node_of(const struct kiln_ll_fn *f, kiln_value node) {
  return &f->masks->nodes[kiln_inst(f->fn, node)->node];
}

static bool is_exchange(const struct kiln_inst *in) {
  return in->op == KILN_OP_SUB_GROUP_BARRIER || (kiln_op_family((enum kiln_op)in->op) == KILN_FAMILY_GROUP &&
                                                 kiln_op_table[in->op].effect == KILN_EFFECT_CROSS);
}

static bool chooses(const struct kiln_inst *in) { return in->op == KILN_OP_IF || in->op == KILN_OP_SWITCH; }

// ---- what varies

// Whether the way from a jump to the end of outer, or to the start of its next iteration, is the same for all.
static bool is_together(const struct kiln_ll_fn *f, kiln_value jump, kiln_value outer) {
  const struct kiln_function *fn = f->fn;
  for (kiln_value n = kiln_owner(fn, jump); n; n = kiln_owner(fn, n)) {
    const struct kiln_inst *in = kiln_inst(fn, n);
    bool own = n == outer;
    if (chooses(in) && f->masks->varying[kiln_operands(fn, n)[0]])
      return false;
    if (in->op == KILN_OP_LOOP && !own && node_of(f, n)->diverges)
      return false;
    if (own)
      break;
  }
  return true;
}

static bool operand_varies(const struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  for (uint32_t i = 0; i < in->operand_count; i++)
    if (f->masks->varying[kiln_operands(f->fn, v)[i]])
      return true;
  return false;
}

static bool item_varies(enum kiln_op op) {
  return op == KILN_OP_GLOBAL_ID || op == KILN_OP_LOCAL_ID || op == KILN_OP_SUB_GROUP_LOCAL_ID || op == KILN_OP_VAR;
}

static bool varies(const struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  enum kiln_op op = kiln_op_of(in);
  switch (kiln_op_table[op].effect) {
  case KILN_EFFECT_FREE:
    return false;
  case KILN_EFFECT_PURE:
    return operand_varies(f, v);
  case KILN_EFFECT_ITEM:
    return item_varies(op);
  case KILN_EFFECT_CROSS: // the same for all who take part
    return op == KILN_OP_SUB_GROUP_SHUFFLE || op == KILN_OP_GROUP_SCAN_INCLUSIVE ||
           op == KILN_OP_GROUP_SCAN_EXCLUSIVE || (op == KILN_OP_GROUP_REDUCE && kiln_collective_cluster(in->imm));
  case KILN_EFFECT_READ:
    return op != KILN_OP_LOAD || kiln_type_space(kiln_value_type(f->fn, kiln_operands(f->fn, v)[0])) != KILN_CONSTANT ||
           operand_varies(f, v);
  case KILN_EFFECT_WRITE:
  case KILN_EFFECT_SYNC:
  case KILN_EFFECT_FLOW:
    break;
  }
  return true;
}

// A jump gives values to phis, which vary if they do, or if another jump gives others at the same time.
static bool spread_jump(struct kiln_ll_fn *f, kiln_value jump) {
  const struct kiln_function *fn = f->fn;
  const struct kiln_value_list *phis = kiln_ll_target_phis(fn, jump);
  kiln_value target = kiln_jump_target(fn, jump);
  bool alone = kiln_inst(fn, jump)->op == KILN_OP_CONTINUE &&
               !kiln_ll_next_jump(fn, kiln_ll_next_jump(fn, 0, KILN_OP_CONTINUE, target), KILN_OP_CONTINUE, target);
  bool together = alone || is_together(f, jump, target), changed = false;
  for (uint32_t i = 0; i < phis->count; i++) {
    bool now = !together || f->masks->varying[kiln_operands(fn, jump)[i]];
    changed |= now && !f->masks->varying[phis->items[i]];
    f->masks->varying[phis->items[i]] |= now;
  }
  return changed;
}

// A loop diverges if some leave it while others stay.
static bool spread_leaving(struct kiln_ll_fn *f, kiln_value jump) {
  bool changed = false;
  kiln_value target = kiln_jump_target(f->fn, jump);
  for (kiln_value n = kiln_owner(f->fn, jump); n; n = kiln_owner(f->fn, n)) {
    bool leaves = n != target || kiln_inst(f->fn, jump)->op == KILN_OP_BREAK;
    if (kiln_inst(f->fn, n)->op == KILN_OP_LOOP && leaves && !node_of(f, n)->diverges && !is_together(f, jump, n))
      changed = node_of(f, n)->diverges = true;
    if (n == target)
      break;
  }
  return changed;
}

// The results of a loop that diverges differ, since each comes from its own iteration.
static bool spread_results(struct kiln_ll_fn *f, kiln_value loop) {
  const struct kiln_value_list *results = &kiln_node(f->fn, loop)->results;
  bool changed = false;
  for (uint32_t i = 0; i < results->count && node_of(f, loop)->diverges; i++) {
    changed |= !f->masks->varying[results->items[i]];
    f->masks->varying[results->items[i]] = true;
  }
  return changed;
}

static bool spread_loop(struct kiln_ll_fn *f, kiln_value loop) {
  const struct kiln_value_list *header = &kiln_node(f->fn, loop)->header;
  bool changed = spread_results(f, loop);
  for (uint32_t i = 0; i < header->count; i++)
    if (f->masks->varying[kiln_operands(f->fn, loop)[i]] && !f->masks->varying[header->items[i]])
      changed = f->masks->varying[header->items[i]] = true;
  return changed;
}

static void find_varying(struct kiln_ll_fn *f) {
  const struct kiln_function *fn = f->fn;
  for (bool changed = true; changed;) {
    changed = false;
    for (kiln_value v = 1; v < fn->inst_count; v++) {
      const struct kiln_inst *in = kiln_inst(fn, v);
      if (!in->region)
        continue;
      if (in->op == KILN_OP_LOOP) {
        changed |= spread_loop(f, v);
      } else if (kiln_op_leaves((enum kiln_op)in->op)) {
        changed |= spread_leaving(f, v);
        changed |= spread_jump(f, v);
      } else if (in->op == KILN_OP_YIELD) {
        changed |= spread_jump(f, v);
      } else if (!f->masks->varying[v] && kiln_op_table[in->op].effect != KILN_EFFECT_FLOW && varies(f, v)) {
        changed = f->masks->varying[v] = true;
      }
    }
  }
}

// ---- where exchanges are

static void find_exchanges(struct kiln_ll_fn *f) {
  const struct kiln_function *fn = f->fn;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = kiln_inst(fn, v);
    kiln_value target = in->region && kiln_op_leaves((enum kiln_op)in->op) ? kiln_jump_target(fn, v) : 0;
    if (!target && !(in->region && is_exchange(in)))
      continue;
    for (kiln_value n = kiln_owner(fn, v); n && n != target; n = kiln_owner(fn, n)) {
      node_of(f, n)->crosses |= !target;
      node_of(f, n)->parts |= target && !is_together(f, v, n);
    }
  }
}

// Marks the nodes of a region, and of those inside, after which an exchange comes. at_end: one comes after the region.
static void find_after(struct kiln_ll_fn *f, uint32_t region, bool at_end) {
  const struct kiln_function *fn = f->fn;
  kiln_value last = 0; // the last exchange of the region, or node with one
  for (kiln_value v = fn->regions[region].first; v; v = kiln_inst(fn, v)->next)
    if (is_exchange(kiln_inst(fn, v)) || (kiln_op_is_node(kiln_inst(fn, v)->op) && node_of(f, v)->crosses))
      last = v;
  bool passed = !last;
  for (kiln_value v = fn->regions[region].first; v; v = kiln_inst(fn, v)->next) {
    passed |= v == last;
    if (!kiln_op_is_node(kiln_inst(fn, v)->op))
      continue;
    struct kiln_ll_nvptx_node *node = node_of(f, v);
    node->after = at_end || !passed;
    // All meet where a block or loop ends, and vote there if they must. A side's mask may be that after the node.
    bool inside = chooses(kiln_inst(fn, v)) ? node->after : kiln_inst(fn, v)->op == KILN_OP_LOOP && node->crosses;
    for (uint32_t r = 0; r < kiln_node(fn, v)->region_count; r++)
      find_after(f, kiln_node(fn, v)->region_first + r, inside);
  }
}

// ---- how nodes are emitted

static bool is_left_by(const struct kiln_function *fn, kiln_value node, enum kiln_op op) {
  return kiln_ll_next_jump(fn, 0, op, node) != 0;
}

static enum kiln_ll_meeting meeting_of(struct kiln_ll_fn *f, kiln_value node) {
  const struct kiln_function *fn = f->fn;
  const struct kiln_inst *in = kiln_inst(fn, node);
  const struct kiln_ll_nvptx_node *own = node_of(f, node);
  if (!own->parts || !own->after)
    return KILN_LL_MEET_ALL;
  if (!chooses(in) || is_left_by(fn, node, KILN_OP_BREAK))
    return KILN_LL_MEET_VOTE;
  uint32_t sides = 0;
  for (uint32_t r = 0; r < kiln_node(fn, node)->region_count; r++)
    sides += kiln_inst(fn, fn->regions[kiln_node(fn, node)->region_first + r].last)->op == KILN_OP_YIELD;
  return sides <= 1 || !f->masks->varying[kiln_operands(fn, node)[0]] ? KILN_LL_MEET_SIDES : KILN_LL_MEET_VOTE;
}

// Whether those who jump to the next iteration do not know each other's mask.
static bool is_lost(struct kiln_ll_fn *f, kiln_value jump, kiln_value loop, bool alone) {
  for (kiln_value n = kiln_owner(f->fn, jump); n != loop; n = kiln_owner(f->fn, n))
    if (node_of(f, n)->meeting == KILN_LL_MEET_VOTE ||
        (kiln_inst(f->fn, n)->op == KILN_OP_LOOP && node_of(f, n)->diverges))
      return true;
  return !alone && !is_together(f, jump, loop);
}

static bool must_vote(struct kiln_ll_fn *f, kiln_value loop) {
  const struct kiln_function *fn = f->fn;
  if (!node_of(f, loop)->crosses)
    return false;
  kiln_value first = kiln_ll_next_jump(fn, 0, KILN_OP_CONTINUE, loop);
  bool alone = first && !kiln_ll_next_jump(fn, first, KILN_OP_CONTINUE, loop);
  for (kiln_value jump = first; jump; jump = kiln_ll_next_jump(fn, jump, KILN_OP_CONTINUE, loop))
    if (is_lost(f, jump, loop, alone))
      return true;
  return false;
}

static void plan_region(struct kiln_ll_fn *f, uint32_t region) {
  const struct kiln_function *fn = f->fn;
  for (kiln_value v = fn->regions[region].first; v; v = kiln_inst(fn, v)->next) {
    if (!kiln_op_is_node(kiln_inst(fn, v)->op))
      continue;
    const struct kiln_node *node = kiln_node(fn, v);
    for (uint32_t r = 0; r < node->region_count; r++)
      plan_region(f, node->region_first + r);
    struct kiln_ll_nvptx_node *own = node_of(f, v);
    own->meeting = meeting_of(f, v);
    own->votes = kiln_inst(fn, v)->op == KILN_OP_LOOP && must_vote(f, v);
    own->sides = KILN_NEW_ARRAY(&f->ll->arena, LLVMValueRef, node->region_count);
  }
}

void kiln_ll_nvptx_plan_masks(struct kiln_ll_fn *f) {
  struct kiln_arena *arena = &f->ll->arena;
  bool any = false;
  for (kiln_value v = 1; v < f->fn->inst_count; v++)
    any |= f->fn->insts[v].region && is_exchange(&f->fn->insts[v]);
  if (!any)
    return;
  f->masks = KILN_NEW(arena, struct kiln_ll_nvptx_masks);
  f->masks->nodes = KILN_NEW_ARRAY(arena, struct kiln_ll_nvptx_node, f->fn->node_count + 1);
  f->masks->varying = KILN_NEW_ARRAY(arena, bool, f->fn->inst_count);
  f->masks->slots = KILN_NEW_ARRAY(arena, LLVMValueRef, f->fn->inst_count);
  find_varying(f);
  find_exchanges(f);
  find_after(f, f->fn->body, false);
  plan_region(f, f->fn->body);
  f->walker = &kiln_ll_nvptx_walker;
}
