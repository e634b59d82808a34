// Shapes: which values are the same in all lanes of a warp, and which differ by a constant from lane to lane
// (docs/spmd.md). Fills in fn->shapes, and divergent and partial of the nodes.
//
// Optimistic: every value starts as unknown and only goes down from there, uniform to linear to varying; linear values
// of different strides meet in varying. Values follow their operands through a work list. Control flow is looked at in
// program order, as often as it has changed: a jump is divergent when lanes that entered its target together may not
// all take it at the same time. All of it happens twice where there are comparisons of linear with uniform values that
// can be tested before a warp runs (assumed_shapes). Requires a verified function; changes no code. Near-linear.
#include "base/worklist.h"
#include "jit/pass/ranges.h"
#include "jit/pass/unit_strides.h"

#include <string.h>

enum { UNKNOWN, UNIFORM, LINEAR, VARYING }; // from the top of the lattice to its bottom

struct fact {
  uint8_t kind;
  uint8_t guard; // LINEAR: width of the narrowest extended value that it comes from, or CLAMPED; 0: it needs no guard
  // UNIFORM: whether it is a multiple of the lanes; LINEAR: whether the value of the first lane is a multiple of the
  // lanes times the stride. enum kiln_alignment: what that takes.
  uint8_t aligned;
  int64_t stride;
};

struct node_state {
  uint32_t exits, continues;        // jumps to its end, to its start
  bool results_split, header_split; // its phis get values from different jumps, or at different times
  bool off_exit, off_continue;      // during a look at control flow: lanes have left for its end, its next iteration
  bool split, split_exit;           // LOOP: lanes may leave it in different iterations; and so come to its end
};

// Which work-items the warps consist of.
enum warps {
  ROWS,   // neighbours in dimension 0
  PACKED, // neighbours by the linear local id
  MERGED, // of neighbouring groups, which have one work-item in dimension 0
};

struct analysis {
  struct kiln_function *fn;
  struct fact *facts;              // by value
  const struct kiln_range *ranges; // by value
  uint32_t *user_first;            // by value: index into users
  kiln_value *users;               // of a jump or loop operand: the phi; of a condition: the node
  uint32_t *loop_depth;            // by region
  kiln_value *same;                // by phi: the one value that all jumps give; 0: none yet, DIFFERENT
  struct node_state *nodes;        // by index of the node
  kiln_value *events;              // jumps, and nodes at their ends, in program order
  uint32_t event_count;
  kiln_value *work;
  uint32_t work_count;
  bool *queued;
  struct kiln_affine **sums; // by value: of an extension that makes nothing but addresses, what it extends; or NULL
  struct kiln_unit_strides strides;
  bool *early;         // by value: whether it can be known before a warp runs
  bool *makes_address; // by value: whether it is part of an address; NULL: not asked yet
  uint32_t loops;      // instructions of all loops; 0 in the first analyses
  struct kiln_arena *arena;
  bool assume; // early comparisons of linear with uniform values give the same in all lanes
  bool control_changed;
  enum warps warps;
};

#define DIFFERENT UINT32_MAX
#define CLAMPED 1   // a guard that no truncation takes away
#define MAX_SPAN 64 // lanes of a warp at most
#define LARGE_LOOPS 8

enum rule {
  RULE_PLAIN, // uniform if all operands are, else varying
  RULE_UNIFORM,
  RULE_VARYING,
  RULE_ROW,  // ids: linear in dimension 0
  RULE_LANE, // the number of the work-item in its sub-group, which is the warp
  RULE_VOTE, // the same for all who run it together
  RULE_FIRST,
  RULE_ADD,
  RULE_SUB,
  RULE_MUL,
  RULE_SHL,
  RULE_BITS,
  RULE_PADD,
  RULE_KEEP,
  RULE_EXTEND,
  RULE_CLAMP,
  RULE_COMPARE,
  RULE_SELECT,
  RULE_LOAD,
};

static const uint8_t rules[KILN_OP_COUNT] = {
#define KILN_SHAPE_RULE(op, rule) [KILN_OP_##op] = RULE_##rule,
#include "jit/pass/shapes.def"
};

// ---- facts ----------------------------------------------------------------------------------------------------------

static const struct fact uniform = {.kind = UNIFORM}, varying = {.kind = VARYING};

static uint8_t lower_of(uint8_t x, uint8_t y) { return x < y ? x : y; }

static uint8_t both_guards(struct fact a, struct fact b) {
  return a.guard && b.guard ? lower_of(a.guard, b.guard) : a.guard | b.guard;
}

static struct fact meet(struct fact a, struct fact b) {
  if (a.kind == UNKNOWN || b.kind == UNKNOWN)
    return a.kind == UNKNOWN ? b : a;
  if (a.kind != b.kind || a.kind == VARYING || a.stride != b.stride)
    return varying;
  a.guard = both_guards(a, b);
  a.aligned = lower_of(a.aligned, b.aligned);
  return a;
}

// The fact of a linear integer or pointer of the type. Where all bits of the stride are lost the value is uniform,
// unless that depends on a guard.
static struct fact linear(kiln_type type, uint64_t stride, uint8_t guard) {
  unsigned bits = kiln_kind_bits(kiln_type_kind(type));
  struct fact fact = {.kind = LINEAR, .guard = guard >= bits ? 0 : guard, .stride = kiln_sign_extend(stride, bits)};
  if (fact.stride == 0)
    return fact.guard ? varying : uniform;
  return fact;
}

// x * times_x + y * times_y
static struct fact combine(kiln_type type, struct fact x, uint64_t times_x, struct fact y, uint64_t times_y) {
  if (x.kind == VARYING || y.kind == VARYING)
    return varying;
  if (x.kind != LINEAR && y.kind != LINEAR)
    return uniform;
  return linear(type, (uint64_t)x.stride * times_x + (uint64_t)y.stride * times_y, both_guards(x, y));
}

// Whether the value is the size of groups to be merged in dimension 0, which is one before they are merged.
static bool is_one(const struct analysis *a, kiln_value v, uint64_t *bits) {
  const struct kiln_inst *in = &a->fn->insts[v];
  while (in->op == KILN_OP_TRUNC || in->op == KILN_OP_SEXT || in->op == KILN_OP_ZEXT)
    in = &a->fn->insts[kiln_operands(a->fn, (kiln_value)(in - a->fn->insts))[0]];
  *bits = 1;
  return a->warps == MERGED && (in->op == KILN_OP_LOCAL_SIZE || in->op == KILN_OP_FULL_LOCAL_SIZE) && in->imm == 0;
}

