// Packing: scalar operations that do the same to each component of a vector in memory become one operation on vectors.
//
// Where x[id] = a * x[id] is about vectors of four, scalarise has made four products, between a load that is taken
// apart and a store that is put together. With many work-items in a register both are transpositions. A backend that
// keeps such values in the order of memory needs neither. A tuple is one scalar per component: it begins at the
// operands of a store and goes on to the operands of equal operations, through phis, to loads that are used whole, to
// values that are the same for all components, or to any other values, which have to be put together. Tuples that use
// one another are a web; it is packed if it saves more transpositions than it adds. Leaves the old instructions to dce.
// Requires a verified function.
#include "jit/pass/common.h"

#include <string.h>

#define MAX_COMPONENTS 16
#define MAX_TUPLES 1024
#define MAX_ROUNDS 16
#define MAX_WEIGHT 4096
#define ITERATIONS 8 // assumed, of a loop

enum tuple_kind { JOINED, SAME, CONSTANTS, WHOLE, OPERATION, HEADER, RESULT };

struct tuple {
  const kiln_value *lanes;
  unsigned count;
  enum tuple_kind kind;
  kiln_value whole; // WHOLE: the vector; OPERATION: the last of the lanes; HEADER, RESULT: the node
  uint32_t *inputs; // of OPERATION: by operand; of HEADER: the first values and those of each jump; of RESULT: by jump
  kiln_value *takers; // by input: where it is needed
  uint32_t input_count;
  uint32_t web;        // a tuple that stands for all of the web
  uint32_t next;       // with the same first lane
  uint32_t next_there; // at the same place
  int64_t gain;        // of the web
  kiln_value built;
};

struct pack {
  struct kiln_function *fn;
  struct kiln_arena *arena;
  struct kiln_jumps jumps;
  struct tuple *tuples; // from 1 on
  uint32_t count, value_count;
  uint32_t *of_first;      // by value
  uint32_t *place;         // by value: its place in the order of the program
  uint32_t *index;         // by phi: its place among those of its node
  bool *is_header;         // by phi
  uint32_t *uses, *inside; // by value: of all uses, those by tuples
  uint32_t *there;         // by place: the tuples that are built there
  kiln_value *roots;       // stores
  uint32_t *root_tuples;
  uint32_t root_count, places;
  bool full; // there are more tuples
};

static const struct kiln_inst *inst_of(const struct pack *p, kiln_value v) { return &p->fn->insts[v]; }

// ---- tuples

static bool can_be_packed(enum kiln_op op) {
  return (kiln_op_is_componentwise(op) || op == KILN_OP_BITCAST) && !kiln_is_slow_on_vectors(op) && op != KILN_OP_ITOP;
}

static bool are_equal(const struct kiln_inst *x, const struct kiln_inst *y) {
  return x->op == y->op && x->type == y->type && x->region == y->region && x->imm == y->imm && x->imm2 == y->imm2 &&
         x->flags == y->flags && x->operand_count == y->operand_count;
}

// The vector whose components, in order, the lanes are; 0: there is no such vector.
static kiln_value whole_of(const struct pack *p, const kiln_value *lanes, unsigned count) {
  uint64_t at;
  for (unsigned i = 0; i < count; i++) {
    const kiln_value *x = kiln_operands(p->fn, lanes[i]);
    if (inst_of(p, lanes[i])->op != KILN_OP_EXTRACT || x[0] != kiln_operands(p->fn, lanes[0])[0] ||
        kiln_type_lanes(inst_of(p, x[0])->type) != count || !kiln_const_splat(p->fn, x[1], &at) || at != i)
      return 0;
  }
  return kiln_operands(p->fn, lanes[0])[0];
}

