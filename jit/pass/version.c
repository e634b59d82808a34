#include "jit/pass/version.h"

struct build {
  struct kiln_function *fn;
  const struct kiln_version *version;
  uint32_t count;     // values of the function before
  bool *is_inside;    // by value: of the sequence, at any depth
  kiln_value *result; // by value of the sequence: the result of the IF that takes its place after it; 0: not used there
  struct kiln_copy copy;
};

static void mark(struct build *b) {
  struct kiln_function *fn = b->fn;
  for (kiln_value v = b->version->first; v != b->version->end; v = kiln_walk_next(fn, v)) {
    b->is_inside[v] = true;
    const struct kiln_node *node = kiln_op_is_node(fn->insts[v].op) ? kiln_node(fn, v) : NULL;
    for (uint32_t i = 0; node && i < node->header.count; i++)
      b->is_inside[node->header.items[i]] = true;
    for (uint32_t i = 0; node && i < node->results.count; i++)
      b->is_inside[node->results.items[i]] = true;
  }
}

// Copies what is computed before the instruction, in its region and those around it, from values that have an entry.
static void copy_before(struct build *b, kiln_value end, struct kiln_builder *to) {
  struct kiln_function *fn = b->fn;
  kiln_value owner = kiln_owner(fn, end), next;
  if (owner)
    copy_before(b, owner, to);
  for (kiln_value v = fn->regions[fn->insts[end].region].first; v != end; v = next) {
    next = fn->insts[v].next;
    bool differs = false;
    for (uint32_t i = 0; i < fn->insts[v].operand_count; i++)
      differs |= b->copy.map[kiln_operands(fn, v)[i]] != 0;
    if (differs && v < b->count && kiln_op_table[fn->insts[v].op].effect == KILN_EFFECT_PURE)
      kiln_copy_inst(&b->copy, v, to);
  }
}

// Gives the IF a result for each value of the sequence that is used elsewhere, and its users the result.
static void add_results(struct build *b, kiln_value node) {
  struct kiln_function *fn = b->fn;
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_walk_next(fn, v)) {
    bool is_user = v < b->count && !b->is_inside[v];
    for (uint32_t i = 0; is_user && i < fn->insts[v].operand_count; i++) {
      kiln_value x = kiln_operands(fn, v)[i];
      if (x < b->count && b->is_inside[x] && !b->result[x])
        b->result[x] = kiln_node_add_result(fn, node, fn->insts[x].type);
    }
  }
  const struct kiln_replaced replaced = {b->result, b->count};
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_walk_next(fn, v))
    if (v < b->count && !b->is_inside[v])
      kiln_resolve_operands(fn, v, &replaced);
}

static void yield(struct build *b, kiln_value node, unsigned side, bool copied) {
  struct kiln_function *fn = b->fn;
  struct kiln_value_list results = kiln_node(fn, node)->results;
  kiln_value *values = KILN_NEW_ARRAY(b->copy.arena, kiln_value, results.count + 1);
  for (kiln_value v = 1; v < b->count; v++)
    for (uint32_t i = 0; b->result[v] && i < results.count; i++)
      if (results.items[i] == b->result[v])
        values[i] = copied ? b->copy.map[v] : v;
  struct kiln_builder at = kiln_builder_at_end(fn, kiln_node(fn, node)->region_first + side);
  kiln_build_yield(&at, values, results.count);
}

kiln_value kiln_version_build(struct kiln_function *fn, struct kiln_arena *arena, const struct kiln_version *version) {
  uint32_t count = fn->inst_count;
  kiln_value *map = KILN_NEW_ARRAY(arena, kiln_value, count), next;
  struct build b = {fn,
                    version,
                    count,
                    KILN_NEW_ARRAY(arena, bool, count),
                    KILN_NEW_ARRAY(arena, kiln_value, count),
                    kiln_copy_within(fn, arena, map, count)};
  struct kiln_builder before = kiln_builder_before(fn, version->first);
  kiln_value node = kiln_build_if(&before, version->condition);
  if (!node)
    return 0;
  fn->insts[node].flags = KILN_IF_LIKELY;
  mark(&b);
  for (uint32_t i = 0; i < version->count; i++)
    map[version->values[i]] = version->constants[i];
  struct kiln_builder to = kiln_builder_at_end(fn, kiln_node(fn, node)->region_first);
  copy_before(&b, node, &to);
  for (kiln_value v = version->first; v != version->end && !kiln_module_failed(fn->module); v = fn->insts[v].next)
    kiln_copy_inst(&b.copy, v, &to);
  for (kiln_value v = version->first; v != version->end; v = next) {
    next = fn->insts[v].next;
    kiln_move(fn, v, kiln_node(fn, node)->region_first + 1, 0);
  }
  add_results(&b, node);
  yield(&b, node, 0, true);
  yield(&b, node, 1, false);
  return kiln_module_failed(fn->module) ? 0 : node;
}