static struct fact scale(const struct analysis *a, kiln_value id, kiln_value x, kiln_value factor, bool shift) {
  uint64_t bits;
  kiln_type type = a->fn->insts[id].type;
  if (a->facts[x].kind == VARYING || a->facts[factor].kind == VARYING)
    return varying;
  if (a->facts[x].kind != LINEAR && a->facts[factor].kind != LINEAR)
    return uniform;
  if (!kiln_const_splat(a->fn, factor, &bits) && !is_one(a, factor, &bits))
    return varying;
  if (shift)
    bits = (uint64_t)1 << bits % kiln_kind_bits(kiln_type_kind(type));
  return linear(type, (uint64_t)a->facts[x].stride * bits, a->facts[x].guard);
}

// A product by a stride is linear if the stride is its unit.
static struct fact multiply(const struct analysis *a, kiln_value id) {
  const kiln_value *x = kiln_operands(a->fn, id);
  struct fact fact = a->facts[kiln_unit_product(a->fn, &a->strides, id)];
  if (fact.kind != LINEAR)
    return a->facts[x[0]].kind == LINEAR ? scale(a, id, x[0], x[1], false) : scale(a, id, x[1], x[0], false);
  unsigned unit = kiln_unit_of_product(a->fn, &a->strides, id);
  return linear(a->fn->insts[id].type, (uint64_t)fact.stride * unit, CLAMPED);
}

// The linear term of an extension that only addresses are made of, if all other terms are the same in all lanes and the
// stride of 32 bits is that of the sum; NULL: it has no such term.
static const struct kiln_term *linear_term(const struct analysis *a, kiln_value id) {
  const struct kiln_affine *sum = a->sums[id];
  const struct kiln_term *linear = NULL;
  for (uint32_t i = 0; sum && i < sum->term_count; i++) {
    const struct kiln_term *term = &sum->terms[i];
    bool is_linear = a->facts[term->value].kind == LINEAR;
    if ((!is_linear && a->facts[term->value].kind != UNIFORM) ||
        (is_linear && (linear || term->extension == KILN_OP_ZEXT)))
      return NULL;
    linear = is_linear ? term : linear;
  }
  int64_t stride = linear ? (int64_t)((uint64_t)linear->factor * (uint64_t)a->facts[linear->value].stride) : 0;
  return stride == (int32_t)stride ? linear : NULL;
}

// What must not wrap for an extension to be linear: its operand, or its linear term.
static kiln_value guarded_operand(const struct analysis *a, kiln_value id) {
  const struct kiln_term *term = linear_term(a, id);
  return term ? term->value : kiln_operands(a->fn, id)[0];
}

// Two lanes differ by a multiple of the stride, modulo the width. They differ by exactly that multiple if their range
// has no room for the modulus: whether that holds for x, which is the operand of the extension or a term of it. A term
// of 64 bits is not extended.
static bool stays_linear(const struct analysis *a, kiln_value extension, kiln_value x) {
  kiln_value same = kiln_unit_product(a->fn, &a->strides, x);
  if (same && kiln_unit_of_product(a->fn, &a->strides, x) == 1)
    x = same;
  unsigned bits = kiln_kind_bits(kiln_type_kind(a->fn->insts[x].type));
  struct kiln_range range = a->ranges[x];
  int64_t stride = a->facts[x].stride;
  uint64_t room = (uint64_t)range.high - (uint64_t)range.low + (uint64_t)(stride < 0 ? -stride : stride);
  return bits == 64 || (room >> bits == 0 && (a->fn->insts[extension].op == KILN_OP_SEXT || range.low >= 0));
}

static struct fact extend(const struct analysis *a, kiln_value id) {
  kiln_value x = kiln_operands(a->fn, id)[0], term = guarded_operand(a, id);
  struct fact fact = a->facts[x];
  if (fact.kind != LINEAR || stays_linear(a, id, x) || (term != x && stays_linear(a, id, term)))
    return fact;
  unsigned bits = kiln_kind_bits(kiln_type_kind(a->fn->insts[x].type));
  return linear(a->fn->insts[id].type, (uint64_t)fact.stride, fact.guard ? fact.guard : (uint8_t)bits);
}

// The minimum or maximum of a linear and a uniform value is linear as long as no lane takes the uniform value.
static struct fact clamp(const struct analysis *a, kiln_value id) {
  const kiln_value *operands = kiln_operands(a->fn, id);
  struct fact x = a->facts[operands[0]], y = a->facts[operands[1]];
  kiln_type type = a->fn->insts[id].type;
  if (x.kind != LINEAR && y.kind != LINEAR)
    return x.kind == VARYING || y.kind == VARYING ? varying : uniform;
  struct fact fact = x.kind == LINEAR ? x : y;
  unsigned bits = kiln_kind_bits(kiln_type_kind(type));
  if (bits >= 64)
    return varying;
  int64_t limit = (int64_t)1 << (bits - 1);
  uint8_t other = (x.kind == LINEAR ? y : x).kind;
  if (other == LINEAR || other == VARYING || kiln_type_lanes(type) > 1 || fact.stride >= limit / MAX_SPAN ||
      fact.stride <= -limit / MAX_SPAN)
    return varying;
  fact.guard = CLAMPED;
  return fact;
}

static struct fact choose(const struct analysis *a, const kiln_value *operands) {
  if (operands[1] == operands[2])
    return a->facts[operands[1]];
  return a->facts[operands[0]].kind == VARYING ? varying : meet(a->facts[operands[1]], a->facts[operands[2]]);
}

static struct fact plain(const struct analysis *a, kiln_value id) {
  const kiln_value *operands = kiln_operands(a->fn, id);
  for (uint32_t i = 0; i < a->fn->insts[id].operand_count; i++)
    if (a->facts[operands[i]].kind == VARYING || a->facts[operands[i]].kind == LINEAR)
      return varying;
  return uniform;
}

#define MIN_DIVISOR 64 // a constant; a smaller one would end the assumption after a few warps

