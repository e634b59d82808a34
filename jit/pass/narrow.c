// Narrowing: 32-bit arithmetic of which only the lower 16 bits are used becomes 16-bit arithmetic, of which a vector
// register holds twice as many elements. C computes with bytes and shorts in 32 bits, since it widens them to int.
//
// The lower bits of sums, products and bitwise operations depend on the lower bits of the operands alone; for shifts to
// the right, minima, maxima and comparisons that holds if the operands are known to fit in 16 bits. These operations
// are candidates as long as everything that uses them is a candidate too, drops the upper bits, or compares. Candidates
// that use one another become narrow together, if they are more than the values that have to be truncated for them and
// at least one of them comes from a byte or short. Leaves the old instructions to dce. Requires a verified function.
// Linear.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): sums_narrow.
#include "jit/pass/ranges.h"

enum { NARROW_BITS = 16, LEAST_GAIN = 3 }; // LEAST_GAIN: candidates for each truncation

struct narrow {
  struct kiln_function *fn;
  const struct kiln_range *ranges;
  uint32_t count;      // values of before
  bool *candidate;     // by value
  kiln_value *leader;  // by candidate: the one that stands for all that become narrow together
  int32_t *gain;       // by leader: candidates less what has to be truncated for them
  bool *is_small;      // by leader: comes from a byte or short
  kiln_value *low;     // by candidate: what it has become
  kiln_value *widened; // by extension: the same to 16 bits
};

static const struct kiln_inst *inst_of(const struct narrow *n, kiln_value v) { return &n->fn->insts[v]; }

static kiln_type narrow_type(void) { return kiln_scalar_type(KILN_I16); }

static bool fits_signed(const struct narrow *n, kiln_value v) {
  return n->ranges[v].low >= INT16_MIN && n->ranges[v].high <= INT16_MAX;
}

static bool fits_unsigned(const struct narrow *n, kiln_value v) {
  return n->ranges[v].low >= 0 && n->ranges[v].high <= UINT16_MAX;
}

// Whether the value is known to fit in 16 bits. Constants have no range of their own; parameters and other values that
// are never computed have no known range.
static bool fits(const struct narrow *n, kiln_value v, bool is_signed) {
  if (inst_of(n, v)->op != KILN_OP_CONST)
    return !kiln_op_is_free(inst_of(n, v)->op) && (is_signed ? fits_signed(n, v) : fits_unsigned(n, v));
  int32_t bits = (int32_t)inst_of(n, v)->imm;
  return is_signed ? bits >= INT16_MIN && bits <= INT16_MAX : bits >= 0 && bits <= UINT16_MAX;
}

static bool both_fit(const struct narrow *n, const kiln_value *x, bool is_signed) {
  return fits(n, x[0], is_signed) && fits(n, x[1], is_signed);
}

static bool is_small_shift(const struct narrow *n, kiln_value count) {
  return inst_of(n, count)->op == KILN_OP_CONST && inst_of(n, count)->imm < NARROW_BITS;
}

// The operation on 16 bits that gives the lower bits of this one; KILN_OP_COUNT: there is none.
static enum kiln_op narrow_op(const struct narrow *n, kiln_value v) {
  const struct kiln_inst *in = inst_of(n, v);
  const kiln_value *x = kiln_operands(n->fn, v);
  if (in->type != kiln_scalar_type(KILN_I32) || !in->region)
    return KILN_OP_COUNT;
  switch (in->op) {
  case KILN_OP_IADD:
  case KILN_OP_ISUB:
  case KILN_OP_IMUL:
  case KILN_OP_AND:
  case KILN_OP_OR:
  case KILN_OP_XOR:
  case KILN_OP_SELECT:
    return (enum kiln_op)in->op;
  case KILN_OP_SHL:
    return is_small_shift(n, x[1]) ? KILN_OP_SHL : KILN_OP_COUNT;
  case KILN_OP_LSHR:
  case KILN_OP_ASHR:
    if (!is_small_shift(n, x[1]))
      return KILN_OP_COUNT;
    if (fits(n, x[0], false))
      return KILN_OP_LSHR;
    return in->op == KILN_OP_ASHR && fits(n, x[0], true) ? KILN_OP_ASHR : KILN_OP_COUNT;
  case KILN_OP_SMIN:
  case KILN_OP_SMAX:
    if (both_fit(n, x, true))
      return (enum kiln_op)in->op;
    return !both_fit(n, x, false) ? KILN_OP_COUNT : in->op == KILN_OP_SMIN ? KILN_OP_UMIN : KILN_OP_UMAX;
  case KILN_OP_UMIN:
  case KILN_OP_UMAX:
    return both_fit(n, x, false) ? (enum kiln_op)in->op : KILN_OP_COUNT;
  }
  return KILN_OP_COUNT;
}

