// Scalarisation: vectors of the language become scalars.
//
// Every operation on vectors becomes one operation per lane, and every phi one phi per lane. Vectors remain as results
// of loads, calls and parameters, taken apart with EXTRACT, and as operands of stores, calls, printf and returns, put
// together with VEC. Leaves the old instructions, which have no uses any more, to dce. Requires a verified function.
// Linear in the size of what comes out.
#include "jit/pass/common.h"

#include <string.h>

#define MAX_LANES 16

struct scalarise {
  struct kiln_function *fn;
  struct kiln_arena *arena;
  kiln_value **lanes;            // by value of before: what each lane has become; NULL: not taken apart yet
  struct kiln_replaced replaced; // by scalars
  kiln_value body_first;         // where parameters are taken apart
  bool changed;
};

static bool is_vector(const struct kiln_function *fn, kiln_value value) {
  return kiln_type_lanes(fn->insts[value].type) > 1;
}

static kiln_value int_const(const struct scalarise *s, enum kiln_kind kind, uint64_t bits) {
  return kiln_const(s->fn, kiln_scalar_type(kind), bits);
}

static kiln_value *new_lanes(struct scalarise *s, kiln_value id) {
  s->changed = true;
  return s->lanes[id] = kiln_arena_alloc(s->arena, kiln_type_lanes(s->fn->insts[id].type) * sizeof(kiln_value),
                                         _Alignof(kiln_value));
}

// ---- lanes of a value -----------------------------------------------------------------------------------------------

static void extract_lanes(struct scalarise *s, struct kiln_builder *b, kiln_value id) {
  kiln_type type = s->fn->insts[id].type;
  kiln_value *lanes = new_lanes(s, id);
  for (unsigned i = 0; i < kiln_type_lanes(type); i++) {
    kiln_value operands[] = {id, int_const(s, KILN_I32, i)};
    lanes[i] = kiln_build(b, KILN_OP_EXTRACT, kiln_type_element(type), operands, 2, 0, 0, 0);
  }
}

// The lanes of a value that the walk has passed, or of a value that belongs to no region.
static const kiln_value *lanes_of(struct scalarise *s, kiln_value id) {
  struct kiln_function *fn = s->fn;
  if (s->lanes[id])
    return s->lanes[id];
  unsigned op = fn->insts[id].op;
  kiln_type type = fn->insts[id].type;
  if (op == KILN_OP_CONST_VEC) {
    kiln_value *lanes = new_lanes(s, id);
    memcpy(lanes, kiln_operands(fn, id), kiln_type_lanes(type) * sizeof *lanes);
  } else if (op == KILN_OP_PARAM) {
    struct kiln_builder b = kiln_builder_before(fn, s->body_first);
    extract_lanes(s, &b, id);
  } else { // undefined; or memory has run out
    kiln_value *lanes = new_lanes(s, id);
    for (unsigned i = 0; i < kiln_type_lanes(type); i++)
      lanes[i] = kiln_undef(fn, kiln_type_element(type));
  }
  return s->lanes[id];
}

// Lane i of an operand; scalars are the same in every lane.
static kiln_value lane_of(struct scalarise *s, kiln_value id, unsigned i) {
  return is_vector(s->fn, id) ? lanes_of(s, id)[i] : id;
}

static bool stays(const struct kiln_function *fn, kiln_value id) {
  unsigned op = fn->insts[id].op;
  return kiln_op_is_free(op) || op == KILN_OP_LOAD || op == KILN_OP_CALL;
}

// Puts the vector operands of an instruction that keeps vectors together.
static void assemble_operands(struct scalarise *s, kiln_value id) {
  for (uint32_t i = 0; i < s->fn->insts[id].operand_count; i++) {
    kiln_value operand = kiln_operands(s->fn, id)[i];
    if (!is_vector(s->fn, operand) || stays(s->fn, operand))
      continue;
    kiln_value scalar = s->fn->insts[operand].op == KILN_OP_BITCAST ? kiln_operands(s->fn, operand)[0] : 0;
    if (s->fn->insts[id].op == KILN_OP_STORE && scalar && !is_vector(s->fn, scalar)) {
      s->fn->operands[s->fn->insts[id].operand_first + i] = scalar; // the same bytes
      continue;
    }
    kiln_type type = s->fn->insts[operand].type;
    struct kiln_builder b = kiln_builder_before(s->fn, id);
    kiln_value vector = kiln_build(&b, KILN_OP_VEC, type, lanes_of(s, operand), kiln_type_lanes(type), 0, 0, 0);
    s->fn->operands[s->fn->insts[id].operand_first + i] = vector;
  }
}