// A division of a linear by a uniform value: between multiples of the divisor the quotient is the same, and the
// remainder is linear.
static bool divides_linear(const struct analysis *a, kiln_value id) {
  const struct kiln_inst *inst = &a->fn->insts[id];
  uint64_t divisor;
  if (!kiln_op_is_division(kiln_op_of(inst)) || kiln_type_lanes(inst->type) > 1)
    return false;
  const kiln_value *x = kiln_operands(a->fn, id);
  return a->facts[x[0]].kind == LINEAR && a->facts[x[0]].stride > 0 && a->facts[x[1]].kind == UNIFORM &&
         (!kiln_const_splat(a->fn, x[1], &divisor) || divisor >= MIN_DIVISOR);
}

// Whether an arrangement of the kernel (backends/llvm/arrange) has inserted the value.
static bool is_put_in(const struct analysis *a, kiln_value id) {
  bool is = false;
  for (uint32_t i = a->user_first[id]; i < a->user_first[id + 1]; i++)
    is |= a->users[i] < id;
  return is;
}

// Whether the value is a comparison that is the same in all lanes if the first and the last lane agree, or a division
// whose quotient is if no multiple of the divisor is between them: both can be tested before a warp runs.
static bool is_assumable(const struct analysis *a, kiln_value id) {
  const struct kiln_inst *inst = &a->fn->insts[id];
  if (!a->early[id])
    return false;
  if (rules[inst->op] != RULE_COMPARE)
    return divides_linear(a, id);
  struct fact x = a->facts[kiln_operands(a->fn, id)[0]], y = a->facts[kiln_operands(a->fn, id)[1]];
  return (x.kind == LINEAR && y.kind == UNIFORM) || (x.kind == UNIFORM && y.kind == LINEAR);
}

// ---- warps that begin at multiples of their lanes -------------------------------------------------------------------

#define MOST_BITS 6 // that the numbers of a warp's lanes may have

static unsigned zeros_of(uint64_t x) { return x ? (unsigned)__builtin_ctzll(x) : 64; }

// How many bits in a row, from bit number from on, are equal.
static unsigned run_from(uint64_t bits, unsigned from) {
  bool one = bits >> from & 1;
  unsigned end = from;
  while (end < 64 && (bits >> end & 1) == one)
    end++;
  return end - from;
}

static struct fact divided(const struct analysis *a, kiln_value id) {
  if (kiln_op_is_quotient(kiln_op_of(&a->fn->insts[id])))
    return uniform;
  return linear(a->fn->insts[id].type, (uint64_t)a->facts[kiln_operands(a->fn, id)[0]].stride, 0);
}

// The values of an aligned warp's lanes differ in as many bits as it takes to number the lanes, from the bit of the
// stride on. An operation that drops all these bits has the same result in all lanes, and one that keeps all of them
// stays linear: id / 64; id % 64, id & 63. *max_lanes (may be NULL): the most lanes for which that holds. False: the
// result does not follow from alignment.
static bool aligned_bits(const struct analysis *a, kiln_value id, struct fact *out, unsigned *max_lanes) {
  enum kiln_op op = (enum kiln_op)a->fn->insts[id].op;
  const kiln_value *x = kiln_operands(a->fn, id);
  struct fact fact = a->facts[x[0]];
  uint64_t bits;
  if (fact.kind != LINEAR || !fact.aligned || fact.guard || fact.stride <= 0 || (fact.stride & (fact.stride - 1)) ||
      kiln_type_lanes(a->fn->insts[id].type) > 1 || !kiln_const_splat(a->fn, x[1], &bits))
    return false;
  bool divides = kiln_op_is_quotient(op), shifts = op == KILN_OP_LSHR || op == KILN_OP_ASHR,
       remains = kiln_op_is_remainder(op);
  if (kiln_op_is_signed_division(op) && (a->ranges[x[0]].low < 0 || (int64_t)bits < 0))
    return false;
  unsigned from = zeros_of((uint64_t)fact.stride), width = kiln_kind_bits(kiln_type_kind(a->fn->insts[id].type));
  // id / 48 is the same in all lanes where id / 16 is, and id % 48 linear where id % 16 is.
  uint64_t power = bits & -bits;
  if ((divides || remains) && (!bits || (bits != power && zeros_of(power) <= from)))
    return false;
  uint64_t kept = divides ? -power : remains ? power - 1 : shifts ? ~(uint64_t)0 << (bits & (width - 1)) : bits;
  unsigned run = run_from(kept, from);
  if (run < MOST_BITS && 1u << run < (a->fn->least_lanes ? a->fn->least_lanes : KILN_ALIGNED_LANES))
    return false;
  if (max_lanes && run < MOST_BITS)
    *max_lanes = 1u << run;
  bool is_uniform = (kept >> from & 1) == (op == KILN_OP_OR);
  if (!is_uniform && (shifts || divides))
    return false; // a shorter shift would change the stride
  *out = is_uniform ? uniform : fact;
  return true;
}

static struct fact bits_of(const struct analysis *a, kiln_value id) {
  struct fact fact;
  if (aligned_bits(a, id, &fact, NULL))
    return fact;
  return a->assume && is_assumable(a, id) ? divided(a, id) : plain(a, id);
}

// Whether v is a constant multiple of the lanes times of.
static bool is_multiple(const struct analysis *a, kiln_value v, int64_t of) {
  uint64_t bits;
  unsigned lanes = a->fn->least_lanes ? zeros_of(a->fn->least_lanes) : MOST_BITS;
  return kiln_const_splat(a->fn, v, &bits) && zeros_of(bits) >= lanes + zeros_of((uint64_t)of);
}

// The alignment of a sum.
static uint8_t alignment_of_sum(const struct analysis *a, const kiln_value *x, struct fact fact) {
  struct fact first = a->facts[x[0]], second = a->facts[x[1]];
  if (fact.kind == UNIFORM || fact.stride == 1)
    return lower_of(first.aligned, second.aligned);
  bool is_first = first.kind == LINEAR;
  if (fact.stride < 1 || first.kind == second.kind || !is_multiple(a, x[is_first], fact.stride))
    return KILN_ALIGNED_NONE;
  return (is_first ? first : second).aligned;
}

