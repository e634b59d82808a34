// Values that share a place in the item block. What a loop of the group keeps from round to round is a phi, the value
// that the round gives to it, and the results that the loop hands out: with one place for all of them nothing has to be
// copied at the end of a round or of the loop, each of which would be a loop over work-items of its own.
//
// Requires: values that live across segments are known.
#include "backends/llvm/group.h"

struct share {
  const struct kiln_function *fn;
  struct kiln_ll_group *g;
  uint32_t *position; // by value: of an instruction in its region
  uint32_t *last;     // by value: of phis, the position in the loop's body of the last instruction that takes it
  kiln_value *again;  // by node: the one jump that ends a round; 0: none, or several
  uint32_t *again_count;
};

static const struct kiln_inst *inst_of(const struct share *s, kiln_value v) { return &s->fn->insts[v]; }

static uint32_t body_of(const struct share *s, kiln_value loop) {
  return s->fn->nodes[inst_of(s, loop)->node].region_first;
}

// The instruction of the region that is v or has v inside; 0: none.
static kiln_value around(const struct share *s, kiln_value v, uint32_t region) {
  while (v && inst_of(s, v)->region != region)
    v = s->fn->regions[inst_of(s, v)->region].owner;
  return v;
}

static void number(struct share *s) {
  for (uint32_t r = 1; r < s->fn->region_count; r++) {
    uint32_t position = 0;
    for (kiln_value v = s->fn->regions[r].first; v; v = inst_of(s, v)->next)
      s->position[v] = ++position;
  }
  for (kiln_value v = 1; v < s->fn->inst_count; v++)
    if (inst_of(s, v)->region && inst_of(s, v)->op == KILN_OP_CONTINUE) {
      uint32_t node = inst_of(s, (kiln_value)inst_of(s, v)->imm)->node;
      s->again[node] = s->again_count[node]++ ? 0 : v;
    }
}

// A loop of the group that all its work-items run together, with one end of its rounds, in the body itself.
static bool is_plain(const struct share *s, kiln_value loop) {
  const struct kiln_inst *in = inst_of(s, loop);
  return in->op == KILN_OP_LOOP && in->region && s->g->is_group[in->node] && !s->g->breaks[in->node] &&
         !s->g->continues[in->node] && s->again[in->node] && inst_of(s, s->again[in->node])->region == body_of(s, loop);
}

static void find_last(struct share *s) {
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

// Whether the value may be written where the phi is: it is made anew in each round, by all work-items, when nobody
// wants the phi any more.
static bool may_replace(const struct share *s, kiln_value phi, kiln_value value, uint32_t body) {
  const struct kiln_inst *in = inst_of(s, value);
  if (!s->g->slot_size[value] || s->g->uniform[value] || s->g->recomputed[value] || s->g->home[value] ||
      in->op == KILN_OP_VAR || in->type != inst_of(s, phi)->type)
    return false;
  kiln_value maker = in->op == KILN_OP_PHI ? (kiln_value)in->imm : value;
  if (inst_of(s, maker)->region != body || (maker != value && s->g->is_group[inst_of(s, maker)->node]))
    return false;
  return s->last[phi] <= s->position[maker];
}

static void share_in_loop(struct share *s, kiln_value loop) {
  const struct kiln_node *node = &s->fn->nodes[inst_of(s, loop)->node];
  const kiln_value *again = kiln_operands(s->fn, s->again[inst_of(s, loop)->node]);
  for (uint32_t i = 0; i < node->header.count; i++) {
    kiln_value phi = node->header.items[i];
    if (!s->g->slot_size[phi])
      continue;
    if (may_replace(s, phi, again[i], node->region_first))
      s->g->home[again[i]] = phi;
    s->g->home[phi] = phi;
  }
}

// Results for which every jump out of the loop has the place of one of its phis.
static void find_results(struct share *s, kiln_value *from) {
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

void kiln_ll_group_share(struct kiln_ll *ll, const struct kiln_function *fn, struct kiln_ll_group *g) {
  struct kiln_arena *arena = &ll->arena;
  uint32_t values = fn->inst_count, nodes = fn->node_count + 1;
  struct share s = {fn,
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