// The comparison of 16 bits that decides the same; KILN_OP_COUNT: there is none.
static enum kiln_op narrow_comparison(const struct narrow *n, kiln_value v) {
  const struct kiln_inst *in = inst_of(n, v);
  if (in->op < KILN_OP_EQ || in->op > KILN_OP_ULE || kiln_type_lanes(in->type) > 1)
    return KILN_OP_COUNT;
  const kiln_value *x = kiln_operands(n->fn, v);
  if (inst_of(n, x[0])->type != kiln_scalar_type(KILN_I32))
    return KILN_OP_COUNT;
  bool is_signed = both_fit(n, x, true), is_unsigned = both_fit(n, x, false);
  switch (in->op) {
  case KILN_OP_EQ:
  case KILN_OP_NE:
    return is_signed || is_unsigned ? (enum kiln_op)in->op : KILN_OP_COUNT;
  case KILN_OP_SLT:
    return is_signed ? KILN_OP_SLT : is_unsigned ? KILN_OP_ULT : KILN_OP_COUNT;
  case KILN_OP_SLE:
    return is_signed ? KILN_OP_SLE : is_unsigned ? KILN_OP_ULE : KILN_OP_COUNT;
  }
  return is_unsigned ? (enum kiln_op)in->op : KILN_OP_COUNT;
}

static bool is_truncation(const struct narrow *n, kiln_value v) {
  const struct kiln_inst *in = inst_of(n, v);
  enum kiln_kind kind = kiln_type_kind(in->type);
  return in->op == KILN_OP_TRUNC && (kind == KILN_I8 || kind == KILN_I16) && kiln_type_lanes(in->type) == 1;
}

// Whether an operand of the instruction may be narrow.
static bool takes_narrow(const struct narrow *n, kiln_value user, uint32_t index) {
  if (n->candidate[user]) // a count or condition stays as it is
    return !(index == 0 && inst_of(n, user)->op == KILN_OP_SELECT);
  return is_truncation(n, user) || narrow_comparison(n, user) != KILN_OP_COUNT;
}

// Uses follow definitions, except those by phis, which are no candidates: so one walk from the end to the start
// suffices. Ids of values say nothing about their order.
static void find_candidates(struct narrow *n, struct kiln_arena *arena) {
  const struct kiln_function *fn = n->fn;
  kiln_value *order = KILN_NEW_ARRAY(arena, kiln_value, n->count);
  uint32_t length = 0;
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_walk_next(fn, v)) {
    order[length++] = v;
    n->candidate[v] = narrow_op(n, v) != KILN_OP_COUNT;
  }
  while (length) {
    kiln_value user = order[--length];
    for (uint32_t i = 0; i < fn->insts[user].operand_count; i++)
      if (!takes_narrow(n, user, i))
        n->candidate[kiln_operands(fn, user)[i]] = false;
  }
}

// ---- what becomes narrow together

// Whether a value is the extension of a narrow value, and so narrow by itself.
static bool is_extension(const struct narrow *n, kiln_value v) {
  const struct kiln_inst *in = inst_of(n, v);
  if ((in->op != KILN_OP_ZEXT && in->op != KILN_OP_SEXT) || kiln_type_lanes(in->type) > 1)
    return false;
  enum kiln_kind from = kiln_type_kind(inst_of(n, kiln_operands(n->fn, v)[0])->type);
  return from == KILN_I8 || from == KILN_I16 || from == KILN_BOOL;
}

static bool is_narrowed(const struct narrow *n, kiln_value v) {
  return n->candidate[v] || narrow_comparison(n, v) != KILN_OP_COUNT;
}

static void join_operands(struct narrow *n, kiln_value v) {
  for (uint32_t i = 0; i < inst_of(n, v)->operand_count; i++) {
    kiln_value x = kiln_operands(n->fn, v)[i];
    if (n->candidate[x])
      n->leader[kiln_leader_of(n->leader, x)] = kiln_leader_of(n->leader, v);
  }
}

static void count_gain(struct narrow *n, kiln_value v) {
  kiln_value leader = kiln_leader_of(n->leader, v);
  n->gain[leader]++;
  for (uint32_t i = 0; i < inst_of(n, v)->operand_count; i++) {
    kiln_value x = kiln_operands(n->fn, v)[i];
    if (inst_of(n, x)->type != kiln_scalar_type(KILN_I32) || n->candidate[x] || inst_of(n, x)->op == KILN_OP_CONST)
      continue;
    if (is_extension(n, x))
      n->is_small[leader] |= kiln_type_kind(inst_of(n, kiln_operands(n->fn, x)[0])->type) != KILN_BOOL;
    else
      n->gain[leader] -= LEAST_GAIN;
  }
}

