// What a pattern cannot say: addresses and lanes of vectors, which chains of instructions lead to.
#include "jit/pass/simplify.h"

static const struct kiln_inst *inst_of(const struct kiln_simplify *s, kiln_value value) { return &s->fn->insts[value]; }
static unsigned op_of(const struct kiln_simplify *s, kiln_value value) { return s->fn->insts[value].op; }
static kiln_type type_of(const struct kiln_simplify *s, kiln_value value) { return s->fn->insts[value].type; }
static kiln_value operand(const struct kiln_simplify *s, kiln_value value, uint32_t index) {
  return kiln_operands(s->fn, value)[index];
}

// ---- addresses ------------------------------------------------------------------------------------------------------

// The address space of a generic pointer that was cast from a pointer to a named space.
static kiln_value pointer_space(struct kiln_simplify *s, kiln_value id) {
  kiln_value p = operand(s, id, 0);
  while (op_of(s, p) == KILN_OP_PADD)
    p = operand(s, p, 0);
  enum kiln_space space = KILN_GLOBAL;
  if (op_of(s, p) == KILN_OP_PCAST)
    space = kiln_type_space(type_of(s, operand(s, p, 0)));
  else if (op_of(s, p) != KILN_OP_CONST)
    return 0;
  return kiln_const(s->fn, kiln_scalar_type(KILN_I32), space);
}

// Joins constant offsets to one: pointer + offset * 1.
static kiln_value padd(struct kiln_simplify *s, kiln_value id) {
  kiln_value base = operand(s, id, 0);
  uint64_t index, inner, stride = inst_of(s, id)->imm;
  if (stride == 0)
    return base;
  if (!kiln_const_splat(s->fn, operand(s, id, 1), &index))
    return 0;
  uint64_t offset = index * stride;
  if (offset == 0)
    return base;
  bool nested = op_of(s, base) == KILN_OP_PADD && kiln_const_splat(s->fn, operand(s, base, 1), &inner);
  if (nested) {
    offset += inner * inst_of(s, base)->imm;
    base = operand(s, base, 0);
  } else if (stride == 1) {
    return 0;
  }
  if (offset == 0)
    return base;
  kiln_value operands[] = {base, kiln_const(s->fn, kiln_scalar_type(KILN_I64), offset)};
  return kiln_simplify_make(s, id, KILN_OP_PADD, type_of(s, id), operands, 2, 1, 0);
}

// ---- vectors --------------------------------------------------------------------------------------------------------

// The scalar that a lane of a vector is; 0: no value is known to be the scalar. Follows a chain of at most MAX_CHAIN
// inserts.
#define MAX_CHAIN 32
static kiln_value lane_of(const struct kiln_simplify *s, kiln_value vector, uint32_t lane) {
  for (unsigned i = 0; i < MAX_CHAIN; i++) {
    const struct kiln_inst *inst = inst_of(s, vector);
    uint64_t index;
    if (inst->op == KILN_OP_UNDEF)
      return kiln_undef(s->fn, kiln_type_element(inst->type));
    if (inst->op == KILN_OP_VEC || inst->op == KILN_OP_CONST_VEC)
      return operand(s, vector, lane);
    if (inst->op == KILN_OP_SPLAT)
      return operand(s, vector, 0);
    if (inst->op == KILN_OP_INSERT) {
      if (!kiln_const_splat(s->fn, operand(s, vector, 2), &index))
        return 0;
      if (index % kiln_type_lanes(inst->type) == lane)
        return operand(s, vector, 1);
      vector = operand(s, vector, 0);
    } else if (inst->op == KILN_OP_SHUFFLE) {
      uint8_t from = s->fn->shuffles[inst->node][lane];
      unsigned lanes = kiln_type_lanes(type_of(s, operand(s, vector, 0)));
      if (from == 0xff)
        return kiln_undef(s->fn, kiln_type_element(inst->type));
      vector = operand(s, vector, from >= lanes);
      lane = from >= lanes ? from - lanes : from;
      if (lanes == 1)
        return vector;
    } else {
      return 0;
    }
  }
  return 0;
}