// What must hold for the value in the first lane to be aligned.
static uint8_t alignment_of(const struct analysis *a, kiln_value id, struct fact fact) {
  const struct kiln_inst *inst = &a->fn->insts[id];
  const kiln_value *x = kiln_operands(a->fn, id);
  bool rows = a->fn->alignment == KILN_ALIGNED_ROWS && inst->imm == 0;
  if ((fact.kind != UNIFORM && fact.kind != LINEAR) || kiln_type_lanes(inst->type) > 1)
    return KILN_ALIGNED_NONE;
  switch ((enum rule)rules[inst->op]) {
  case RULE_ROW:
    return inst->op == KILN_OP_LOCAL_ID && inst->imm == 0 && fact.kind == LINEAR ? KILN_ALIGNED_LOCAL
           : rows && fact.kind == LINEAR                                         ? KILN_ALIGNED_ROWS
                                                                                 : KILN_ALIGNED_NONE;
  case RULE_UNIFORM: // the sizes of flat kernels are any
    return rows && (inst->op == KILN_OP_GLOBAL_OFFSET ||
                    (!a->fn->is_flat && (inst->op == KILN_OP_LOCAL_SIZE || inst->op == KILN_OP_GLOBAL_SIZE)))
               ? KILN_ALIGNED_ROWS
               : KILN_ALIGNED_NONE;
  case RULE_KEEP:
  case RULE_EXTEND:
  case RULE_SHL:
    return a->facts[x[0]].aligned;
  case RULE_ADD:
  case RULE_SUB:
    return alignment_of_sum(a, x, fact);
  case RULE_MUL:
    if (fact.kind == LINEAR)
      return a->strides.sides[id] ? KILN_ALIGNED_NONE : a->facts[x[a->facts[x[0]].kind != LINEAR]].aligned;
    return a->facts[x[0]].aligned > a->facts[x[1]].aligned ? a->facts[x[0]].aligned : a->facts[x[1]].aligned;
  case RULE_BITS:
    return fact.kind == LINEAR && !is_assumable(a, id) ? a->facts[x[0]].aligned : KILN_ALIGNED_NONE;
  case RULE_PLAIN:
  case RULE_VARYING:
  case RULE_LANE:
  case RULE_VOTE:
  case RULE_FIRST:
  case RULE_PADD:
  case RULE_CLAMP:
  case RULE_COMPARE:
  case RULE_SELECT:
  case RULE_LOAD:
    break;
  }
  return KILN_ALIGNED_NONE;
}

// Whether a value has its shape only because warps are aligned: id / 64 is uniform in each warp, but differs between
// the warps of a row.
static bool is_by_alignment(const struct analysis *a, kiln_value id, unsigned *max_lanes) {
  struct fact fact;
  return rules[a->fn->insts[id].op] == RULE_BITS && a->facts[id].kind != VARYING &&
         aligned_bits(a, id, &fact, max_lanes);
}

// Whether the lanes of an aligned warp have known distances from one another: id >> 1, id & ~3. plan/distances.c finds
// the distances.
static bool is_pattern(const struct analysis *a, kiln_value id) {
  const struct kiln_inst *inst = &a->fn->insts[id];
  const kiln_value *x = kiln_operands(a->fn, id);
  uint64_t bits;
  return (inst->op == KILN_OP_AND || inst->op == KILN_OP_OR || inst->op == KILN_OP_LSHR) &&
         a->facts[id].kind == VARYING && a->facts[x[0]].kind == LINEAR && a->facts[x[0]].stride == 1 &&
         !a->facts[x[0]].guard && kiln_const_splat(a->fn, x[1], &bits);
}

// Marks the operands of address arithmetic, and what they are made of.
static void find_addresses(struct analysis *a) {
  const struct kiln_function *fn = a->fn;
  struct kiln_worklist work = {0};
  a->makes_address = KILN_NEW_ARRAY(a->arena, bool, fn->inst_count);
  kiln_worklist_begin(&work, a->arena, fn->inst_count);
  for (kiln_value id = fn->regions[fn->body].first; id; id = kiln_walk_next(fn, id))
    if (fn->insts[id].op == KILN_OP_PADD)
      kiln_worklist_add_all(&work, kiln_operands(fn, id), 2);
  for (kiln_value id; kiln_worklist_take(&work, &id);) {
    a->makes_address[id] = true;
    if (kiln_op_table[fn->insts[id].op].effect == KILN_EFFECT_PURE)
      kiln_worklist_add_all(&work, kiln_operands(fn, id), fn->insts[id].operand_count);
  }
}

static void find_limits(struct analysis *a) {
  struct kiln_function *fn = a->fn;
  for (kiln_value id = 1; id < fn->inst_count; id++) {
    if (fn->insts[id].region && is_pattern(a, id)) {
      if (!a->makes_address)
        find_addresses(a);
      fn->counts_on_rows |= a->makes_address[id] && a->facts[kiln_operands(fn, id)[0]].aligned == KILN_ALIGNED_ROWS;
    }
    unsigned lanes = UINT8_MAX;
    if (!fn->insts[id].region || !is_by_alignment(a, id, &lanes))
      continue;
    if (lanes < UINT8_MAX && (!fn->max_lanes || lanes < fn->max_lanes))
      fn->max_lanes = (uint8_t)lanes;
    fn->counts_on_rows |= a->facts[kiln_operands(fn, id)[0]].aligned == KILN_ALIGNED_ROWS;
  }
}

// Whether the query numbers the lanes of a warp.
static bool is_row_id(const struct analysis *a, const struct kiln_inst *inst) {
  enum kiln_op op = kiln_op_of(inst);
  bool numbers = op == KILN_OP_GLOBAL_ID || op == (a->warps == MERGED ? KILN_OP_GROUP_ID : KILN_OP_LOCAL_ID);
  return numbers && (inst->imm == 0 || inst->imm == KILN_FLAT_DIMENSION);
}

static enum kiln_space space_of(const struct analysis *a, kiln_value pointer) {
  return kiln_type_space(a->fn->insts[pointer].type);
}

