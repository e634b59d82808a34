// Slot coalescing: values that share a slot in the item block. A value that a group loop carries between iterations is
// a phi, the operand that the iteration gives it, and the results of the loop. With one slot for all of them nothing is
// copied at the end of an iteration or of the loop; each copy would be a loop over work-items.
//
// Requires: values that live across item regions are known.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): barrier_swap, barrier_results.
#include "backends/llvm/plan/group.h"

struct coalescing {
  const struct kiln_function *fn;
  struct kiln_ll_group *g;
  uint32_t *position; // by value: of an instruction in its region
  uint32_t *last;     // by phi: the position in the loop's body of the last instruction that uses it
  kiln_value *latch;  // by node: the only jump that ends an iteration; 0: none, or several
  uint32_t *latch_count;
};

static const struct kiln_inst *inst_of(const struct coalescing *s, kiln_value v) { return &s->fn->insts[v]; }

static uint32_t body_of(const struct coalescing *s, kiln_value loop) {
  return s->fn->nodes[inst_of(s, loop)->node].region_first;
}

// The instruction of the region that is v or contains v; 0: none.
static kiln_value around(const struct coalescing *s, kiln_value v, uint32_t region) {
  while (v && inst_of(s, v)->region != region)
    v = kiln_owner(s->fn, v);
  return v;
}

static void number(struct coalescing *s) {
  for (uint32_t r = 1; r < s->fn->region_count; r++) {
    uint32_t position = 0;
    for (kiln_value v = s->fn->regions[r].first; v; v = inst_of(s, v)->next)
      s->position[v] = ++position;
  }
  for (kiln_value v = 1; v < s->fn->inst_count; v++)
    if (inst_of(s, v)->region && inst_of(s, v)->op == KILN_OP_CONTINUE) {
      uint32_t node = inst_of(s, (kiln_value)inst_of(s, v)->imm)->node;
      s->latch[node] = s->latch_count[node]++ ? 0 : v;
    }
}

// Whether the group's work-items run the loop together, and its iterations end at one jump, in the body itself.
static bool is_plain(const struct coalescing *s, kiln_value loop) {
  const struct kiln_inst *in = inst_of(s, loop);
  return in->op == KILN_OP_LOOP && in->region && s->g->is_group[in->node] && !s->g->breaks[in->node] &&
         !s->g->continues[in->node] && s->latch[in->node] && inst_of(s, s->latch[in->node])->region == body_of(s, loop);
}

static void find_last(struct coalescing *s) {
  for (kiln_value v = 1; v < s->fn->inst_count; v++) {
    const struct kiln_inst *in = inst_of(s, v);
    for (uint32_t i = 0; in->region && i < in->operand_count; i++) {
      kiln_value x = kiln_operands(s->fn, v)[i];
      if (inst_of(s, x)->op != KILN_OP_PHI || !s->g->slot_size[x] || !is_plain(s, (kiln_value)inst_of(s, x)->imm))
        continue;
      kiln_value user = around(s, v, body_of(s, (kiln_value)inst_of(s, x)->imm));
      if (user && s->position[user] > s->last[x])
        s->last[x] = s->position[user];
    }
  }
}

// Whether the value may overwrite the phi: all work-items compute it anew in each iteration, after the last use of the
// phi.
static bool may_replace(const struct coalescing *s, kiln_value phi, kiln_value value, uint32_t body) {
  const struct kiln_inst *in = inst_of(s, value);
  if (!s->g->slot_size[value] || s->g->uniform[value] || s->g->recomputed[value] || s->g->home[value] ||
      in->op == KILN_OP_VAR || in->type != inst_of(s, phi)->type)
    return false;
  kiln_value maker = in->op == KILN_OP_PHI ? (kiln_value)in->imm : value;
  if (inst_of(s, maker)->region != body || (maker != value && s->g->is_group[inst_of(s, maker)->node]))
    return false;
  return s->last[phi] <= s->position[maker];
}

static void share_in_loop(struct coalescing *s, kiln_value loop) {
  const struct kiln_node *node = &s->fn->nodes[inst_of(s, loop)->node];
  const kiln_value *latch = kiln_operands(s->fn, s->latch[inst_of(s, loop)->node]);
  for (uint32_t i = 0; i < node->header.count; i++) {
    kiln_value phi = node->header.items[i];
    if (!s->g->slot_size[phi])
      continue;
    if (may_replace(s, phi, latch[i], node->region_first))
      s->g->home[latch[i]] = phi;
    s->g->home[phi] = phi;
  }
}

// Finds results of the loop whose operands, at every jump out of it, have the slot of one of its phis.
static void find_results(struct coalescing *s, kiln_value *from) {
  const kiln_value none = UINT32_MAX;
  for (kiln_value v = 1; v < s->fn->inst_count; v++) {
    const struct kiln_inst *in = inst_of(s, v);
    if (!in->region || in->op != KILN_OP_BREAK || !is_plain(s, (kiln_value)in->imm))
      continue;
    const struct kiln_value_list *results = &kiln_node(s->fn, (kiln_value)in->imm)->results;
    for (uint32_t i = 0; i < results->count; i++) {
      kiln_value result = results->items[i], home = s->g->home[kiln_operands(s->fn, v)[i]];
      bool fits = home && inst_of(s, home)->imm == in->imm && inst_of(s, home)->type == inst_of(s, result)->type;
      from[result] = !fits || (from[result] && from[result] != home) ? none : home;
    }
  }
  for (kiln_value v = 1; v < s->fn->inst_count; v++) {
    if (!from[v] || from[v] == none || !s->g->slot_size[v] || s->last[from[v]] == none)
      continue;
    s->g->home[v] = from[v];
    s->last[from[v]] = none; // one result for each
  }
}

void kiln_ll_group_coalesce_slots(struct kiln_ll *ll, const struct kiln_function *fn, struct kiln_ll_group *g) {
  struct kiln_arena *arena = &ll->arena;
  uint32_t values = fn->inst_count, nodes = fn->node_count + 1;
  struct coalescing s = {fn,
                         g,
                         KILN_NEW_ARRAY(arena, uint32_t, values),
                         KILN_NEW_ARRAY(arena, uint32_t, values),
                         KILN_NEW_ARRAY(arena, kiln_value, nodes),
                         KILN_NEW_ARRAY(arena, uint32_t, nodes)};
  number(&s);
  find_last(&s);
  for (uint32_t n = 0; n < fn->node_count; n++)
    if (is_plain(&s, fn->nodes[n].inst))
      share_in_loop(&s, fn->nodes[n].inst);
  find_results(&s, KILN_NEW_ARRAY(arena, kiln_value, values));
}