static enum tuple_kind kind_of(struct pack *p, const kiln_value *lanes, unsigned count, kiln_value *whole) {
  const struct kiln_inst *first = inst_of(p, lanes[0]);
  bool same = true, equal = true, constant = true;
  for (unsigned i = 0; i < count; i++) {
    same &= lanes[i] == lanes[0];
    equal &= are_equal(first, inst_of(p, lanes[i]));
    constant &= inst_of(p, lanes[i])->op == KILN_OP_CONST || inst_of(p, lanes[i])->op == KILN_OP_UNDEF;
  }
  if (constant)
    return CONSTANTS;
  if (same)
    return SAME;
  if ((*whole = whole_of(p, lanes, count)) != 0)
    return WHOLE;
  if (!equal || (!first->region && first->op != KILN_OP_PHI))
    return JOINED;
  const kiln_value *x = kiln_operands(p->fn, lanes[0]);
  if (can_be_packed((enum kiln_op)first->op)) {
    for (uint32_t k = 0; k < first->operand_count; k++) // every lane's, since types of operands are the operation's
      for (unsigned i = 0; i < count; i++) {
        kiln_type type = inst_of(p, kiln_operands(p->fn, lanes[i])[k])->type;
        if (kiln_type_kind(type) == KILN_PTR || type != inst_of(p, x[k])->type || kiln_type_lanes(type) > 1)
          return JOINED;
      }
    return OPERATION;
  }
  if (first->op != KILN_OP_PHI || kiln_type_kind(first->type) == KILN_BOOL || kiln_type_kind(first->type) == KILN_PTR)
    return JOINED;
  for (unsigned i = 0; i < count; i++)
    if (p->is_header[lanes[i]] != p->is_header[lanes[0]])
      return JOINED;
  *whole = (kiln_value)first->imm;
  return p->is_header[lanes[0]] ? HEADER : RESULT;
}

static uint32_t tuple_of(struct pack *p, const kiln_value *lanes, unsigned count) {
  if (p->full)
    return 0;
  for (uint32_t t = p->of_first[lanes[0]]; t; t = p->tuples[t].next)
    if (p->tuples[t].count == count && !memcmp(p->tuples[t].lanes, lanes, count * sizeof *lanes))
      return t;
  kiln_value *kept = KILN_NEW_ARRAY(p->arena, kiln_value, count), whole = 0;
  memcpy(kept, lanes, count * sizeof *kept);
  enum tuple_kind kind = kind_of(p, kept, count, &whole);
  uint32_t t = ++p->count;
  p->full = t == MAX_TUPLES;
  p->tuples[t] = (struct tuple){.lanes = kept, .count = count, .kind = kind, .whole = whole, .web = t};
  p->tuples[t].next = p->of_first[lanes[0]];
  p->of_first[lanes[0]] = t;
  return t;
}

// The tuple of operands: for lane i operand k[i] of from[i].
static uint32_t operands_of(struct pack *p, const kiln_value *from, const uint32_t *k, unsigned count) {
  kiln_value lanes[MAX_COMPONENTS];
  for (unsigned i = 0; i < count; i++)
    lanes[i] = kiln_operands(p->fn, from[i])[k[i]];
  return tuple_of(p, lanes, count);
}

static void add_input(struct pack *p, uint32_t t, const kiln_value *from, const uint32_t *k, kiln_value taker) {
  uint32_t input = operands_of(p, from, k, p->tuples[t].count);
  struct tuple *tuple = &p->tuples[t];
  tuple->takers[tuple->input_count] = taker;
  tuple->inputs[tuple->input_count++] = input;
}

// Finds the inputs of a tuple.
static void expand(struct pack *p, uint32_t t) {
  struct tuple *tuple = &p->tuples[t];
  kiln_value from[MAX_COMPONENTS];
  uint32_t k[MAX_COMPONENTS], room = 1;
  if (tuple->kind < OPERATION)
    return;
  if (tuple->kind == OPERATION) {
    kiln_value last = tuple->lanes[0];
    for (unsigned i = 1; i < tuple->count; i++)
      last = p->place[tuple->lanes[i]] > p->place[last] ? tuple->lanes[i] : last;
    tuple->whole = last;
    room = inst_of(p, tuple->lanes[0])->operand_count;
  } else {
    for (kiln_value jump = p->jumps.first[tuple->whole]; jump; jump = p->jumps.next[jump])
      room++;
  }
  tuple->inputs = KILN_NEW_ARRAY(p->arena, uint32_t, room);
  tuple->takers = KILN_NEW_ARRAY(p->arena, kiln_value, room);
  if (tuple->kind == OPERATION) {
    for (uint32_t o = 0; o < room; o++) {
      for (unsigned i = 0; i < tuple->count; i++)
        k[i] = o;
      add_input(p, t, tuple->lanes, k, inst_of(p, tuple->whole)->next);
    }
    return;
  }
  for (unsigned i = 0; i < tuple->count; i++)
    k[i] = p->index[tuple->lanes[i]];
  for (unsigned i = 0; i < tuple->count; i++)
    from[i] = tuple->whole;
  if (tuple->kind == HEADER)
    add_input(p, t, from, k, tuple->whole);
  for (kiln_value jump = p->jumps.first[tuple->whole]; jump; jump = p->jumps.next[jump]) {
    if ((inst_of(p, jump)->op == KILN_OP_CONTINUE) != (tuple->kind == HEADER))
      continue;
    for (unsigned i = 0; i < tuple->count; i++)
      from[i] = jump;
    add_input(p, t, from, k, jump);
  }
}

