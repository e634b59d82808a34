// The builder: makes instructions, nodes and jumps at a position.
#include "jit/ir/internal.h"

#include <string.h>

static inline bool has_room(struct kiln_function *fn, uint32_t operands) {
  struct kiln_function_priv *priv = kiln_function_priv(fn);
  return KILN_IR_RESERVE(fn->module, fn->insts, fn->inst_count, priv->insts_capacity, 1) &&
         KILN_IR_RESERVE(fn->module, fn->operands, fn->operand_count, priv->operands_capacity, operands);
}

static inline void add_operands(struct kiln_function *fn, const kiln_value *operands, uint32_t count) {
  kiln_value *to = fn->operands + fn->operand_count;
  fn->operand_count += count;
  if (count == 0)
    return;
  to[0] = operands[0];
  for (uint32_t i = 1; i < count; i++)
    to[i] = operands[i];
}

kiln_value kiln_inst_new(struct kiln_function *fn, enum kiln_op op, kiln_type type, const kiln_value *operands,
                         uint32_t count, uint64_t imm, uint32_t imm2, uint16_t flags) {
  if (!has_room(fn, count))
    return 0;
  fn->insts[fn->inst_count] = (struct kiln_inst){.op = (uint16_t)op,
                                                 .flags = flags,
                                                 .type = type,
                                                 .operand_first = fn->operand_count,
                                                 .operand_count = count,
                                                 .imm = imm,
                                                 .imm2 = imm2};
  add_operands(fn, operands, count);
  return fn->inst_count++;
}

void kiln_link(struct kiln_function *fn, kiln_value id, uint32_t region_id, kiln_value before) {
  struct kiln_inst *inst = &fn->insts[id];
  struct kiln_region *region = &fn->regions[region_id];
  inst->region = region_id;
  inst->next = before;
  inst->prev = before ? fn->insts[before].prev : region->last;
  *(inst->prev ? &fn->insts[inst->prev].next : &region->first) = id;
  *(before ? &fn->insts[before].prev : &region->last) = id;
}

struct kiln_builder kiln_builder_at_end(struct kiln_function *fn, uint32_t region) {
  return (struct kiln_builder){.fn = fn, .region = region};
}

struct kiln_builder kiln_builder_before(struct kiln_function *fn, kiln_value inst) {
  return (struct kiln_builder){.fn = fn, .region = fn->insts[inst].region, .before = inst, .loc = fn->insts[inst].loc};
}

// Makes an instruction, for which there is room, before another one of the builder's region; 0: at its end. Inlined
// into the callers that make most instructions; the order of its steps keeps few values live.
static inline __attribute__((always_inline)) kiln_value append_here(const struct kiln_builder *b, kiln_value before,
                                                                    enum kiln_op op, kiln_type type,
                                                                    const kiln_value *operands, uint32_t count,
                                                                    uint64_t imm, uint32_t imm2, uint16_t flags) {
  struct kiln_function *fn = b->fn;
  kiln_value value = fn->inst_count++;
  struct kiln_inst *inst = &fn->insts[value];
  *inst = (struct kiln_inst){.op = (uint16_t)op,
                             .flags = flags,
                             .type = type,
                             .operand_count = count,
                             .imm = imm,
                             .imm2 = imm2,
                             .next = before};
  inst->operand_first = fn->operand_count;
  add_operands(fn, operands, count);
  inst->loc = b->loc;
  struct kiln_region *region = &fn->regions[inst->region = b->region];
  kiln_value *after = before ? &fn->insts[before].prev : &region->last, prev = inst->prev = *after;
  *after = value;
  *(prev ? &fn->insts[prev].next : &region->first) = value;
  return value;
}

__attribute__((noinline)) static kiln_value append(struct kiln_builder *b, enum kiln_op op, kiln_type type,
                                                   const kiln_value *operands, uint32_t count, uint64_t imm,
                                                   uint32_t imm2, uint16_t flags) {
  if (b->region == 0 || !has_room(b->fn, count)) // 0: inside a node that could not be made
    return 0;
  return append_here(b, b->before, op, type, operands, count, imm, imm2, flags);
}

// Whether memory has run out: nothing more is made then.
static inline bool has_failed(const struct kiln_function *fn) {
  return fn->module->priv && kiln_module_priv(fn->module)->failed;
}

