// Walking over functions, and changing them: taking out, moving, giving new operands and names.
#include "jit/ir/internal.h"

#include <string.h>

kiln_value kiln_walk_past(const struct kiln_function *fn, kiln_value id) {
  while (!fn->insts[id].next) {
    uint32_t region = fn->insts[id].region;
    kiln_value owner = fn->regions[region].owner;
    if (!owner)
      return 0;
    const struct kiln_node *node = &fn->nodes[fn->insts[owner].node];
    if (region + 1 < node->region_first + node->region_count)
      return fn->regions[region + 1].first;
    id = owner;
  }
  return fn->insts[id].next;
}

void kiln_unlink(struct kiln_function *fn, kiln_value id) {
  struct kiln_inst *inst = &fn->insts[id];
  if (!inst->region)
    return;
  struct kiln_region *region = &fn->regions[inst->region];
  *(inst->prev ? &fn->insts[inst->prev].next : &region->first) = inst->next;
  *(inst->next ? &fn->insts[inst->next].prev : &region->last) = inst->prev;
  inst->region = inst->prev = inst->next = 0;
}

// Everything inside a node is removed as well, region by region and without recursion: nodes that are found inside are
// added to the list of nodes to empty.
void kiln_remove(struct kiln_function *fn, kiln_value id) {
  if (!id)
    return;
  kiln_unlink(fn, id);
  if (!kiln_op_is_node(fn->insts[id].op))
    return;
  kiln_value pending = id; // nodes to empty, chained through next
  while (pending) {
    kiln_value node_id = pending;
    pending = fn->insts[node_id].next;
    fn->insts[node_id].next = 0;
    const struct kiln_node *node = kiln_node(fn, node_id);
    for (uint32_t r = node->region_first; r < node->region_first + node->region_count; r++) {
      for (kiln_value inner = fn->regions[r].first, next; inner; inner = next) {
        struct kiln_inst *inst = &fn->insts[inner];
        next = inst->next;
        inst->region = inst->prev = inst->next = 0;
        if (kiln_op_is_node(inst->op)) {
          inst->next = pending;
          pending = inner;
        }
      }
      fn->regions[r].first = fn->regions[r].last = 0;
    }
  }
}

void kiln_set_operands(struct kiln_function *fn, kiln_value id, const kiln_value *operands, uint32_t count) {
  struct kiln_inst *inst = &fn->insts[id];
  if (!id)
    return;
  kiln_function_priv(fn)->changes++;
  if (count > inst->operand_count) {
    // operands may point into the pool, which moves when it grows
    bool inside = operands >= fn->operands && operands < fn->operands + fn->operand_count;
    size_t offset = inside ? (size_t)(operands - fn->operands) : 0;
    if (!KILN_IR_RESERVE(fn->module, fn->operands, fn->operand_count, kiln_function_priv(fn)->operands_capacity, count))
      return;
    if (inside)
      operands = fn->operands + offset;
    inst->operand_first = fn->operand_count;
    fn->operand_count += count;
  }
  inst->operand_count = count;
  if (count)
    memmove(fn->operands + inst->operand_first, operands, count * sizeof *operands);
}

void kiln_add_operand(struct kiln_function *fn, kiln_value id, kiln_value operand) {
  struct kiln_inst *inst = &fn->insts[id];
  if (!id)
    return;
  uint32_t count = inst->operand_count;
  bool at_end = inst->operand_first + count == fn->operand_count;
  if (!KILN_IR_RESERVE(fn->module, fn->operands, fn->operand_count, kiln_function_priv(fn)->operands_capacity,
                       at_end ? 1 : count + 1))
    return;
  if (!at_end) {
    if (count)
      memcpy(fn->operands + fn->operand_count, fn->operands + inst->operand_first, count * sizeof *fn->operands);
    inst->operand_first = fn->operand_count;
    fn->operand_count += count;
  }
  fn->operands[fn->operand_count++] = operand;
  inst->operand_count++;
}

void kiln_set_vec_type_hint(struct kiln_function *fn, const char *type_name) {
  fn->vec_type_hint = type_name && *type_name ? kiln_ir_strdup(fn->module, type_name) : NULL;
}

void kiln_set_tuning(struct kiln_function *fn, const char *text) {
  fn->tuning = text && *text ? kiln_ir_strdup(fn->module, text) : NULL;
}

void kiln_set_name(struct kiln_function *fn, kiln_value value, const char *name) {
  if (value)
    fn->insts[value].name = name ? kiln_module_add_name(fn->module, name, strlen(name)) : 0;
}

void kiln_move(struct kiln_function *fn, kiln_value inst, uint32_t region, kiln_value before) {
  if (!inst || inst == before || !region)
    return;
  kiln_unlink(fn, inst);
  kiln_link(fn, inst, region, before);
}