// Whether the sub-groups of a warp differ in the value.
static bool is_of_sub_group(const struct analysis *a, const struct kiln_inst *inst) {
  enum kiln_op op = (enum kiln_op)inst->op;
  bool is_shared = op == KILN_OP_NUM_SUB_GROUPS || op == KILN_OP_MAX_SUB_GROUP_SIZE;
  return a->fn->splits_sub_groups && kiln_op_uses_sub_groups(op) && !is_shared;
}

static struct fact shape_of(const struct analysis *a, kiln_value id) {
  const struct kiln_inst *inst = &a->fn->insts[id];
  const kiln_value *operands = kiln_operands(a->fn, id);
  const struct fact *facts = a->facts;
  if (is_of_sub_group(a, inst))
    return varying;
  switch ((enum rule)rules[inst->op]) {
  case RULE_COMPARE:
    return a->assume && is_assumable(a, id) ? uniform : plain(a, id);
  case RULE_PLAIN:
    return plain(a, id);
  case RULE_UNIFORM:
    return is_row_id(a, inst) ? linear(inst->type, 1, 0) : uniform;
  case RULE_VARYING:
    return varying;
  case RULE_ROW:
    return a->warps == PACKED && inst->imm != KILN_FLAT_DIMENSION ? varying
           : is_row_id(a, inst)                                   ? linear(inst->type, 1, 0)
                                                                  : uniform;
  case RULE_LANE:
    return linear(inst->type, 1, 0);
  case RULE_VOTE:
    return kiln_collective_cluster(inst->imm) ? varying : uniform;
  case RULE_FIRST:
    return facts[operands[0]].kind == UNIFORM ? uniform : varying;
  case RULE_ADD:
    return combine(inst->type, facts[operands[0]], 1, facts[operands[1]], 1);
  case RULE_SUB:
    return combine(inst->type, facts[operands[0]], 1, facts[operands[1]], ~(uint64_t)0);
  case RULE_MUL:
    return multiply(a, id);
  case RULE_SHL:
    return scale(a, id, operands[0], operands[1], true);
  case RULE_BITS:
    return bits_of(a, id);
  case RULE_PADD:
    return combine(inst->type, facts[operands[0]], 1, facts[operands[1]], inst->imm);
  case RULE_KEEP:
    return combine(inst->type, facts[operands[0]], 1, uniform, 0);
  case RULE_EXTEND:
    return extend(a, id);
  case RULE_CLAMP:
    return clamp(a, id);
  case RULE_SELECT:
    return choose(a, operands);
  case RULE_LOAD: // one load for all lanes, unless they have memory of their own
    return facts[operands[0]].kind == UNIFORM && space_of(a, operands[0]) != KILN_PRIVATE &&
                   (a->warps != MERGED || space_of(a, operands[0]) != KILN_LOCAL)
               ? uniform
               : varying;
  }
  return varying;
}

static struct fact evaluate(const struct analysis *a, kiln_value id) {
  struct fact fact = shape_of(a, id);
  fact.aligned = a->fn->alignment ? alignment_of(a, id, fact) : KILN_ALIGNED_NONE;
  return fact;
}

// ---- propagation ----------------------------------------------------------------------------------------------------

static void lower(struct analysis *a, kiln_value id, struct fact to) {
  struct fact old = a->facts[id], now = meet(old, to);
  if (now.kind == old.kind && now.stride == old.stride && now.guard == old.guard && now.aligned == old.aligned)
    return;
  a->facts[id] = now;
  if (!a->queued[id]) {
    a->queued[id] = true;
    a->work[a->work_count++] = id;
  }
}

static struct node_state *state_of(const struct analysis *a, kiln_value node) {
  return &a->nodes[a->fn->insts[node].node];
}

static bool is_header(const struct analysis *a, kiln_value phi) { return a->fn->insts[phi].imm2; }

// In how many loops a value is made.
static uint32_t depth_of(const struct analysis *a, kiln_value value) {
  const struct kiln_inst *inst = &a->fn->insts[value];
  if (inst->op == KILN_OP_PHI && is_header(a, value))
    return a->loop_depth[kiln_node(a->fn, (kiln_value)inst->imm)->region_first];
  uint32_t region = inst->op == KILN_OP_PHI ? a->fn->insts[inst->imm].region : inst->region;
  return region ? a->loop_depth[region] : 0;
}

// A value flows into a phi. Where lanes come to the phi on different ways, the phi keeps the shape only if it gets the
// same value on all ways, of the same iteration of every loop.
static void flow(struct analysis *a, kiln_value phi, kiln_value value, bool from_jump) {
  kiln_value node = (kiln_value)a->fn->insts[phi].imm;
  bool header = is_header(a, phi), split = header ? state_of(a, node)->header_split : state_of(a, node)->results_split;
  if (from_jump && split) {
    uint32_t region = header ? kiln_node(a->fn, node)->region_first : a->fn->insts[node].region;
    if (a->same[phi] == DIFFERENT || depth_of(a, a->same[phi]) > a->loop_depth[region]) {
      lower(a, phi, varying);
      return;
    }
  } else if (a->fn->insts[value].op == KILN_OP_UNDEF) {
    return; // as good as any
  }
  lower(a, phi, a->facts[value]);
}

static void split_phis(struct analysis *a, const struct kiln_value_list *phis, bool *flag) {
  if (*flag)
    return;
  *flag = a->control_changed = true;
  for (uint32_t i = 0; i < phis->count; i++)
    if (a->facts[phis->items[i]].kind != UNKNOWN)
      flow(a, phis->items[i], a->same[phis->items[i]], true);
}

// Whether lanes go into different regions of the node.
static bool is_varying_choice(const struct analysis *a, kiln_value id) {
  uint16_t op = a->fn->insts[id].op;
  if (op != KILN_OP_IF && op != KILN_OP_SWITCH)
    return false;
  uint8_t kind = a->facts[kiln_operands(a->fn, id)[0]].kind;
  return kind == LINEAR || kind == VARYING;
}

// To be called when the shape of a node's condition becomes known or changes.
static void decide(struct analysis *a, kiln_value id) {
  struct kiln_node *node = kiln_node(a->fn, id);
  if (!is_varying_choice(a, id))
    return;
  a->control_changed |= !node->divergent;
  node->divergent = true;
  if (state_of(a, id)->exits > 1)
    split_phis(a, &node->results, &state_of(a, id)->results_split);
}

static void drain(struct analysis *a) {
  while (a->work_count) {
    kiln_value id = a->work[--a->work_count];
    a->queued[id] = false;
    for (uint32_t i = a->user_first[id]; i < a->user_first[id + 1]; i++) {
      kiln_value user = a->users[i];
      if (a->fn->insts[user].op == KILN_OP_PHI)
        flow(a, user, id, true);
      else if (kiln_op_is_node(a->fn->insts[user].op))
        decide(a, user);
      else
        lower(a, user, evaluate(a, user));
    }
  }
}

// ---- control flow ---------------------------------------------------------------------------------------------------

static void set(struct analysis *a, bool *flag) {
  a->control_changed |= !*flag;
  *flag = true;
}

// A jump out of a node that other lanes of the node do not take with it.
static void leave_partly(struct analysis *a, kiln_value id) {
  struct kiln_node *node = kiln_node(a->fn, id);
  uint16_t op = a->fn->insts[id].op;
  set(a, &node->partial);
  if (op == KILN_OP_BLOCK || op == KILN_OP_LOOP)
    set(a, &node->divergent);
  if (op == KILN_OP_LOOP)
    set(a, &state_of(a, id)->split);
}

// The jump arrives, divergently, at its target.
static void arrive_partly(struct analysis *a, kiln_value target, bool next_round, bool in_loop) {
  struct kiln_node *node = kiln_node(a->fn, target);
  struct node_state *state = state_of(a, target);
  uint16_t op = a->fn->insts[target].op;
  if (op != KILN_OP_IF)
    set(a, &node->divergent);
  if (next_round) {
    state->off_continue = true;
    if (state->continues > 1 || in_loop)
      split_phis(a, &node->header, &state->header_split);
    return;
  }
  state->off_exit = true;
  if (op == KILN_OP_LOOP) {
    set(a, &state->split);
    set(a, &state->split_exit);
  }
  if (state->exits > 1 || in_loop || op == KILN_OP_LOOP)
    split_phis(a, &node->results, &state->results_split);
}

static void look_at_jump(struct analysis *a, kiln_value jump) {
  struct kiln_function *fn = a->fn;
  kiln_value target = kiln_jump_target(fn, jump), id = kiln_owner(fn, jump);
  bool next_round = fn->insts[jump].op == KILN_OP_CONTINUE, divergent = false, in_loop = false;
  if (!target)
    return;
  for (; id != target; id = kiln_owner(fn, id)) {
    const struct node_state *state = state_of(a, id);
    divergent |= state->off_exit || state->off_continue || state->split || is_varying_choice(a, id);
    in_loop |= fn->insts[id].op == KILN_OP_LOOP;
    if (divergent)
      leave_partly(a, id);
  }
  const struct node_state *state = state_of(a, target);
  divergent |= state->off_continue || is_varying_choice(a, target);
  if (!next_round)
    divergent |= state->off_exit || state->split_exit;
  if (divergent)
    arrive_partly(a, target, next_round, in_loop);
}

static void look_at_control(struct analysis *a) {
  for (uint32_t i = 0; i < a->event_count; i++) {
    kiln_value id = a->events[i];
    if (kiln_op_is_jump(a->fn->insts[id].op)) {
      look_at_jump(a, id);
    } else {
      state_of(a, id)->off_exit = false;
      state_of(a, id)->off_continue = false;
    }
  }
}

// ---- preparation ----------------------------------------------------------------------------------------------------

// The user of an operand: the phi that a jump or a loop gives it to, else the instruction itself.
static kiln_value user_of(const struct analysis *a, kiln_value id, uint32_t index) {
  bool has_phis = kiln_type_kind(a->fn->insts[id].type) == KILN_VOID; // as jumps and nodes are
  const struct kiln_value_list *phis = has_phis ? kiln_phis_of(a->fn, id) : NULL;
  return phis ? phis->items[index] : id;
}

static void prepare_jump(struct analysis *a, kiln_value id) {
  kiln_value target = kiln_jump_target(a->fn, id);
  if (!target)
    return;
  if (a->fn->insts[id].op == KILN_OP_CONTINUE)
    state_of(a, target)->continues++;
  else
    state_of(a, target)->exits++;
  for (uint32_t i = 0; i < a->fn->insts[id].operand_count; i++) {
    kiln_value phi = user_of(a, id, i), value = kiln_operands(a->fn, id)[i];
    a->same[phi] = a->same[phi] == 0 || a->same[phi] == value ? value : DIFFERENT;
  }
}

// Finds loop depths, jumps, events and the numbers of users.
static void prepare(struct analysis *a, uint32_t region, uint32_t depth) {
  struct kiln_function *fn = a->fn;
  a->loop_depth[region] = depth;
  for (kiln_value id = fn->regions[region].first; id; id = fn->insts[id].next) {
    for (uint32_t i = 0; i < fn->insts[id].operand_count; i++)
      a->user_first[kiln_operands(fn, id)[i] + 1]++;
    if (kiln_op_is_jump(fn->insts[id].op)) {
      prepare_jump(a, id);
    } else if (kiln_op_is_node(fn->insts[id].op)) {
      struct kiln_node *node = kiln_node(fn, id);
      node->divergent = node->partial = false;
      for (uint32_t i = 0; i < node->header.count; i++)
        fn->insts[node->header.items[i]].imm2 = 1; // taken back at the end
      for (uint32_t r = 0; r < node->region_count; r++)
        prepare(a, node->region_first + r, depth + (fn->insts[id].op == KILN_OP_LOOP));
    } else {
      continue;
    }
    a->events[a->event_count++] = id;
  }
}

static void list_users(struct analysis *a, struct kiln_arena *arena) {
  struct kiln_function *fn = a->fn;
  for (uint32_t i = 0; i < fn->inst_count; i++)
    a->user_first[i + 1] += a->user_first[i];
  a->users = KILN_NEW_ARRAY(arena, kiln_value, a->user_first[fn->inst_count] + 1);
  uint32_t *next = KILN_NEW_ARRAY(arena, uint32_t, fn->inst_count + 1);
  memcpy(next, a->user_first, fn->inst_count * sizeof *next);
  for (kiln_value id = fn->regions[fn->body].first; id; id = kiln_walk_next(fn, id))
    for (uint32_t i = 0; i < fn->insts[id].operand_count; i++)
      a->users[next[kiln_operands(fn, id)[i]]++] = user_of(a, id, i);
}

