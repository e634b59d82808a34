// Copying instructions. Adding to a function can move its arrays, and both functions may be the same: so no pointers
// into the arrays are kept.
#include "jit/pass/copy.h"

static kiln_value itself(struct kiln_copy *copy, kiln_value value) {
  (void)copy;
  return value;
}

struct kiln_copy kiln_copy_within(struct kiln_function *fn, struct kiln_arena *arena, kiln_value *map, uint32_t count) {
  return (struct kiln_copy){fn, fn, arena, map, count, itself, NULL};
}

kiln_value kiln_copy_value(struct kiln_copy *c, kiln_value value) {
  if (value < c->map_count && c->map[value])
    return c->map[value];
  return c->outside(c, value);
}

kiln_value *kiln_copy_operands(struct kiln_copy *c, kiln_value id) {
  uint32_t count = c->from->insts[id].operand_count;
  kiln_value *out = kiln_arena_alloc(c->arena, (count + 1) * sizeof *out, 16);
  for (uint32_t i = 0; i < count; i++)
    out[i] = kiln_copy_value(c, kiln_operands(c->from, id)[i]);
  return out;
}

static void copy_phis(struct kiln_copy *c, struct kiln_value_list from, struct kiln_value_list to) {
  for (uint32_t i = 0; i < from.count && i < to.count; i++) {
    c->map[from.items[i]] = to.items[i];
    c->to->insts[to.items[i]].name = c->from->insts[from.items[i]].name;
  }
}

static kiln_value copy_node(struct kiln_copy *c, kiln_value id, struct kiln_builder *b) {
  const struct kiln_inst inst = c->from->insts[id];
  const struct kiln_node node = *kiln_node(c->from, id);
  const kiln_value *operands = kiln_copy_operands(c, id);
  kiln_value copy;
  if (inst.op == KILN_OP_BLOCK)
    copy = kiln_build_block(b);
  else if (inst.op == KILN_OP_IF)
    copy = kiln_build_if(b, operands[0]);
  else if (inst.op == KILN_OP_LOOP)
    copy = kiln_build_loop(b, operands, inst.operand_count);
  else
    copy = kiln_build_switch(b, operands[0], node.cases, node.region_count - 1);
  if (!copy)
    return 0;
  c->map[id] = copy;
  for (uint32_t i = 0; i < node.results.count; i++)
    kiln_node_add_result(c->to, copy, c->from->insts[node.results.items[i]].type);
  copy_phis(c, node.header, kiln_node(c->to, copy)->header);
  copy_phis(c, node.results, kiln_node(c->to, copy)->results);
  kiln_node(c->to, copy)->unroll = node.unroll;
  c->to->insts[copy].flags = inst.flags;
  for (uint32_t r = 0; r < node.region_count; r++) {
    struct kiln_builder inner = kiln_builder_at_end(c->to, kiln_node(c->to, copy)->region_first + r);
    for (kiln_value i = c->from->regions[node.region_first + r].first; i; i = c->from->insts[i].next)
      kiln_copy_inst(c, i, &inner);
  }
  return copy;
}

static kiln_value copy_plain(struct kiln_copy *c, kiln_value id, struct kiln_builder *b) {
  const struct kiln_inst inst = c->from->insts[id];
  const kiln_value *operands = kiln_copy_operands(c, id);
  if (inst.op == KILN_OP_SHUFFLE) {
    uint8_t lanes[16];
    for (unsigned i = 0; i < 16; i++)
      lanes[i] = c->from->shuffles[inst.node][i];
    return kiln_build_shuffle(b, operands[0], operands[1], lanes, kiln_type_lanes(inst.type));
  }
  uint64_t imm = inst.imm;
  if ((inst.op == KILN_OP_BREAK || inst.op == KILN_OP_CONTINUE) && imm < c->map_count && c->map[imm])
    imm = c->map[imm];
  return kiln_build(b, (enum kiln_op)inst.op, inst.type, operands, inst.operand_count, imm, inst.imm2, inst.flags);
}

void kiln_copy_inst(struct kiln_copy *c, kiln_value id, struct kiln_builder *b) {
  uint32_t name = c->from->insts[id].name;
  b->loc = c->from->insts[id].loc;
  kiln_value copy = kiln_op_is_node(c->from->insts[id].op) ? copy_node(c, id, b) : copy_plain(c, id, b);
  c->map[id] = copy;
  if (copy && !kiln_op_is_free(c->to->insts[copy].op) && !c->to->insts[copy].name)
    c->to->insts[copy].name = name;
}
