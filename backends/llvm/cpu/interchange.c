// Interchange of dimensions 0 and 1 of a flat kernel. If most accesses of neighbouring work-items in dimension 0 are
// far apart, and in dimension 1 adjacent, the dimensions are interchanged: the kernel's dimension 0 becomes dimension 1
// and the other way round, the driver exchanges the sizes, and lanes become contiguous in memory. If only some accesses
// are like that, the driver runs tiles rather than long rows, so that the next row finds the lines of the previous one
// in the cache. Only speed depends on the answers.
#include "backends/llvm/spmd/cost.h"
#include "backends/llvm/spmd/spmd.h"

#define MAX_STEPS 64      // values that an address is followed through
#define UNKNOWN INT64_MAX // a distance that is no constant, or depends on memory

static int64_t plus(int64_t a, int64_t b) {
  int64_t result;
  return a == UNKNOWN || b == UNKNOWN || __builtin_add_overflow(a, b, &result) ? UNKNOWN : result;
}

static int64_t times(int64_t a, int64_t factor) {
  int64_t result;
  return a == UNKNOWN || __builtin_mul_overflow(a, factor, &result) ? UNKNOWN : result;
}

static int64_t distance(const struct kiln_function *fn, kiln_value v, unsigned *steps);

// The operand of result i at the first test that leaves the loop; 0: none near its start.
static kiln_value left_with(const struct kiln_function *fn, kiln_value loop, uint32_t i) {
  kiln_value v = fn->regions[kiln_node(fn, loop)->region_first].first;
  for (unsigned steps = 0; v && steps < MAX_STEPS; steps++, v = kiln_inst(fn, v)->next)
    for (uint32_t side = 0; kiln_inst(fn, v)->op == KILN_OP_IF && side < 2; side++) {
      kiln_value last = fn->regions[kiln_node(fn, v)->region_first + side].last;
      if (kiln_inst(fn, last)->op == KILN_OP_BREAK && kiln_inst(fn, last)->imm == loop)
        return kiln_operands(fn, last)[i];
    }
  return 0;
}

// The distance of a phi is that of its initial value: what iterations add counts as the same for all work-items.
static int64_t phi_distance(const struct kiln_function *fn, kiln_value phi, unsigned *steps) {
  uint32_t index;
  kiln_value loop = (kiln_value)kiln_inst(fn, phi)->imm;
  if (kiln_inst(fn, loop)->op != KILN_OP_LOOP)
    return UNKNOWN;
  if (kiln_ll_header_of(fn, phi, &index))
    return distance(fn, kiln_operands(fn, loop)[index], steps);
  const struct kiln_value_list *results = &kiln_node(fn, loop)->results;
  for (uint32_t i = 0; i < results->count; i++)
    if (results->items[i] == phi && left_with(fn, loop, i))
      return distance(fn, left_with(fn, loop, i), steps);
  return UNKNOWN;
}

// The distance of what is no sum.
static int64_t term_distance(const struct kiln_function *fn, kiln_value v, unsigned *steps) {
  const struct kiln_inst *in = kiln_inst(fn, v);
  const kiln_value *x = kiln_operands(fn, v);
  switch (in->op) {
  case KILN_OP_GLOBAL_ID:
    return in->imm == 1;
  case KILN_OP_PHI:
    return phi_distance(fn, v, steps);
  case KILN_OP_LOAD:
    return distance(fn, x[0], steps) == 0 ? 0 : UNKNOWN;
  case KILN_OP_CONST:
  case KILN_OP_PARAM:
  case KILN_OP_GLOBAL:
  case KILN_OP_GLOBAL_SIZE:
  case KILN_OP_GLOBAL_OFFSET:
    return 0;
  case KILN_OP_SEXT:
  case KILN_OP_ZEXT:
  case KILN_OP_TRUNC:
    return distance(fn, x[0], steps);
  case KILN_OP_IMUL:
    return distance(fn, x[0], steps) == 0 && distance(fn, x[1], steps) == 0 ? 0 : UNKNOWN;
  case KILN_OP_SMIN: // while the same operand is the smaller one
  case KILN_OP_SMAX:
  case KILN_OP_UMIN:
  case KILN_OP_UMAX: {
    int64_t a = distance(fn, x[0], steps), b = distance(fn, x[1], steps);
    return a == 0 ? b : b == 0 ? a : UNKNOWN;
  }
  }
  return UNKNOWN; // other operations on addresses are not followed
}