// ---- the choice

static void count_inside(struct pack *p) {
  memset(p->inside, 0, p->value_count * sizeof *p->inside);
  for (uint32_t t = 1; t <= p->count; t++)
    for (uint32_t i = 0; i < p->tuples[t].input_count; i++) {
      const struct tuple *input = &p->tuples[p->tuples[t].inputs[i]];
      for (unsigned c = 0; input->kind >= WHOLE && c < input->count; c++)
        p->inside[input->lanes[c]]++;
    }
  for (uint32_t r = 0; r < p->root_count; r++) {
    const struct tuple *input = &p->tuples[p->root_tuples[r]];
    for (unsigned c = 0; c < input->count; c++)
      p->inside[input->lanes[c]]++;
  }
}

static bool is_used_inside(const struct pack *p, const struct tuple *tuple) {
  for (unsigned c = 0; c < tuple->count; c++)
    if (p->uses[tuple->lanes[c]] != p->inside[tuple->lanes[c]])
      return false;
  return true;
}

// Components that are needed as scalars as well are not computed twice. False: too many tuples have components of that
// kind.
static bool demote(struct pack *p) {
  bool changed = true;
  for (unsigned round = 0; changed; round++) {
    if (round == MAX_ROUNDS)
      return false;
    changed = false;
    count_inside(p);
    for (uint32_t t = 1; t <= p->count; t++)
      if (p->tuples[t].kind >= OPERATION && !is_used_inside(p, &p->tuples[t])) {
        p->tuples[t].kind = JOINED;
        p->tuples[t].input_count = 0;
        changed = true;
      }
  }
  return true;
}

static uint32_t web_of(struct pack *p, uint32_t t) {
  while (p->tuples[t].web != t)
    t = p->tuples[t].web = p->tuples[p->tuples[t].web].web;
  return t;
}

static int64_t weight(const struct pack *p, kiln_value v) {
  int64_t times = 1;
  for (v = kiln_owner(p->fn, v); v && times < MAX_WEIGHT; v = kiln_owner(p->fn, v))
    times *= inst_of(p, v)->op == KILN_OP_LOOP ? ITERATIONS : 1;
  return times;
}

static bool is_uniform(const struct pack *p, kiln_value v) {
  return kiln_op_is_free(inst_of(p, v)->op) || p->fn->shapes[v].kind == KILN_SHAPE_UNIFORM;
}

// The cost of an input, in shuffles of one register each. A transposition takes two of them for each component.
static int64_t input_cost(const struct pack *p, const struct tuple *input, kiln_value taker) {
  if (input->kind == JOINED)
    return 2 * input->count * weight(p, taker);
  return input->kind == SAME && !is_uniform(p, input->lanes[0]) ? input->count * weight(p, taker) : 0;
}

// What an access gains by the order of memory. Chunks of 16 bytes are accessed whole, wherever they are, and would be
// transposed into the other order. Smaller vectors that are not contiguous need shuffles in either order.
static int64_t access_gain(const struct pack *p, kiln_value access, unsigned count, kiln_type element) {
  struct kiln_shape shape = p->fn->shapes[kiln_operands(p->fn, access)[0]];
  uint32_t bytes = count * kiln_type_bytes(element);
  bool contiguous = shape.kind == KILN_SHAPE_LINEAR && shape.stride == (int64_t)bytes;
  return (contiguous || bytes % KILN_CHUNK_BYTES == 0 ? 2 * count : count / 2) * weight(p, access);
}

