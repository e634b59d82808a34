#include "jit/pass/version.h"

struct build {
  struct kiln_function *fn;
  struct kiln_arena *arena;
  kiln_value node, first, end;
  uint32_t count;     // values of the function before
  bool *is_inside;    // by value: of the sequence, at any depth
  kiln_value *result; // by value of the sequence: the node's result that takes its place after it; 0: not used there
};

static void mark(struct build *b) {
  struct kiln_function *fn = b->fn;
  for (kiln_value v = b->first; v != b->end; v = kiln_walk_next(fn, v)) {
    b->is_inside[v] = true;
    const struct kiln_node *node = kiln_op_is_node(fn->insts[v].op) ? kiln_node(fn, v) : NULL;
    for (uint32_t i = 0; node && i < node->header.count; i++)
      b->is_inside[node->header.items[i]] = true;
    for (uint32_t i = 0; node && i < node->results.count; i++)
      b->is_inside[node->results.items[i]] = true;
  }
}

// Copies what is computed before the instruction, in its region and those around it, from values that have an entry.
static void copy_before(struct build *b, struct kiln_copy *copy, kiln_value end, struct kiln_builder *to) {
  struct kiln_function *fn = b->fn;
  kiln_value owner = kiln_owner(fn, end), next;
  if (owner)
    copy_before(b, copy, owner, to);
  for (kiln_value v = fn->regions[fn->insts[end].region].first; v != end; v = next) {
    next = fn->insts[v].next;
    bool differs = false;
    for (uint32_t i = 0; i < fn->insts[v].operand_count; i++)
      differs |= copy->map[kiln_operands(fn, v)[i]] != 0;
    if (differs && v < b->count && kiln_op_table[fn->insts[v].op].effect == KILN_EFFECT_PURE)
      kiln_copy_inst(copy, v, to);
  }
}

// Gives the node a result for each value of the sequence that is used elsewhere, and its users the result.
static void add_results(struct build *b) {
  struct kiln_function *fn = b->fn;
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_walk_next(fn, v)) {
    bool is_user = v < b->count && !b->is_inside[v];
    for (uint32_t i = 0; is_user && i < fn->insts[v].operand_count; i++) {
      kiln_value x = kiln_operands(fn, v)[i];
      if (x < b->count && b->is_inside[x] && !b->result[x])
        b->result[x] = kiln_node_add_result(fn, b->node, fn->insts[x].type);
    }
  }
  const struct kiln_replaced replaced = {b->result, b->count};
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_walk_next(fn, v))
    if (v < b->count && !b->is_inside[v])
      kiln_resolve_operands(fn, v, &replaced);
}

// Ends a side with the results, or with their copies (by value of the sequence; NULL: it has the sequence itself).
static void yield(struct build *b, uint32_t region, const kiln_value *copies) {
  struct kiln_value_list results = kiln_node(b->fn, b->node)->results;
  kiln_value *values = KILN_NEW_ARRAY(b->arena, kiln_value, results.count + 1);
  for (kiln_value v = 1; v < b->count && results.count; v++)
    for (uint32_t i = 0; b->result[v] && i < results.count; i++)
      if (results.items[i] == b->result[v])
        values[i] = copies ? copies[v] : v;
  struct kiln_builder at = kiln_builder_at_end(b->fn, region);
  kiln_build_yield(&at, values, results.count);
}

static kiln_value *copy_side(struct build *b, uint32_t region, const struct kiln_version *version) {
  kiln_value *map = KILN_NEW_ARRAY(b->arena, kiln_value, b->count);
  struct kiln_copy copy = kiln_copy_within(b->fn, b->arena, map, b->count);
  struct kiln_builder to = kiln_builder_at_end(b->fn, region);
  for (uint32_t i = 0; i < version->count; i++)
    map[version->values[i]] = version->constants[i];
  copy_before(b, &copy, b->node, &to);
  for (kiln_value v = b->first; v != b->end && !kiln_module_failed(b->fn->module); v = b->fn->insts[v].next)
    kiln_copy_inst(&copy, v, &to);
  return map;
}

void kiln_versions_build(struct kiln_function *fn, struct kiln_arena *arena, kiln_value node, kiln_value end,
                         const struct kiln_version *versions) {
  uint32_t count = fn->inst_count, first_side = kiln_node(fn, node)->region_first;
  uint32_t sides = kiln_node(fn, node)->region_count, own = first_side;
  struct build b = {.fn = fn, .arena = arena, .node = node, .first = fn->insts[node].next, .end = end, .count = count};
  b.is_inside = KILN_NEW_ARRAY(arena, bool, count);
  b.result = KILN_NEW_ARRAY(arena, kiln_value, count);
  kiln_value **maps = KILN_NEW_ARRAY(arena, kiln_value *, sides), next;
  mark(&b);
  for (uint32_t i = 0; i < sides; i++)
    if (versions[i].count)
      maps[i] = copy_side(&b, first_side + i, &versions[i]);
    else
      own = first_side + i;
  for (kiln_value v = b.first; v != end; v = next) {
    next = fn->insts[v].next;
    kiln_move(fn, v, own, 0);
  }
  add_results(&b);
  for (uint32_t i = 0; i < sides; i++)
    yield(&b, first_side + i, maps[i]);
}