// ---- operations -----------------------------------------------------------------------------------------------------

static void lane_by_lane(struct scalarise *s, kiln_value id) {
  struct kiln_inst inst = s->fn->insts[id];
  struct kiln_builder b = kiln_builder_before(s->fn, id);
  kiln_value *lanes = new_lanes(s, id), operands[3];
  for (unsigned i = 0; i < kiln_type_lanes(inst.type); i++) {
    for (uint32_t k = 0; k < inst.operand_count && k < 3; k++)
      operands[k] = lane_of(s, kiln_operands(s->fn, id)[k], i);
    lanes[i] = kiln_build(&b, (enum kiln_op)inst.op, kiln_type_element(inst.type), operands, inst.operand_count,
                          inst.imm, inst.imm2, inst.flags);
    if (!kiln_op_is_free(s->fn->insts[lanes[i]].op) && !s->fn->insts[lanes[i]].name)
      s->fn->insts[lanes[i]].name = inst.name;
  }
}

// The number of the lane that EXTRACT or INSERT names: true for a constant.
static bool constant_lane(const struct scalarise *s, kiln_value index, unsigned count, unsigned *out) {
  uint64_t bits;
  if (!kiln_const_splat(s->fn, index, &bits))
    return false;
  *out = (unsigned)(bits % count);
  return true;
}

static kiln_value index_modulo(struct scalarise *s, struct kiln_builder *b, kiln_value index, unsigned count) {
  bool power = (count & (count - 1)) == 0;
  enum kiln_kind kind = kiln_type_kind(s->fn->insts[index].type);
  return kiln_build2(b, power ? KILN_OP_AND : KILN_OP_UREM, index, int_const(s, kind, power ? count - 1 : count));
}

static kiln_value is_lane(struct scalarise *s, struct kiln_builder *b, kiln_value index, unsigned lane) {
  return kiln_build2(b, KILN_OP_EQ, index, int_const(s, kiln_type_kind(s->fn->insts[index].type), lane));
}

static kiln_value extract(struct scalarise *s, kiln_value id) {
  kiln_value vector = kiln_operands(s->fn, id)[0], index = kiln_operands(s->fn, id)[1];
  if (!is_vector(s->fn, vector))
    return vector;
  unsigned count = kiln_type_lanes(s->fn->insts[vector].type), lane;
  const kiln_value *lanes = lanes_of(s, vector);
  if (constant_lane(s, index, count, &lane))
    return lanes[lane];
  struct kiln_builder b = kiln_builder_before(s->fn, id);
  index = index_modulo(s, &b, index, count);
  kiln_value result = lanes[0];
  for (unsigned i = 1; i < count; i++)
    result = kiln_build3(&b, KILN_OP_SELECT, is_lane(s, &b, index, i), lanes[i], result);
  return result;
}

static void insert(struct scalarise *s, kiln_value id) {
  const kiln_value *operands = kiln_operands(s->fn, id);
  kiln_value vector = operands[0], scalar = operands[1], index = operands[2];
  unsigned count = kiln_type_lanes(s->fn->insts[id].type), lane;
  const kiln_value *old = lanes_of(s, vector);
  kiln_value *lanes = new_lanes(s, id);
  memcpy(lanes, old, count * sizeof *lanes);
  if (constant_lane(s, index, count, &lane)) {
    lanes[lane] = scalar;
    return;
  }
  struct kiln_builder b = kiln_builder_before(s->fn, id);
  index = index_modulo(s, &b, index, count);
  for (unsigned i = 0; i < count; i++)
    lanes[i] = kiln_build3(&b, KILN_OP_SELECT, is_lane(s, &b, index, i), scalar, old[i]);
}

static void shuffle(struct scalarise *s, kiln_value id) {
  struct kiln_function *fn = s->fn;
  kiln_value x = kiln_operands(fn, id)[0], y = kiln_operands(fn, id)[1];
  unsigned first = kiln_type_lanes(fn->insts[x].type), both = first + kiln_type_lanes(fn->insts[y].type);
  kiln_value *lanes = new_lanes(s, id);
  for (unsigned i = 0; i < kiln_type_lanes(fn->insts[id].type); i++) {
    uint8_t lane = fn->shuffles[fn->insts[id].node][i];
    lanes[i] = lane >= both   ? kiln_undef(fn, kiln_type_element(fn->insts[id].type))
               : lane < first ? lane_of(s, x, lane)
                              : lane_of(s, y, lane - first);
  }
}