static kiln_value extract(struct kiln_simplify *s, kiln_value id) {
  kiln_value vector = operand(s, id, 0);
  unsigned lanes = kiln_type_lanes(type_of(s, vector));
  uint64_t index;
  if (!kiln_const_splat(s->fn, operand(s, id, 1), &index))
    return op_of(s, vector) == KILN_OP_SPLAT ? operand(s, vector, 0) : 0;
  index %= lanes;
  kiln_value known = lane_of(s, vector, (uint32_t)index);
  if (known)
    return known;
  // Goes past inserts of other lanes.
  kiln_value source = vector;
  for (unsigned i = 0; i < MAX_CHAIN; i++) {
    uint64_t at;
    if (op_of(s, source) == KILN_OP_INSERT && kiln_const_splat(s->fn, operand(s, source, 2), &at)) {
      source = operand(s, source, 0); // another lane, else it were known
    } else if (op_of(s, source) == KILN_OP_SHUFFLE) {
      uint8_t from = s->fn->shuffles[inst_of(s, source)->node][index];
      unsigned from_lanes = kiln_type_lanes(type_of(s, operand(s, source, 0)));
      source = operand(s, source, from >= from_lanes);
      index = from % from_lanes;
    } else {
      break;
    }
  }
  if (source == vector)
    return 0;
  kiln_value operands[] = {source, kiln_const(s->fn, kiln_scalar_type(KILN_I32), index)};
  return kiln_simplify_make(s, id, KILN_OP_EXTRACT, type_of(s, id), operands, 2, 0, 0);
}

// The vector that all lanes are extracted from, in order.
static kiln_value vec(struct kiln_simplify *s, kiln_value id) {
  uint32_t count = inst_of(s, id)->operand_count;
  kiln_value source = 0, first = operand(s, id, 0);
  bool same = true;
  for (uint32_t i = 0; i < count; i++)
    same &= operand(s, id, i) == first;
  if (same)
    return kiln_simplify_make(s, id, KILN_OP_SPLAT, type_of(s, id), &first, 1, 0, 0);
  for (uint32_t i = 0; i < count; i++) {
    kiln_value lane = operand(s, id, i);
    uint64_t index;
    if (op_of(s, lane) != KILN_OP_EXTRACT || !kiln_const_splat(s->fn, operand(s, lane, 1), &index) || index != i ||
        type_of(s, operand(s, lane, 0)) != type_of(s, id) || (source && source != operand(s, lane, 0)))
      return 0;
    source = operand(s, lane, 0);
  }
  return source;
}

// A chain of inserts that sets every lane.
static kiln_value insert(struct kiln_simplify *s, kiln_value id) {
  unsigned lanes = kiln_type_lanes(type_of(s, id));
  kiln_value values[16] = {0}, cursor = id;
  unsigned known = 0;
  for (unsigned i = 0; i < MAX_CHAIN && known < lanes && op_of(s, cursor) == KILN_OP_INSERT; i++) {
    uint64_t index;
    if (!kiln_const_splat(s->fn, operand(s, cursor, 2), &index))
      return 0;
    index %= lanes;
    known += values[index] == 0;
    if (!values[index])
      values[index] = operand(s, cursor, 1);
    cursor = operand(s, cursor, 0);
  }
  if (known < lanes)
    return 0;
  return kiln_simplify_make(s, id, KILN_OP_VEC, type_of(s, id), values, lanes, 0, 0);
}

static kiln_value shuffle(struct kiln_simplify *s, kiln_value id) {
  const struct kiln_inst *inst = inst_of(s, id);
  const uint8_t *list = s->fn->shuffles[inst->node];
  kiln_value x = operand(s, id, 0), y = operand(s, id, 1);
  unsigned lanes = kiln_type_lanes(inst->type), source = kiln_type_lanes(type_of(s, x));
  bool all_x = source == lanes, all_y = source == lanes;
  for (unsigned i = 0; i < lanes; i++) {
    all_x &= list[i] == i || list[i] == 0xff || (x == y && list[i] == i + source);
    all_y &= list[i] == i + source || list[i] == 0xff;
  }
  return all_x ? x : all_y ? y : 0;
}

kiln_value kiln_simplify_chain(struct kiln_simplify *s, kiln_value id) {
  switch (op_of(s, id)) {
  case KILN_OP_PSPACE:
    return pointer_space(s, id);
  case KILN_OP_PADD:
    return padd(s, id);
  case KILN_OP_EXTRACT:
    return extract(s, id);
  case KILN_OP_INSERT:
    return insert(s, id);
  case KILN_OP_VEC:
    return vec(s, id);
  case KILN_OP_SHUFFLE:
    return shuffle(s, id);
  }
  return 0;
}