static void find_webs(struct pack *p) {
  for (uint32_t t = 1; t <= p->count; t++)
    for (uint32_t i = 0; i < p->tuples[t].input_count; i++) {
      uint32_t input = p->tuples[t].inputs[i];
      if (p->tuples[input].kind >= WHOLE)
        p->tuples[web_of(p, input)].web = web_of(p, t);
    }
}

static void add_gains(struct pack *p) {
  for (uint32_t t = 1; t <= p->count; t++) {
    const struct tuple *tuple = &p->tuples[t];
    int64_t *gain = &p->tuples[web_of(p, t)].gain;
    for (uint32_t i = 0; i < tuple->input_count; i++)
      *gain -= input_cost(p, &p->tuples[tuple->inputs[i]], tuple->takers[i]);
    if (tuple->kind == WHOLE && inst_of(p, tuple->whole)->op == KILN_OP_LOAD && !is_uniform(p, tuple->whole) &&
        p->uses[tuple->whole] == tuple->count && is_used_inside(p, tuple))
      *gain += access_gain(p, tuple->whole, tuple->count, inst_of(p, tuple->lanes[0])->type);
  }
  for (uint32_t r = 0; r < p->root_count; r++) {
    const struct tuple *tuple = &p->tuples[p->root_tuples[r]];
    p->tuples[web_of(p, p->root_tuples[r])].gain +=
        access_gain(p, p->roots[r], tuple->count, inst_of(p, tuple->lanes[0])->type);
  }
}

// ---- building

static kiln_value vector_before(struct pack *p, uint32_t t, kiln_value where) {
  struct tuple *tuple = &p->tuples[t];
  kiln_type type = kiln_type_with_lanes(inst_of(p, tuple->lanes[0])->type, tuple->count);
  if (tuple->built)
    return tuple->built;
  if (tuple->kind == WHOLE)
    return tuple->whole;
  if (tuple->kind == CONSTANTS)
    return tuple->built = kiln_const_vec(p->fn, type, tuple->lanes);
  struct kiln_builder b = kiln_builder_before(p->fn, where);
  if (tuple->kind == SAME)
    return kiln_build(&b, KILN_OP_SPLAT, type, tuple->lanes, 1, 0, 0, 0);
  return kiln_build(&b, KILN_OP_VEC, type, tuple->lanes, tuple->count, 0, 0, 0);
}

static void build(struct pack *p, uint32_t t) {
  struct tuple *tuple = &p->tuples[t];
  const struct kiln_inst first = *inst_of(p, tuple->lanes[0]);
  kiln_type type = kiln_type_with_lanes(first.type, tuple->count);
  kiln_value operands[3];
  if (tuple->kind == RESULT) {
    tuple->built = kiln_node_add_result(p->fn, tuple->whole, type);
  } else if (tuple->kind == HEADER) {
    tuple->built = kiln_loop_add_header(p->fn, tuple->whole, vector_before(p, tuple->inputs[0], tuple->whole));
  } else {
    for (uint32_t i = 0; i < tuple->input_count && i < 3; i++)
      operands[i] = vector_before(p, tuple->inputs[i], tuple->takers[i]);
    struct kiln_builder b = kiln_builder_before(p->fn, tuple->takers[0]);
    b.loc = first.loc;
    tuple->built =
        kiln_build(&b, (enum kiln_op)first.op, type, operands, tuple->input_count, first.imm, first.imm2, first.flags);
  }
  if (!p->fn->insts[tuple->built].name)
    p->fn->insts[tuple->built].name = first.name;
}

// Builds the webs in the order of the program, so that operands come first; jumps get their values at the end.
static bool build_webs(struct pack *p) {
  bool changed = false;
  for (uint32_t t = p->count; t; t--) {
    struct tuple *tuple = &p->tuples[t];
    if (tuple->kind < OPERATION || p->tuples[web_of(p, t)].gain <= 0)
      continue;
    tuple->next_there = p->there[p->place[tuple->whole]];
    p->there[p->place[tuple->whole]] = t;
    changed = true;
  }
  for (uint32_t at = 0; changed && at < p->places; at++)
    for (uint32_t t = p->there[at]; t; t = p->tuples[t].next_there)
      build(p, t);
  for (uint32_t at = 0; changed && at < p->places; at++)
    for (uint32_t t = p->there[at]; t; t = p->tuples[t].next_there)
      for (uint32_t i = p->tuples[t].kind == HEADER; p->tuples[t].kind >= HEADER && i < p->tuples[t].input_count; i++) {
        kiln_value jump = p->tuples[t].takers[i];
        kiln_add_operand(p->fn, jump, vector_before(p, p->tuples[t].inputs[i], jump));
      }
  for (uint32_t r = 0; changed && r < p->root_count; r++)
    if (p->tuples[p->root_tuples[r]].built)
      p->fn->operands[inst_of(p, p->roots[r])->operand_first + 1] = p->tuples[p->root_tuples[r]].built;
  return changed;
}