// Whether an instruction can be made at the end of the region at once: there is room already.
static inline bool is_ready(const struct kiln_builder *b, uint32_t operands) {
  const struct kiln_function *fn = b->fn;
  const struct kiln_function_priv *priv = kiln_function_priv(fn);
  return b->region != 0 && b->before == 0 && priv->insts_capacity != fn->inst_count &&
         priv->operands_capacity - fn->operand_count >= operands;
}

static inline kiln_type result_type(const struct kiln_function *fn, enum kiln_op op, kiln_type given,
                                    const kiln_value *operands, uint32_t count) {
  switch (kiln_op_table[op].result) {
  case KILN_RESULT_SAME:
    return count ? fn->insts[operands[0]].type : KILN_VOID;
  case KILN_RESULT_TAIL:
    return count ? fn->insts[operands[count - 1]].type : KILN_VOID;
  case KILN_RESULT_BOOL:
    return count ? kiln_vec_type(KILN_BOOL, kiln_type_lanes(fn->insts[operands[0]].type)) : KILN_VOID;
  case KILN_RESULT_GIVEN:
    return given;
  case KILN_RESULT_VOID:
    return kiln_scalar_type(KILN_VOID);
  }
  return KILN_VOID;
}

// CONST, or a CONST_VEC without undefined lanes.
static inline bool is_const(const struct kiln_function *fn, kiln_value value) {
  return fn->insts[value].op <= KILN_OP_CONST_VEC;
}

// A quick test that rules out most operations that cannot be folded.
static inline bool may_fold(const struct kiln_function *fn, enum kiln_op op, const kiln_value *operands,
                            uint32_t count) {
  return kiln_op_table[op].effect == KILN_EFFECT_PURE && (count == 0 || is_const(fn, operands[0])) &&
         (count < 2 || is_const(fn, operands[1]));
}

static inline __attribute__((always_inline)) kiln_value build(struct kiln_builder *b, enum kiln_op op, kiln_type type,
                                                              const kiln_value *operands, uint32_t count, uint64_t imm,
                                                              uint32_t imm2, uint16_t flags, const uint8_t *shuffle) {
  struct kiln_function *fn = b->fn;
  if (has_failed(fn))
    return 0;
  type = result_type(fn, op, type, operands, count);
  if (kiln_op_has_fp_flags(op))
    flags |= b->fp_flags;
  kiln_value folded =
      may_fold(fn, op, operands, count) ? kiln_fold(fn, op, type, operands, count, imm, flags, shuffle) : 0;
  return folded ? folded : append(b, op, type, operands, count, imm, imm2, flags);
}

kiln_value kiln_build(struct kiln_builder *b, enum kiln_op op, kiln_type type, const kiln_value *operands,
                      uint32_t count, uint64_t imm, uint32_t imm2, uint16_t flags) {
  return build(b, op, type, operands, count, imm, imm2, flags, NULL);
}

kiln_value kiln_build1(struct kiln_builder *b, enum kiln_op op, kiln_type type, kiln_value a) {
  return kiln_build(b, op, type, &a, 1, 0, 0, 0);
}

kiln_value kiln_build2(struct kiln_builder *b, enum kiln_op op, kiln_value x, kiln_value y) {
  return kiln_build(b, op, KILN_VOID, (kiln_value[]){x, y}, 2, 0, 0, 0);
}

__attribute__((noinline)) static kiln_value build_two(struct kiln_builder *b, enum kiln_op op, kiln_value x,
                                                      kiln_value y, uint16_t flags) {
  return kiln_build(b, op, KILN_VOID, (kiln_value[]){x, y}, 2, 0, 0, flags);
}

kiln_value kiln_build_arithmetic(struct kiln_builder *b, enum kiln_op op, kiln_value x, kiln_value y, uint16_t flags) {
  if ((is_const(b->fn, x) && is_const(b->fn, y)) || !is_ready(b, 2))
    return build_two(b, op, x, y, flags);
  if (kiln_op_has_fp_flags(op))
    flags |= b->fp_flags;
  return append_here(b, 0, op, b->fn->insts[x].type, (kiln_value[]){x, y}, 2, 0, 0, flags);
}

kiln_value kiln_build3(struct kiln_builder *b, enum kiln_op op, kiln_value x, kiln_value y, kiln_value z) {
  return kiln_build(b, op, KILN_VOID, (kiln_value[]){x, y, z}, 3, 0, 0, 0);
}

