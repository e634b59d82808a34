// How many registers the values of a function want at the same time.
#include "jit/pass/common.h"

struct liveness {
  const struct kiln_function *fn;
  uint32_t *position; // by value: of its definition
  uint32_t *last;     // by value: of its last use
  uint32_t count;     // positions so far
  int32_t most;       // registers that are live
};

// The registers that a value takes, in vectors of 32-bit elements.
static unsigned weight(const struct kiln_function *fn, kiln_value v) {
  kiln_type type = fn->insts[v].type;
  enum kiln_kind kind = kiln_type_kind(type);
  if (kind == KILN_VOID || kind == KILN_BOOL || v >= fn->shape_count || fn->shapes[v].kind != KILN_SHAPE_VARYING)
    return 0;
  return kiln_type_lanes(type) * (kiln_kind_bits(kind) == 64 ? 2 : 1);
}

static void use(struct liveness *l, kiln_value v, uint32_t at) {
  if (l->last[v] < at)
    l->last[v] = at;
}

static void define(struct liveness *l, const struct kiln_value_list *phis) {
  for (uint32_t i = 0; i < phis->count; i++)
    l->position[phis->items[i]] = l->count;
}

// Values from before a loop that are used inside it are live until its end.
static void walk(struct liveness *l, uint32_t region) {
  const struct kiln_function *fn = l->fn;
  for (kiln_value v = fn->regions[region].first; v; v = fn->insts[v].next) {
    const struct kiln_inst *in = &fn->insts[v];
    l->position[v] = ++l->count;
    for (uint32_t i = 0; i < in->operand_count; i++)
      use(l, kiln_operands(fn, v)[i], l->count);
    if (!kiln_op_is_node(in->op))
      continue;
    const struct kiln_node *node = &fn->nodes[in->node];
    uint32_t begin = l->count;
    define(l, &node->header);
    for (uint32_t r = 0; r < node->region_count; r++)
      walk(l, node->region_first + r);
    l->count++;
    if (in->op == KILN_OP_LOOP) {
      for (kiln_value x = 1; x < fn->inst_count; x++)
        if (l->position[x] && l->position[x] <= begin && l->last[x] > begin)
          l->last[x] = l->count;
      for (uint32_t i = 0; i < node->header.count; i++)
        use(l, node->header.items[i], l->count);
    }
    define(l, &node->results);
  }
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct liveness *l = subject;
  const struct kiln_function *fn = l->fn;
  l->position = KILN_NEW_ARRAY(arena, uint32_t, fn->inst_count);
  l->last = KILN_NEW_ARRAY(arena, uint32_t, fn->inst_count);
  walk(l, fn->body);
  int32_t *change = KILN_NEW_ARRAY(arena, int32_t, l->count + 2), live = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    if (!l->position[v] || l->last[v] <= l->position[v])
      continue;
    change[l->position[v]] += (int32_t)weight(fn, v);
    change[l->last[v]] -= (int32_t)weight(fn, v);
  }
  for (uint32_t i = 0; i <= l->count; i++) {
    live += change[i];
    l->most = live > l->most ? live : l->most;
  }
  return false;
}

uint32_t kiln_function_live(const struct kiln_function *fn) {
  struct liveness l = {.fn = fn};
  kiln_pass_scratch(fn->module, &l, run);
  return (uint32_t)l.most;
}