// ---- the change

// The lower bits of a value, for the instruction user.
static kiln_value low_of(struct narrow *n, kiln_value v, kiln_value user) {
  if (n->candidate[v])
    return n->low[v];
  if (inst_of(n, v)->op == KILN_OP_CONST)
    return kiln_const(n->fn, narrow_type(), inst_of(n, v)->imm & UINT16_MAX);
  if (!is_extension(n, v)) {
    struct kiln_builder b = kiln_builder_before(n->fn, user);
    return kiln_build1(&b, KILN_OP_TRUNC, narrow_type(), v);
  }
  kiln_value from = kiln_operands(n->fn, v)[0];
  if (kiln_type_kind(inst_of(n, from)->type) == KILN_I16)
    return from;
  if (!n->widened[v]) { // made where v is defined, so that it is visible wherever v is
    struct kiln_builder b = kiln_builder_before(n->fn, v);
    n->widened[v] = kiln_build1(&b, (enum kiln_op)inst_of(n, v)->op, narrow_type(), from);
  }
  return n->widened[v];
}

static void narrow_candidate(struct narrow *n, kiln_value v) {
  enum kiln_op op = narrow_op(n, v);
  uint32_t count = inst_of(n, v)->operand_count, name = inst_of(n, v)->name;
  kiln_value x[3];
  for (uint32_t i = 0; i < count; i++) {
    kiln_value operand = kiln_operands(n->fn, v)[i];
    x[i] = op == KILN_OP_SELECT && i == 0 ? operand : low_of(n, operand, v);
  }
  struct kiln_builder b = kiln_builder_before(n->fn, v);
  n->low[v] = kiln_build(&b, op, narrow_type(), x, count, 0, 0, 0);
  n->fn->insts[n->low[v]].name = name;
}

static void narrow_user(struct narrow *n, kiln_value v) {
  if (is_truncation(n, v)) {
    kiln_value x = kiln_operands(n->fn, v)[0];
    if (!n->candidate[x])
      return;
    if (kiln_type_kind(inst_of(n, v)->type) == KILN_I16) { // which simplification takes away
      n->fn->insts[v].op = KILN_OP_OR;
      kiln_set_operands(n->fn, v, (kiln_value[]){n->low[x], kiln_const(n->fn, narrow_type(), 0)}, 2);
    } else {
      kiln_set_operands(n->fn, v, &n->low[x], 1);
    }
    return;
  }
  enum kiln_op op = narrow_comparison(n, v);
  const kiln_value *operands = kiln_operands(n->fn, v);
  if (op == KILN_OP_COUNT || (!n->candidate[operands[0]] && !n->candidate[operands[1]]))
    return;
  kiln_value x[2] = {operands[0], operands[1]};
  for (unsigned i = 0; i < 2; i++)
    x[i] = low_of(n, x[i], v);
  n->fn->insts[v].op = op;
  kiln_set_operands(n->fn, v, x, 2);
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_function *fn = subject;
  struct narrow n = {.fn = fn, .count = fn->inst_count};
  n.ranges = kiln_ranges_find(fn, false, arena);
  n.candidate = KILN_NEW_ARRAY(arena, bool, n.count);
  n.leader = KILN_NEW_ARRAY(arena, kiln_value, n.count);
  n.gain = KILN_NEW_ARRAY(arena, int32_t, n.count);
  n.is_small = KILN_NEW_ARRAY(arena, bool, n.count);
  n.low = KILN_NEW_ARRAY(arena, kiln_value, n.count);
  n.widened = KILN_NEW_ARRAY(arena, kiln_value, n.count);
  find_candidates(&n, arena);
  for (kiln_value v = 1; v < n.count; v++)
    n.leader[v] = v;
  for (kiln_value v = 1; v < n.count; v++)
    if (inst_of(&n, v)->region && is_narrowed(&n, v))
      join_operands(&n, v);
  for (kiln_value v = 1; v < n.count; v++)
    if (n.candidate[v])
      count_gain(&n, v);
  bool any = false;
  for (kiln_value v = 1; v < n.count; v++) {
    kiln_value leader = kiln_leader_of(n.leader, v);
    n.candidate[v] &= n.gain[leader] > 0 && n.is_small[leader];
    any |= n.candidate[v];
  }
  for (kiln_value v = fn->regions[fn->body].first; any && v; v = kiln_walk_next(fn, v)) {
    if (v >= n.count)
      continue;
    if (n.candidate[v])
      narrow_candidate(&n, v);
    else
      narrow_user(&n, v);
  }
  return any;
}

bool kiln_pass_narrow(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }
