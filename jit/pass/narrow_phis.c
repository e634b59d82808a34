// Narrowing of what loops carry: header phis of 64 bits of which only the lower 32 bits are used become phis of 32
// bits. Optimisers count in 64 bits, and use the lower half, where the source counts in 32:
//
//   loop (i: i64 = id) { … padd p, sext (trunc i) … continue (iadd size, sext (trunc i)) }
//
// Such a phi wraps at another place than the index does, so that nothing is known of what it differs by from lane to
// lane once the index is extended.
//
// The lower bits of sums, products and bitwise operations depend on the lower bits of the operands alone. Phis and
// these operations are candidates as long as everything that uses them is a candidate too, or drops the upper half: a
// truncation, or a mask of 32 bits. Candidates that use one another become narrow together, if there is a header phi
// among them, and they are more than the values that have to be truncated for them. Queries of ids, constants, and what
// a loop begins with are not counted, since extensions and truncations of them cost nothing or run once. Leaves the old
// instructions to dce. Requires a verified function. Linear.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): sums_carried.
#include "base/worklist.h"
#include "jit/pass/common.h"

enum { NARROW_BITS = 32, LEAST_GAIN = 3 }; // LEAST_GAIN: candidates for each truncation

struct narrow_phis {
  struct kiln_function *fn;
  uint32_t count; // of values before
  struct kiln_jumps jumps;
  struct kiln_worklist refused; // values that are no candidates, whose operands have to be looked at
  bool *candidate;              // by value
  uint32_t *place;              // by phi: its place in the list of its node
  kiln_value *leader;           // by candidate: the one that stands for all that become narrow together
  int32_t *gain;                // by leader: candidates less what has to be truncated for them
  bool *has_header;             // by leader: a loop carries one of them
  kiln_value *low;              // by candidate: what it has become
};

static const struct kiln_inst *inst_of(const struct narrow_phis *n, kiln_value v) { return &n->fn->insts[v]; }

static bool is_wide(const struct narrow_phis *n, kiln_value v) {
  return inst_of(n, v)->type == kiln_scalar_type(KILN_I64);
}

// ---- candidates

// Whether the lower half of the result is made of the lower halves of the operands.
static bool has_narrow_form(const struct narrow_phis *n, kiln_value v) {
  const struct kiln_inst *in = inst_of(n, v);
  if (!is_wide(n, v))
    return false;
  switch (in->op) {
  case KILN_OP_PHI:
  case KILN_OP_IADD:
  case KILN_OP_ISUB:
  case KILN_OP_IMUL:
  case KILN_OP_AND:
  case KILN_OP_OR:
  case KILN_OP_XOR:
  case KILN_OP_SELECT:
    return true;
  case KILN_OP_SHL: {
    const struct kiln_inst *count = inst_of(n, kiln_operands(n->fn, v)[1]);
    return count->op == KILN_OP_CONST && count->imm < NARROW_BITS;
  }
  }
  return false;
}

// Whether the value has the lower bits of its first operand, and zeros.
static bool is_mask(const struct narrow_phis *n, kiln_value v) {
  const kiln_value *x = kiln_operands(n->fn, v);
  return inst_of(n, v)->op == KILN_OP_AND && is_wide(n, v) && inst_of(n, x[1])->op == KILN_OP_CONST &&
         inst_of(n, x[1])->imm <= kiln_bits_mask(NARROW_BITS);
}

static bool is_truncation(const struct narrow_phis *n, kiln_value v) {
  return inst_of(n, v)->op == KILN_OP_TRUNC && kiln_kind_bits(kiln_type_kind(inst_of(n, v)->type)) <= NARROW_BITS;
}

// Whether the instruction uses the lower half of this operand alone.
static bool takes_low(const struct narrow_phis *n, kiln_value user, uint32_t index) {
  const struct kiln_value_list *phis = kiln_phis_of(n->fn, user);
  return phis ? n->candidate[phis->items[index]] : n->candidate[user] || is_truncation(n, user) || is_mask(n, user);
}

static void refuse(struct narrow_phis *n, kiln_value v) {
  n->candidate[v] = false;
  kiln_worklist_add(&n->refused, v);
}

// The instruction has been refused: so are its operands, except where it takes the lower half all the same.
static void refuse_operands(struct narrow_phis *n, kiln_value v) {
  for (uint32_t i = 0; i < inst_of(n, v)->operand_count; i++)
    if (n->candidate[kiln_operands(n->fn, v)[i]] && !takes_low(n, v, i))
      refuse(n, kiln_operands(n->fn, v)[i]);
}

static bool is_header(const struct narrow_phis *n, kiln_value phi) {
  const struct kiln_value_list *header = &kiln_node(n->fn, (kiln_value)inst_of(n, phi)->imm)->header;
  return n->place[phi] < header->count && header->items[n->place[phi]] == phi;
}

// Calls visit for each jump or loop that gives a value to the phi.
static void each_source(struct narrow_phis *n, kiln_value phi,
                        void (*visit)(struct narrow_phis *n, kiln_value phi, kiln_value source)) {
  kiln_value node = (kiln_value)inst_of(n, phi)->imm;
  bool header = is_header(n, phi);
  if (header)
    visit(n, phi, node);
  for (kiln_value jump = n->jumps.first[node]; jump; jump = n->jumps.next[jump])
    if ((inst_of(n, jump)->op == KILN_OP_CONTINUE) == header)
      visit(n, phi, jump);
}

static void refuse_source(struct narrow_phis *n, kiln_value phi, kiln_value source) {
  kiln_value value = kiln_operands(n->fn, source)[n->place[phi]];
  if (n->candidate[value])
    refuse(n, value);
}

static void enter_phis(struct narrow_phis *n, const struct kiln_value_list *phis) {
  for (uint32_t i = 0; i < phis->count; i++) {
    n->candidate[phis->items[i]] = is_wide(n, phis->items[i]);
    n->place[phis->items[i]] = i;
  }
}

static void find_candidates(struct narrow_phis *n) {
  const struct kiln_function *fn = n->fn;
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_walk_next(fn, v)) {
    n->candidate[v] = has_narrow_form(n, v);
    if (kiln_op_is_node(inst_of(n, v)->op)) {
      enter_phis(n, &kiln_node(fn, v)->header);
      enter_phis(n, &kiln_node(fn, v)->results);
    }
  }
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_walk_next(fn, v))
    refuse_operands(n, v);
  for (kiln_value v; kiln_worklist_take(&n->refused, &v);)
    if (inst_of(n, v)->op == KILN_OP_PHI)
      each_source(n, v, refuse_source);
    else
      refuse_operands(n, v);
}

// ---- what becomes narrow together

static void join(struct narrow_phis *n, kiln_value v, kiln_value operand) {
  if (n->candidate[operand])
    n->leader[kiln_leader_of(n->leader, operand)] = kiln_leader_of(n->leader, v);
}

static void join_source(struct narrow_phis *n, kiln_value phi, kiln_value source) {
  join(n, phi, kiln_operands(n->fn, source)[n->place[phi]]);
}

static bool is_extension(const struct narrow_phis *n, kiln_value v) {
  return (inst_of(n, v)->op == KILN_OP_ZEXT || inst_of(n, v)->op == KILN_OP_SEXT) && is_wide(n, v);
}

static void count_operand(struct narrow_phis *n, kiln_value v, kiln_value operand) {
  if (is_wide(n, operand) && !n->candidate[operand] && !is_extension(n, operand) &&
      !kiln_op_is_free(inst_of(n, operand)->op) && kiln_effect_of(n->fn, operand) != KILN_EFFECT_ITEM)
    n->gain[kiln_leader_of(n->leader, v)] -= LEAST_GAIN;
}

static void count_source(struct narrow_phis *n, kiln_value phi, kiln_value source) {
  if (inst_of(n, source)->op != KILN_OP_LOOP)
    count_operand(n, phi, kiln_operands(n->fn, source)[n->place[phi]]);
}

static void count_gain(struct narrow_phis *n, kiln_value v) {
  kiln_value leader = kiln_leader_of(n->leader, v);
  n->gain[leader]++;
  if (inst_of(n, v)->op == KILN_OP_PHI) {
    n->has_header[leader] |= is_header(n, v);
    each_source(n, v, count_source);
    return;
  }
  for (uint32_t i = 0; i < inst_of(n, v)->operand_count; i++)
    count_operand(n, v, kiln_operands(n->fn, v)[i]);
}

// Whether there is something to narrow.
static bool choose(struct narrow_phis *n) {
  bool any = false;
  for (kiln_value v = 1; v < n->count; v++)
    n->leader[v] = v;
  for (kiln_value v = 1; v < n->count; v++) {
    if (!n->candidate[v])
      continue;
    if (inst_of(n, v)->op == KILN_OP_PHI)
      each_source(n, v, join_source);
    else
      for (uint32_t i = 0; i < inst_of(n, v)->operand_count; i++)
        join(n, v, kiln_operands(n->fn, v)[i]);
  }
  for (kiln_value v = 1; v < n->count; v++)
    if (n->candidate[v])
      count_gain(n, v);
  for (kiln_value v = 1; v < n->count; v++) {
    kiln_value leader = kiln_leader_of(n->leader, v);
    n->candidate[v] &= n->has_header[leader] && n->gain[leader] > 0;
    any |= n->candidate[v];
  }
  return any;
}

// ---- the change

// The lower half of a value, for an instruction.
static kiln_value low_of(struct narrow_phis *n, kiln_value v, kiln_value user) {
  kiln_type type = kiln_scalar_type(KILN_I32);
  if (n->candidate[v])
    return n->low[v];
  if (inst_of(n, v)->op == KILN_OP_CONST)
    return kiln_const(n->fn, type, inst_of(n, v)->imm & kiln_bits_mask(NARROW_BITS));
  struct kiln_builder b = kiln_builder_before(n->fn, user);
  return kiln_build1(&b, KILN_OP_TRUNC, type, v);
}

static void keep_name(struct narrow_phis *n, kiln_value v) { n->fn->insts[n->low[v]].name = inst_of(n, v)->name; }

static void narrow_op(struct narrow_phis *n, kiln_value v) {
  const struct kiln_inst in = *inst_of(n, v);
  kiln_value x[3];
  for (uint32_t i = 0; i < in.operand_count; i++) {
    kiln_value operand = kiln_operands(n->fn, v)[i];
    x[i] = is_wide(n, operand) ? low_of(n, operand, v) : operand; // the condition of SELECT stays what it is
  }
  struct kiln_builder b = kiln_builder_before(n->fn, v);
  b.loc = in.loc;
  n->low[v] = kiln_build(&b, (enum kiln_op)in.op, kiln_scalar_type(KILN_I32), x, in.operand_count, 0, 0, 0);
  keep_name(n, v);
}

// Adds the lower halves that the jump or loop gives to phis. The narrow header phis of a loop are made here.
static void give_low(struct narrow_phis *n, kiln_value source) {
  uint32_t count = inst_of(n, source)->operand_count;
  for (uint32_t i = 0; i < count; i++) {
    kiln_value phi = kiln_phis_of(n->fn, source)->items[i];
    if (!n->candidate[phi])
      continue;
    kiln_value value = low_of(n, kiln_operands(n->fn, source)[i], source);
    if (inst_of(n, source)->op != KILN_OP_LOOP) {
      kiln_add_operand(n->fn, source, value);
      continue;
    }
    n->low[phi] = kiln_loop_add_header(n->fn, source, value);
    keep_name(n, phi);
  }
}

static void add_results(struct narrow_phis *n, kiln_value node) {
  for (uint32_t i = 0, count = kiln_node(n->fn, node)->results.count; i < count; i++) {
    kiln_value phi = kiln_node(n->fn, node)->results.items[i];
    if (!n->candidate[phi])
      continue;
    n->low[phi] = kiln_node_add_result(n->fn, node, kiln_scalar_type(KILN_I32));
    keep_name(n, phi);
  }
}

// A truncation becomes one of 32 bits, and a mask an extension of masked 32 bits.
static void narrow_user(struct narrow_phis *n, kiln_value v) {
  const kiln_value *x = kiln_operands(n->fn, v);
  bool masks = is_mask(n, v);
  if ((!masks && !is_truncation(n, v)) || !n->candidate[x[0]])
    return;
  kiln_type type = kiln_scalar_type(KILN_I32);
  kiln_value operands[2] = {n->low[x[0]], masks ? low_of(n, x[1], v) : kiln_const(n->fn, type, 0)};
  struct kiln_builder b = kiln_builder_before(n->fn, v);
  if (masks) {
    operands[0] = kiln_build2(&b, KILN_OP_AND, operands[0], operands[1]);
    n->fn->insts[v].op = KILN_OP_ZEXT;
  } else if (inst_of(n, v)->type == type) { // which simplification takes away
    n->fn->insts[v].op = KILN_OP_OR;
  }
  kiln_set_operands(n->fn, v, operands, inst_of(n, v)->op == KILN_OP_OR ? 2 : 1);
}

static void narrow_all(struct narrow_phis *n) {
  struct kiln_function *fn = n->fn;
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_walk_next(fn, v)) {
    if (v >= n->count)
      continue;
    if (kiln_phis_of(fn, v))
      give_low(n, v);
    if (kiln_op_is_node(inst_of(n, v)->op))
      add_results(n, v);
    else if (n->candidate[v])
      narrow_op(n, v);
    else
      narrow_user(n, v);
  }
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_function *fn = subject;
  struct narrow_phis n = {.fn = fn, .count = fn->inst_count, .jumps = kiln_jumps_find(fn, arena)};
  n.candidate = KILN_NEW_ARRAY(arena, bool, n.count);
  n.place = KILN_NEW_ARRAY(arena, uint32_t, n.count);
  kiln_worklist_begin(&n.refused, arena, n.count);
  find_candidates(&n);
  n.leader = KILN_NEW_ARRAY(arena, kiln_value, n.count);
  n.gain = KILN_NEW_ARRAY(arena, int32_t, n.count);
  n.has_header = KILN_NEW_ARRAY(arena, bool, n.count);
  if (!choose(&n))
    return false;
  n.low = KILN_NEW_ARRAY(arena, kiln_value, n.count);
  narrow_all(&n);
  return true;
}

bool kiln_pass_narrow_phis(struct kiln_function *fn) {
  bool carries = false;
  for (uint32_t n = 1; n < fn->node_count && !carries; n++)
    for (uint32_t i = 0; i < fn->nodes[n].header.count; i++)
      carries |= fn->insts[fn->nodes[n].header.items[i]].type == kiln_scalar_type(KILN_I64);
  return carries && kiln_pass_scratch(fn->module, fn, run);
}