// How far a value moves from one work-item to the next in dimension 1. *steps: values that may still be visited.
static int64_t distance(const struct kiln_function *fn, kiln_value v, unsigned *steps) {
  struct kiln_affine form;
  if (*steps == 0)
    return UNKNOWN;
  --*steps;
  kiln_affine_of(fn, v, KILN_AFFINE_MAY_WRAP, &form);
  int64_t sum = form.base ? term_distance(fn, form.base, steps) : 0;
  for (uint32_t i = 0; i < form.term_count; i++)
    sum = plus(sum, times(term_distance(fn, form.terms[i].value, steps), form.terms[i].factor));
  return sum;
}

// How far the pointer of an access moves in dimension 1.
static int64_t access_distance(const struct kiln_function *fn, kiln_value pointer) {
  unsigned steps = MAX_STEPS;
  return distance(fn, pointer, &steps);
}

static bool is_near(int64_t distance) { return distance >= -KILN_COST_LINE && distance <= KILN_COST_LINE; }

static bool is_access(const struct kiln_inst *in) { return in->region && kiln_op_is_access(in->op); }

bool kiln_ll_gains_by_tiles(const struct kiln_function *fn) {
  for (kiln_value v = 1; fn->shapes && v < fn->inst_count; v++) {
    if (!is_access(kiln_inst(fn, v)))
      continue;
    kiln_value pointer = kiln_operands(fn, v)[0];
    struct kiln_shape shape = fn->shapes[pointer];
    bool is_far = shape.kind == KILN_SHAPE_VARYING || (shape.kind == KILN_SHAPE_LINEAR && !is_near(shape.stride));
    int64_t step = is_far ? access_distance(fn, pointer) : UNKNOWN;
    if (step && is_near(step))
      return true;
  }
  return false;
}

// ---- interchange

static uint64_t cost(int64_t distance, uint32_t bytes) {
  if (!is_near(distance))
    return KILN_COST_STRIDED;
  return distance <= (int64_t)bytes && distance >= -(int64_t)bytes ? 1 : 2;
}

// Whether the accesses of the kernel are far cheaper if lanes lie along dimension 1.
static bool is_faster(const struct kiln_function *fn) {
  uint64_t along_0 = 0, along_1 = 0;
  bool moves = false; // some address depends on dimension 1
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = kiln_inst(fn, v);
    if (!is_access(in) || kiln_ll_is_in_remainder(fn, v))
      continue;
    const kiln_value *x = kiln_operands(fn, v);
    struct kiln_shape shape = fn->shapes[x[0]];
    kiln_type type = kiln_access_type(fn, v);
    uint32_t bytes = kiln_type_bytes(type);
    uint64_t iterations =
        kiln_ll_iterations(fn, v) * kiln_type_lanes(type); // a vector is a load of several unrolled iterations
    int64_t step = access_distance(fn, x[0]);
    moves |= step && is_near(step);
    along_1 += iterations * cost(step, bytes);
    step = shape.kind == KILN_SHAPE_UNIFORM ? 0 : shape.kind == KILN_SHAPE_LINEAR ? shape.stride : UNKNOWN;
    along_0 += iterations * cost(step, bytes);
  }
  return moves && along_0 >= KILN_COST_INTERCHANGE_GAIN * along_1;
}

static bool has_dimension(enum kiln_op op) {
  return op == KILN_OP_GLOBAL_ID || op == KILN_OP_LOCAL_ID || op == KILN_OP_GROUP_ID || op == KILN_OP_GLOBAL_SIZE ||
         op == KILN_OP_LOCAL_SIZE || op == KILN_OP_FULL_LOCAL_SIZE || op == KILN_OP_NUM_GROUPS ||
         op == KILN_OP_GLOBAL_OFFSET;
}

static void exchange(struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    struct kiln_inst *in = &fn->insts[v];
    if (has_dimension(kiln_op_of(in)) && in->imm < 2)
      in->imm ^= 1;
  }
  fn->alignment = KILN_ALIGNED_NONE; // the driver asks about dimension 0
  kiln_function_analyse(fn);
}

bool kiln_ll_may_interchange_groups(const struct kiln_function *fn) {
  return fn->has_barrier && !fn->has_sub_groups && fn->shapes && !fn->required_group_size[0] &&
         !kiln_ll_uses(fn, KILN_OP_CALL);
}

bool kiln_ll_interchange(const struct kiln_ll *ll, struct kiln_function *fn) {
  if (ll->machine->interchanges && kiln_ll_may_interchange_groups(fn)) {
    exchange(fn);
    return true;
  }
  if (!fn->is_flat || !fn->shapes || kiln_ll_uses(fn, KILN_OP_CALL)) // its callees may use ids
    return false;
  if (!ll->machine->interchanges && (!ll->machine->may_interchange || !is_faster(fn)))
    return false;
  exchange(fn);
  return true;
}

void kiln_ll_undo_interchange(struct kiln_function *fn) { exchange(fn); }