// ---- the function

static void number(struct pack *p) {
  const struct kiln_function *fn = p->fn;
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_walk_next(fn, v))
    p->place[v] = ++p->places;
  p->places++;
  for (uint32_t n = 1; n < fn->node_count; n++)
    for (unsigned header = 0; header < 2; header++) {
      const struct kiln_value_list *phis = header ? &fn->nodes[n].header : &fn->nodes[n].results;
      for (uint32_t i = 0; i < phis->count; i++) {
        p->index[phis->items[i]] = i;
        p->is_header[phis->items[i]] = header;
      }
    }
}

static bool is_root(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *in = &fn->insts[v];
  if (!in->region || in->op != KILN_OP_STORE || in->flags & KILN_MEM_VOLATILE)
    return false;
  const struct kiln_inst *value = &fn->insts[kiln_operands(fn, v)[1]];
  unsigned count = kiln_type_lanes(value->type);
  return value->op == KILN_OP_VEC && (count & (count - 1)) == 0;
}

static void find_roots(struct pack *p) {
  p->roots = KILN_NEW_ARRAY(p->arena, kiln_value, p->value_count);
  p->root_tuples = KILN_NEW_ARRAY(p->arena, uint32_t, p->value_count);
  for (kiln_value v = 1; v < p->value_count; v++) {
    kiln_value vec = is_root(p->fn, v) ? kiln_operands(p->fn, v)[1] : 0;
    if (!vec || p->uses[vec] > 1 || is_uniform(p, kiln_operands(p->fn, v)[0]))
      continue;
    uint32_t t = tuple_of(p, kiln_operands(p->fn, vec), kiln_type_lanes(inst_of(p, vec)->type));
    p->roots[p->root_count] = v;
    p->root_tuples[p->root_count++] = t;
  }
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_function *fn = subject;
  bool some = false;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    some |= is_root(fn, v);
    if (fn->insts[v].region && (fn->insts[v].op == KILN_OP_CALL || fn->insts[v].op == KILN_OP_VAR))
      return false; // such kernels with vectors run work-item by work-item
  }
  if (!some)
    return false;
  kiln_function_annotate(fn);
  kiln_function_analyse_again(fn);
  struct pack p = {.fn = fn, .arena = arena, .jumps = kiln_jumps_find(fn, arena), .value_count = fn->inst_count};
  p.tuples = KILN_NEW_ARRAY(arena, struct tuple, MAX_TUPLES + 1);
  p.of_first = KILN_NEW_ARRAY(arena, uint32_t, p.value_count);
  p.place = KILN_NEW_ARRAY(arena, uint32_t, p.value_count);
  p.index = KILN_NEW_ARRAY(arena, uint32_t, p.value_count);
  p.is_header = KILN_NEW_ARRAY(arena, bool, p.value_count);
  p.uses = kiln_count_uses(fn, arena);
  p.inside = KILN_NEW_ARRAY(arena, uint32_t, p.value_count);
  bool changed = false;
  if (fn->shapes && !kiln_module_failed(fn->module)) {
    number(&p);
    p.there = KILN_NEW_ARRAY(arena, uint32_t, p.places);
    find_roots(&p);
    for (uint32_t t = 1; t <= p.count; t++)
      expand(&p, t);
    if (!p.full && demote(&p)) {
      find_webs(&p);
      add_gains(&p);
      changed = build_webs(&p);
    }
  }
  kiln_forget_shapes(fn);
  return changed;
}

bool kiln_pass_pack(struct kiln_function *fn) { return fn->is_kernel && kiln_pass_scratch(fn->module, fn, run); }