// Finds the sums that extensions extend, in kernels without barriers, whose emitter has all terms of a sum at hand.
static void find_sums(struct analysis *a, struct kiln_arena *arena) {
  const struct kiln_function *fn = a->fn;
  a->sums = KILN_NEW_ARRAY(arena, struct kiln_affine *, fn->inst_count);
  for (kiln_value id = 1; id < fn->inst_count; id++) {
    const struct kiln_inst *inst = &fn->insts[id];
    if (inst->op != KILN_OP_SEXT || !inst->region || inst->type != kiln_scalar_type(KILN_I64) || fn->has_barrier ||
        !fn->is_kernel || a->fn->insts[kiln_operands(fn, id)[0]].type != kiln_scalar_type(KILN_I32))
      continue;
    bool is_index = true;
    for (uint32_t i = a->user_first[id]; i < a->user_first[id + 1]; i++)
      is_index &= fn->insts[a->users[i]].op == KILN_OP_PADD && kiln_operands(fn, a->users[i])[0] != id;
    if (!is_index)
      continue;
    a->sums[id] = KILN_NEW(arena, struct kiln_affine);
    kiln_affine_of(fn, kiln_operands(fn, id)[0], KILN_AFFINE_EXTENDED, a->sums[id]);
  }
}

// Evaluates every value once, in program order.
static void evaluate_all(struct analysis *a) {
  struct kiln_function *fn = a->fn;
  for (kiln_value id = 1; id < fn->inst_count; id++)
    if (kiln_op_is_free(fn->insts[id].op)) {
      a->facts[id] = fn->insts[id].op == KILN_OP_PARAM && !fn->is_kernel ? varying : uniform;
      a->facts[id].aligned = fn->alignment && is_multiple(a, id, 1) ? KILN_ALIGNED_LOCAL : KILN_ALIGNED_NONE;
    }
  for (kiln_value id = fn->regions[fn->body].first; id; id = kiln_walk_next(fn, id)) {
    uint16_t op = fn->insts[id].op;
    if (kiln_type_kind(fn->insts[id].type) != KILN_VOID) {
      a->facts[id] = evaluate(a, id);
      continue;
    }
    const struct kiln_value_list *phis = kiln_phis_of(fn, id);
    if (phis) {
      for (uint32_t i = 0; i < phis->count; i++)
        flow(a, phis->items[i], kiln_operands(fn, id)[i], op != KILN_OP_LOOP);
    } else if (op == KILN_OP_IF || op == KILN_OP_SWITCH) {
      decide(a, id);
    }
  }
}

// ---- the whole ------------------------------------------------------------------------------------------------------

// What can be tested before a warp runs, if it is early: extensions, minima and maxima, comparisons, divisions.
// Divisions that an arrangement has inserted are not: they find positions in short rows or groups, multiples of which
// most warps hold.
static bool is_testable(const struct analysis *a, kiln_value id) {
  uint8_t rule = rules[a->fn->insts[id].op];
  return rule == RULE_EXTEND || rule == RULE_CLAMP || rule == RULE_COMPARE ||
         (divides_linear(a, id) && !is_put_in(a, id));
}

static bool is_early_operand(const struct analysis *a, kiln_value id) {
  enum kiln_op op = kiln_op_of(&a->fn->insts[id]);
  return op == KILN_OP_CONST || op == KILN_OP_PARAM ||
         (a->early[id] && (a->facts[id].kind == UNIFORM || a->facts[id].kind == LINEAR));
}

// Whether a value is made of ids, parameters and constants alone, by way of integers that are uniform or linear. The
// value that is tested may itself be varying.
static bool is_early(const struct analysis *a, kiln_value id) {
  const struct kiln_function *fn = a->fn;
  const struct kiln_inst *inst = &fn->insts[id];
  enum kiln_kind kind = kiln_type_kind(inst->type);
  bool is_id = kiln_op_family(kiln_op_of(inst)) == KILN_FAMILY_ITEM;
  if ((!kiln_kind_is_int(kind) && kind != KILN_BOOL) || kiln_type_lanes(inst->type) > 1 ||
      (!is_id && kiln_effect_of(fn, id) != KILN_EFFECT_PURE) || is_by_alignment(a, id, NULL) || a->strides.sides[id])
    return false;
  bool early = true;
  for (uint32_t i = 0; early && i < inst->operand_count; i++)
    early = is_early_operand(a, kiln_operands(fn, id)[i]);
  return early;
}

// Whether conditions on the operands over a whole row are exact in 64 bits: strides are below 2^31.
static bool is_small(const struct analysis *a, kiln_value id) {
  for (uint32_t i = 0; i < a->fn->insts[id].operand_count; i++) {
    struct fact x = a->facts[kiln_operands(a->fn, id)[i]];
    if (x.kind == LINEAR && (x.stride > INT32_MAX || x.stride < -INT32_MAX))
      return false;
  }
  return true;
}

// Whether a comparison decides about stores alone, in a kernel whose loops are LARGE_LOOPS times as large. Of a
// position in a row it is not assumed: in rows of 62 pixels by quads, no warp of 16 would pass (x + 3 < 62).
static bool masks_stores(const struct analysis *a, kiln_value id) {
  uint32_t first = a->user_first[id], count = a->user_first[id + 1] - first;
  return kiln_store_alone(a->fn, a->users + first, count, a->loops / LARGE_LOOPS);
}

// Marks early values. Returns whether there are comparisons or divisions that can be tested before a warp runs.
static bool find_early(struct analysis *a) {
  const struct kiln_function *fn = a->fn;
  bool any = false;
  for (kiln_value id = fn->regions[fn->body].first; id; id = kiln_walk_next(fn, id)) {
    bool before = a->early[id];
    a->early[id] = is_early(a, id);
    if (!is_testable(a, id))
      continue;
    if (rules[fn->insts[id].op] == RULE_EXTEND && a->facts[id].kind == LINEAR)
      a->early[id] |= is_early_operand(a, guarded_operand(a, id));
    a->early[id] &= is_small(a, id) && (before || !a->loops || !masks_stores(a, id));
    any |= is_assumable(a, id);
  }
  return any;
}