kiln_value kiln_build_item(struct kiln_builder *b, enum kiln_op op, unsigned dimension) {
  kiln_type type = kiln_scalar_type(op == KILN_OP_WORK_DIM ? KILN_I32 : KILN_I64);
  return kiln_build(b, op, type, NULL, 0, dimension, 0, 0);
}

kiln_value kiln_build_var(struct kiln_builder *b, uint64_t bytes, uint32_t align, const char *name) {
  kiln_value var = kiln_build(b, KILN_OP_VAR, kiln_ptr_type(KILN_PRIVATE), NULL, 0, bytes, align, 0);
  kiln_set_name(b->fn, var, name);
  return var;
}

__attribute__((noinline)) static kiln_value build_padd(struct kiln_builder *b, kiln_value ptr, kiln_value index,
                                                       int64_t stride) {
  return kiln_build(b, KILN_OP_PADD, KILN_VOID, (kiln_value[]){ptr, index}, 2, (uint64_t)stride, 0, 0);
}

kiln_value kiln_build_padd(struct kiln_builder *b, kiln_value ptr, kiln_value index, int64_t stride) {
  if ((is_const(b->fn, ptr) && is_const(b->fn, index)) || !is_ready(b, 2))
    return build_padd(b, ptr, index, stride);
  return append_here(b, 0, KILN_OP_PADD, b->fn->insts[ptr].type, (kiln_value[]){ptr, index}, 2, (uint64_t)stride, 0, 0);
}

__attribute__((noinline)) static kiln_value build_load(struct kiln_builder *b, kiln_type type, kiln_value ptr,
                                                       uint32_t align, uint16_t flags) {
  return kiln_build(b, KILN_OP_LOAD, type, &ptr, 1, 0, align, flags);
}

kiln_value kiln_build_load(struct kiln_builder *b, kiln_type type, kiln_value ptr, uint32_t align, uint16_t flags) {
  return is_ready(b, 1) ? append_here(b, 0, KILN_OP_LOAD, type, &ptr, 1, 0, align, flags)
                        : build_load(b, type, ptr, align, flags);
}

__attribute__((noinline)) static kiln_value build_store(struct kiln_builder *b, kiln_value ptr, kiln_value value,
                                                        uint32_t align, uint16_t flags) {
  return kiln_build(b, KILN_OP_STORE, KILN_VOID, (kiln_value[]){ptr, value}, 2, 0, align, flags);
}

kiln_value kiln_build_store(struct kiln_builder *b, kiln_value ptr, kiln_value value, uint32_t align, uint16_t flags) {
  if (!is_ready(b, 2))
    return build_store(b, ptr, value, align, flags);
  return append_here(b, 0, KILN_OP_STORE, kiln_scalar_type(KILN_VOID), (kiln_value[]){ptr, value}, 2, 0, align, flags);
}

kiln_value kiln_build_shuffle(struct kiln_builder *b, kiln_value x, kiln_value y, const uint8_t *lanes,
                              unsigned lane_count) {
  struct kiln_function *fn = b->fn;
  struct kiln_function_priv *priv = kiln_function_priv(fn);
  if (lane_count > 16 || !KILN_IR_RESERVE(fn->module, fn->shuffles, fn->shuffle_count, priv->shuffles_capacity, 1))
    return 0;
  uint8_t *list = fn->shuffles[fn->shuffle_count];
  memset(list, 0xff, 16);
  memcpy(list, lanes, lane_count);
  kiln_type type = kiln_type_with_lanes(fn->insts[x].type, lane_count);
  kiln_value value = build(b, KILN_OP_SHUFFLE, type, (kiln_value[]){x, y}, 2, 0, 0, 0, list);
  if (fn->insts[value].op == KILN_OP_SHUFFLE)
    fn->insts[value].node = fn->shuffle_count++;
  return value;
}

