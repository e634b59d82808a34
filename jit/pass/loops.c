#include "jit/pass/loops.h"

bool kiln_loop_find_test(const struct kiln_function *fn, kiln_value loop, struct kiln_loop_test *out) {
  for (kiln_value id = fn->regions[kiln_node(fn, loop)->region_first].first; id; id = fn->insts[id].next) {
    if (fn->insts[id].op != KILN_OP_IF || kiln_node(fn, id)->results.count)
      continue;
    uint32_t region = kiln_node(fn, id)->region_first;
    for (uint32_t side = 0; side < 2; side++) {
      kiln_value leaves = fn->regions[region + side].first, stays = fn->regions[region + !side].first;
      if (fn->insts[leaves].op != KILN_OP_BREAK || fn->insts[leaves].imm != loop ||
          fn->insts[stays].op != KILN_OP_YIELD)
        continue;
      *out = (struct kiln_loop_test){id, side};
      return true;
    }
  }
  return false;
}

kiln_value kiln_loop_next(const struct kiln_function *fn, kiln_value loop, kiln_value phi) {
  const struct kiln_node *node = kiln_node(fn, loop);
  for (uint32_t i = 0; i < node->header.count; i++)
    if (node->header.items[i] == phi)
      return kiln_operands(fn, fn->regions[node->region_first].last)[i];
  return 0;
}

static kiln_value itself(struct kiln_copy *copy, kiln_value value) {
  (void)copy;
  return value;
}

struct kiln_copy kiln_copy_in_place(struct kiln_function *fn, struct kiln_arena *arena) {
  return (struct kiln_copy){fn, fn, arena, KILN_NEW_ARRAY(arena, kiln_value, fn->inst_count), fn->inst_count, itself,
                            NULL};
}

void kiln_loop_copy_header(struct kiln_copy *c, kiln_value loop, kiln_value to) {
  for (uint32_t i = 0; i < kiln_node(c->from, loop)->header.count; i++) {
    kiln_value phi = kiln_node(c->from, loop)->header.items[i], copy = kiln_node(c->to, to)->header.items[i];
    kiln_node_add_result(c->to, to, c->from->insts[phi].type);
    kiln_set_name(c->to, copy, kiln_value_name(c->from, phi));
    c->map[phi] = copy;
  }
}

kiln_value kiln_copy_tree(struct kiln_copy *c, const bool *inside, uint32_t count, kiln_value value,
                          struct kiln_builder *b) {
  if (value >= count || !inside[value] || c->map[value])
    return kiln_copy_value(c, value);
  for (uint32_t i = 0; i < c->from->insts[value].operand_count; i++)
    kiln_copy_tree(c, inside, count, kiln_operands(c->from, value)[i], b);
  kiln_copy_inst(c, value, b);
  return c->map[value];
}