static kiln_value reduce(struct scalarise *s, kiln_value id) {
  kiln_value vector = kiln_operands(s->fn, id)[0];
  enum kiln_op op = s->fn->insts[id].op == KILN_OP_ANY ? KILN_OP_BOR : KILN_OP_BAND;
  struct kiln_builder b = kiln_builder_before(s->fn, id);
  kiln_value result = lane_of(s, vector, 0);
  for (unsigned i = 1; i < kiln_type_lanes(s->fn->insts[vector].type); i++)
    result = kiln_build2(&b, op, result, lane_of(s, vector, i));
  return result;
}

// ---- bits -----------------------------------------------------------------------------------------------------------

static enum kiln_kind int_kind(unsigned bits) {
  return bits == 8 ? KILN_I8 : bits == 16 ? KILN_I16 : bits == 32 ? KILN_I32 : KILN_I64;
}

static kiln_value as(struct kiln_builder *b, kiln_value value, enum kiln_kind kind) {
  if (kiln_type_kind(b->fn->insts[value].type) == kind)
    return value;
  return kiln_build1(b, KILN_OP_BITCAST, kiln_scalar_type(kind), value);
}

// An integer of to bits, made of consecutive integers of from bits.
static kiln_value join(struct scalarise *s, struct kiln_builder *b, const kiln_value *parts, unsigned from,
                       unsigned to) {
  kiln_value result = 0;
  kiln_type type = kiln_scalar_type(int_kind(to));
  for (unsigned i = 0; i < to / from; i++) {
    kiln_value part = kiln_build1(b, KILN_OP_ZEXT, type, parts[i]);
    if (i)
      part = kiln_build2(b, KILN_OP_SHL, part, int_const(s, int_kind(to), (uint64_t)from * i));
    result = i ? kiln_build2(b, KILN_OP_OR, result, part) : part;
  }
  return result;
}

static kiln_value part_of(struct scalarise *s, struct kiln_builder *b, kiln_value whole, unsigned from, unsigned to,
                          unsigned index) {
  if (index)
    whole = kiln_build2(b, KILN_OP_LSHR, whole, int_const(s, int_kind(from), (uint64_t)to * index));
  return kiln_build1(b, KILN_OP_TRUNC, kiln_scalar_type(int_kind(to)), whole);
}

static void cast_bits(struct scalarise *s, kiln_value id, kiln_value *out) {
  struct kiln_function *fn = s->fn;
  kiln_value source = kiln_operands(fn, id)[0];
  enum kiln_kind from_kind = kiln_type_kind(fn->insts[source].type), to_kind = kiln_type_kind(fn->insts[id].type);
  unsigned from = kiln_kind_bits(from_kind), to = kiln_kind_bits(to_kind);
  struct kiln_builder b = kiln_builder_before(s->fn, id);
  kiln_value parts[MAX_LANES];
  unsigned source_lanes = kiln_type_lanes(fn->insts[source].type), count = kiln_type_lanes(fn->insts[id].type);
  for (unsigned i = 0; i < source_lanes; i++) {
    parts[i] = lane_of(s, source, i);
    if (from != to)
      parts[i] = as(&b, parts[i], int_kind(from));
  }
  for (unsigned i = 0; i < count; i++) {
    kiln_value bits = from == to  ? parts[i]
                      : from < to ? join(s, &b, parts + i * (to / from), from, to)
                                  : part_of(s, &b, parts[i * to / from], from, to, i % (from / to));
    out[i] = as(&b, bits, to_kind);
  }
}

// Where a vector that is loaded is cast to a number: a load of the number in place of the elements; 0: the vector is
// not loaded.
static kiln_value load_as(struct scalarise *s, kiln_value vector, kiln_type type) {
  const struct kiln_inst load = s->fn->insts[vector];
  if (load.op != KILN_OP_LOAD || load.flags & KILN_MEM_VOLATILE)
    return 0;
  struct kiln_builder b = kiln_builder_before(s->fn, vector);
  return kiln_build(&b, KILN_OP_LOAD, type, kiln_operands(s->fn, vector), 1, 0, load.imm2, 0);
}

static void bitcast(struct scalarise *s, kiln_value id) {
  kiln_value scalar;
  kiln_value operand = kiln_operands(s->fn, id)[0];
  if (!is_vector(s->fn, id) && is_vector(s->fn, operand))
    s->replaced.by[id] = load_as(s, operand, s->fn->insts[id].type);
  if (s->replaced.by[id])
    return;
  if (is_vector(s->fn, id)) {
    cast_bits(s, id, new_lanes(s, id));
  } else if (is_vector(s->fn, operand)) {
    cast_bits(s, id, &scalar);
    s->replaced.by[id] = scalar;
  }
}