static struct kiln_shape *export_shapes(const struct analysis *a) {
  struct kiln_function *fn = a->fn;
  static const uint8_t kinds[] = {
      [UNKNOWN] = KILN_SHAPE_VARYING, // never runs
      [UNIFORM] = KILN_SHAPE_UNIFORM,
      [LINEAR] = KILN_SHAPE_LINEAR,
      [VARYING] = KILN_SHAPE_VARYING,
  };
  struct kiln_shape *shapes = kiln_ir_alloc(fn->module, fn->inst_count * sizeof *shapes, sizeof(int64_t));
  for (uint32_t i = 0; shapes && i < fn->inst_count; i++) {
    const struct fact *fact = &a->facts[i];
    bool guarded = fact->guard > 0 || (a->assume && fact->kind != VARYING && is_assumable(a, i));
    bool of_term = fact->kind == LINEAR && rules[fn->insts[i].op] == RULE_EXTEND &&
                   guarded_operand(a, i) != kiln_operands(fn, i)[0] &&
                   (guarded || !stays_linear(a, i, kiln_operands(fn, i)[0]));
    shapes[i] = (struct kiln_shape){kinds[fact->kind], guarded, guarded && a->early[i], of_term, fact->stride};
  }
  return shapes;
}

static void analyse(struct analysis *a) {
  evaluate_all(a);
  do {
    drain(a);
    a->control_changed = false;
    look_at_control(a);
  } while (a->control_changed || a->work_count);
}

static bool assumes_divisions(const struct analysis *a) {
  for (kiln_value id = 1; id < a->fn->inst_count; id++)
    if (a->fn->insts[id].region && kiln_op_is_division(kiln_op_of(&a->fn->insts[id])) && is_assumable(a, id))
      return true;
  return false;
}

// Analyses once more, for warps in which the early comparisons are uniform.
static void analyse_assumed(struct analysis *a, struct kiln_arena *arena) {
  struct kiln_function *fn = a->fn;
  struct kiln_node *saved = KILN_NEW_ARRAY(arena, struct kiln_node, fn->node_count + 1);
  fn->assumed_divergent = kiln_ir_alloc(fn->module, fn->node_count * sizeof *fn->assumed_divergent, 1);
  memset(a->facts, 0, fn->inst_count * sizeof *a->facts);
  for (uint32_t n = 0; n < fn->node_count; n++) {
    struct node_state *state = &a->nodes[n];
    *state = (struct node_state){.exits = state->exits, .continues = state->continues};
    saved[n] = fn->nodes[n];
    fn->nodes[n].divergent = fn->nodes[n].partial = false;
  }
  a->assume = true;
  analyse(a);
  find_limits(a);
  fn->assumed_shapes = fn->assumed_divergent ? export_shapes(a) : NULL;
  for (uint32_t n = 0; n < fn->node_count; n++) {
    if (fn->assumed_shapes)
      fn->assumed_divergent[n] = fn->nodes[n].divergent;
    fn->nodes[n].divergent = saved[n].divergent;
    fn->nodes[n].partial = saved[n].partial;
  }
}

struct request {
  struct kiln_function *fn;
  enum warps warps;
  bool again; // the function is the same as in its last analysis
};

static bool run(void *subject, struct kiln_arena *arena) {
  const struct request *request = subject;
  struct kiln_function *fn = request->fn;
  uint32_t count = fn->inst_count;
  struct analysis a = {.fn = fn, .warps = request->warps, .arena = arena};
  if (request->again)
    kiln_keep_facts(fn);
  else
    kiln_facts_forget(fn);
  kiln_facts_find(fn);
  a.facts = KILN_NEW_ARRAY(arena, struct fact, count);
  a.ranges = kiln_ranges_find(fn, fn->module->small_ids, arena);
  a.user_first = KILN_NEW_ARRAY(arena, uint32_t, count + 1);
  a.loop_depth = KILN_NEW_ARRAY(arena, uint32_t, fn->region_count + 1);
  a.same = KILN_NEW_ARRAY(arena, kiln_value, count);
  a.nodes = KILN_NEW_ARRAY(arena, struct node_state, fn->node_count + 1);
  a.events = KILN_NEW_ARRAY(arena, kiln_value, count);
  a.work = KILN_NEW_ARRAY(arena, kiln_value, count);
  a.queued = KILN_NEW_ARRAY(arena, bool, count);
  prepare(&a, fn->body, 0);
  list_users(&a, arena);
  find_sums(&a, arena);
  a.strides = kiln_unit_strides_find(fn, arena);
  a.early = KILN_NEW_ARRAY(arena, bool, count);
  analyse(&a);
  bool compares = find_early(&a);
  fn->max_lanes = fn->least_lanes; // numbers that are multiples of these lanes need not be those of more
  fn->counts_on_rows = false;
  find_limits(&a);
  fn->shapes = export_shapes(&a);
  fn->shape_count = fn->shapes ? count : 0;
  fn->assumed_shapes = NULL;
  fn->assumed_divergent = NULL;
  if (compares && fn->is_kernel) {
    analyse_assumed(&a, arena);
    if (assumes_divisions(&a)) { // what is made of quotients and remainders may be early, too
      a.loops = kiln_loop_size(fn);
      find_early(&a);
      analyse_assumed(&a, arena);
    }
  }
  for (uint32_t n = 1; n < fn->node_count; n++)
    for (uint32_t i = 0; i < fn->nodes[n].header.count; i++)
      fn->insts[fn->nodes[n].header.items[i]].imm2 = 0;
  fn->is_flat = kiln_depends_on_no_groups(fn);
  kiln_affine_forget(fn); // which forms look at shapes
  return false;
}

static void find_shapes(struct request request) { kiln_pass_scratch(request.fn->module, &request, run); }

void kiln_function_analyse(struct kiln_function *fn) { find_shapes((struct request){fn, ROWS, false}); }
void kiln_function_analyse_again(struct kiln_function *fn) { find_shapes((struct request){fn, ROWS, true}); }
void kiln_function_analyse_packed(struct kiln_function *fn) { find_shapes((struct request){fn, PACKED, false}); }
void kiln_function_analyse_merged(struct kiln_function *fn) { find_shapes((struct request){fn, MERGED, false}); }