kiln_value kiln_build_call(struct kiln_builder *b, uint32_t function, const kiln_value *args, uint32_t count) {
  if (function >= b->fn->module->function_count) // only after memory ran out
    return 0;
  return kiln_build(b, KILN_OP_CALL, b->fn->module->functions[function]->return_type, args, count, function, 0, 0);
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

static kiln_value build_node(struct kiln_builder *b, enum kiln_op op, const kiln_value *operands, uint32_t count,
                             uint32_t region_count) {
  struct kiln_function *fn = b->fn;
  struct kiln_function_priv *priv = kiln_function_priv(fn);
  if (!KILN_IR_RESERVE(fn->module, fn->nodes, fn->node_count, priv->nodes_capacity, 1) ||
      !KILN_IR_RESERVE(fn->module, fn->regions, fn->region_count, priv->regions_capacity, region_count))
    return 0;
  kiln_value value = append(b, op, kiln_scalar_type(KILN_VOID), operands, count, 0, 0, 0);
  if (!value)
    return 0;
  fn->insts[value].node = fn->node_count;
  fn->nodes[fn->node_count++] =
      (struct kiln_node){.inst = value, .region_first = fn->region_count, .region_count = region_count};
  for (uint32_t i = 0; i < region_count; i++)
    fn->regions[fn->region_count++] = (struct kiln_region){.owner = value};
  return value;
}

// A phi at the end of one of the lists of a node.
static kiln_value add_phi(struct kiln_function *fn, kiln_value node, struct kiln_value_list *list, kiln_type type) {
  if (!node || !KILN_IR_RESERVE(fn->module, list->items, list->count, list->capacity, 1))
    return 0;
  kiln_value phi = kiln_inst_new(fn, KILN_OP_PHI, type, NULL, 0, node, 0, 0);
  if (!phi)
    return 0;
  fn->insts[phi].loc = fn->insts[node].loc;
  return list->items[list->count++] = phi;
}

kiln_value kiln_build_block(struct kiln_builder *b) { return build_node(b, KILN_OP_BLOCK, NULL, 0, 1); }

kiln_value kiln_build_if(struct kiln_builder *b, kiln_value condition) {
  return build_node(b, KILN_OP_IF, &condition, 1, 2);
}

kiln_value kiln_build_loop(struct kiln_builder *b, const kiln_value *initial, uint32_t count) {
  kiln_value loop = build_node(b, KILN_OP_LOOP, initial, count, 1);
  for (uint32_t i = 0; i < count && loop; i++)
    if (!add_phi(b->fn, loop, &kiln_node(b->fn, loop)->header, b->fn->insts[initial[i]].type))
      return 0;
  return loop;
}

kiln_value kiln_build_switch(struct kiln_builder *b, kiln_value selector, const int64_t *cases, uint32_t count) {
  int64_t *copy = kiln_ir_alloc(b->fn->module, (count ? count : 1) * sizeof *cases, 16);
  if (!copy)
    return 0;
  if (count)
    memcpy(copy, cases, count * sizeof *cases);
  kiln_value value = build_node(b, KILN_OP_SWITCH, &selector, 1, count + 1);
  if (value)
    kiln_node(b->fn, value)->cases = copy;
  return value;
}

kiln_value kiln_node_add_result(struct kiln_function *fn, kiln_value node, kiln_type type) {
  return add_phi(fn, node, &kiln_node(fn, node)->results, type);
}

kiln_value kiln_loop_add_header(struct kiln_function *fn, kiln_value loop, kiln_value initial) {
  kiln_value phi = add_phi(fn, loop, &kiln_node(fn, loop)->header, fn->insts[initial].type);
  if (phi)
    kiln_add_operand(fn, loop, initial);
  return phi;
}

// ---- jumps ----------------------------------------------------------------------------------------------------------

kiln_value kiln_build_yield(struct kiln_builder *b, const kiln_value *values, uint32_t count) {
  return append(b, KILN_OP_YIELD, kiln_scalar_type(KILN_VOID), values, count, 0, 0, 0);
}

kiln_value kiln_build_break(struct kiln_builder *b, kiln_value node, const kiln_value *values, uint32_t count) {
  return append(b, KILN_OP_BREAK, kiln_scalar_type(KILN_VOID), values, count, node, 0, 0);
}

kiln_value kiln_build_continue(struct kiln_builder *b, kiln_value loop, const kiln_value *values, uint32_t count) {
  return append(b, KILN_OP_CONTINUE, kiln_scalar_type(KILN_VOID), values, count, loop, 0, 0);
}

kiln_value kiln_build_return(struct kiln_builder *b, kiln_value value) {
  return append(b, KILN_OP_RETURN, kiln_scalar_type(KILN_VOID), &value, value ? 1 : 0, 0, 0, 0);
}