// ---- the walk -------------------------------------------------------------------------------------------------------

static void pure(struct scalarise *s, kiln_value id) {
  struct kiln_function *fn = s->fn;
  unsigned op = fn->insts[id].op;
  if (op == KILN_OP_EXTRACT) {
    s->replaced.by[id] = extract(s, id);
  } else if (op == KILN_OP_ANY || op == KILN_OP_ALL) {
    s->replaced.by[id] = reduce(s, id);
  } else if (op == KILN_OP_BITCAST) {
    bitcast(s, id);
  } else if (!is_vector(fn, id)) {
    return;
  } else if (op == KILN_OP_INSERT) {
    insert(s, id);
  } else if (op == KILN_OP_SHUFFLE) {
    shuffle(s, id);
  } else if (op == KILN_OP_VEC || op == KILN_OP_SPLAT) {
    kiln_value *lanes = new_lanes(s, id);
    for (unsigned i = 0; i < kiln_type_lanes(fn->insts[id].type); i++)
      lanes[i] = kiln_operands(fn, id)[op == KILN_OP_VEC ? i : 0];
  } else {
    lane_by_lane(s, id);
  }
}

// Adds phis for the lanes after the phis that are there; jumps then give values to both.
static void split_phis(struct scalarise *s, kiln_value id, bool header) {
  struct kiln_function *fn = s->fn;
  uint32_t count = header ? kiln_node(fn, id)->header.count : kiln_node(fn, id)->results.count;
  for (uint32_t i = 0; i < count; i++) {
    struct kiln_value_list *list = header ? &kiln_node(fn, id)->header : &kiln_node(fn, id)->results;
    kiln_value phi = list->items[i];
    if (!is_vector(fn, phi))
      continue;
    kiln_type type = fn->insts[phi].type;
    kiln_value *lanes = new_lanes(s, phi), initial = header ? kiln_operands(fn, id)[i] : 0;
    for (unsigned k = 0; k < kiln_type_lanes(type); k++) {
      lanes[k] = header ? kiln_loop_add_header(fn, id, lane_of(s, initial, k))
                        : kiln_node_add_result(fn, id, kiln_type_element(type));
      fn->insts[lanes[k]].name = fn->insts[phi].name;
    }
  }
}

static void extend_jump(struct scalarise *s, kiln_value id) {
  uint32_t count = s->fn->insts[id].operand_count;
  for (uint32_t i = 0; i < count; i++) {
    kiln_value operand = kiln_operands(s->fn, id)[i];
    if (!is_vector(s->fn, operand))
      continue;
    for (unsigned k = 0; k < kiln_type_lanes(s->fn->insts[operand].type); k++)
      kiln_add_operand(s->fn, id, lane_of(s, operand, k));
  }
}

static void walk(struct scalarise *s, uint32_t region) {
  struct kiln_function *fn = s->fn;
  for (kiln_value id = fn->regions[region].first, next; id; id = next) {
    next = fn->insts[id].next;
    kiln_resolve_operands(fn, id, &s->replaced);
    unsigned op = fn->insts[id].op;
    if (kiln_op_is_node(op)) {
      split_phis(s, id, true);
      split_phis(s, id, false);
      for (uint32_t r = 0; r < kiln_node(fn, id)->region_count; r++)
        walk(s, kiln_node(fn, id)->region_first + r);
    } else if (op == KILN_OP_YIELD || op == KILN_OP_BREAK || op == KILN_OP_CONTINUE) {
      extend_jump(s, id);
    } else if (kiln_op_table[op].effect == KILN_EFFECT_PURE) {
      pure(s, id);
    } else {
      assemble_operands(s, id);
      if (is_vector(fn, id)) {
        struct kiln_builder b = kiln_builder_before(fn, next);
        b.loc = fn->insts[id].loc;
        extract_lanes(s, &b, id);
      }
    }
  }
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_function *fn = subject;
  struct scalarise s = {.fn = fn, .arena = arena};
  s.lanes = KILN_NEW_ARRAY(arena, kiln_value *, fn->inst_count);
  s.replaced = kiln_replaced_new(fn, arena);
  s.body_first = fn->regions[fn->body].first;
  bool vectors = false;
  for (kiln_value id = 1; id < fn->inst_count && !vectors; id++)
    vectors = is_vector(fn, id);
  if (vectors)
    walk(&s, fn->body);
  return s.changed;
}

bool kiln_pass_scalarise(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }
