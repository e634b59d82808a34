// How many lanes a kernel gets: as many as one vector register holds (more if no varying value has 32 bits), or several
// registers per value if that hides the latency of dependent operations and shares work that is done once per warp.
// Interleaving needs long rows of work-items, few live values, and little code.

#include "backends/llvm/plan/width.h"
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/plan.h"

uint32_t kiln_ll_instruction_count(const struct kiln_function *fn) {
  uint32_t size = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    bool is_half_fma = in->op == KILN_OP_FMA && kiln_type_kind(in->type) == KILN_F16;
    size += !in->region ? 0 : is_half_fma ? KILN_COST_HALF_FMA * kiln_type_lanes(in->type) : 1;
  }
  return size;
}

// How many 32-bit values fit where the widest varying value does: 2 if none has more than 16 bits, 4 for bytes.
static unsigned narrowness(const struct kiln_function *fn) {
  unsigned widest = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    enum kiln_kind kind = kiln_type_kind(in->type);
    bool is_live = in->region || (in->op == KILN_OP_PHI && fn->insts[in->imm].region);
    if (!is_live || kind == KILN_VOID || kind == KILN_BOOL || fn->shapes[v].kind != KILN_SHAPE_VARYING)
      continue;
    widest = kiln_kind_bits(kind) > widest ? kiln_kind_bits(kind) : widest;
  }
  return widest == 8 || widest == 16 ? 32 / widest : 1;
}

// Whether the kernel computes with values of 64 bits, each of which takes two registers, so many times as often as with
// others.
static bool computes_64_bits(const struct kiln_function *fn, unsigned times) {
  uint32_t longs = 0, others = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    if (!in->region || kiln_op_table[in->op].effect != KILN_EFFECT_PURE || in->op == KILN_OP_PADD ||
        kiln_op_family(kiln_op_of(in)) == KILN_FAMILY_CONVERT || fn->shapes[v].kind != KILN_SHAPE_VARYING)
      continue;
    if (kiln_kind_bits(kiln_type_kind(in->type)) == 64)
      longs++;
    else
      others++;
  }
  return longs > times * others;
}

// The lanes that fill the registers with elements narrower than 32 bits.
static unsigned fill(const struct kiln_function *fn, unsigned lanes) {
  uint32_t row = fn->required_group_size[0];
  unsigned factor = kiln_ll_uses(fn, KILN_OP_CALL) || kiln_ll_uses(fn, KILN_OP_VAR) ? 1 : narrowness(fn);
  while (factor > 1 && !fn->is_flat && (!row || row % (lanes * factor)))
    factor /= 2;
  return factor;
}

static bool is_loop(const struct kiln_function *fn, const struct kiln_node *node) {
  kiln_value v = node->inst;
  return fn->insts[v].region && fn->insts[v].op == KILN_OP_LOOP && !kiln_ll_is_remainder(fn, v) &&
         !kiln_ll_is_fallback(fn, v);
}

// Whether a loop without barrier has a loop-carried dependence, so that operations wait for the previous iteration.
static bool has_chain(const struct kiln_function *fn) {
  for (uint32_t n = 0; n < fn->node_count; n++) {
    const struct kiln_node *node = &fn->nodes[n];
    if (node->has_barrier || !is_loop(fn, node))
      continue;
    for (uint32_t i = 0; i < node->header.count; i++)
      if (fn->shapes[node->header.items[i]].kind == KILN_SHAPE_VARYING)
        return true;
  }
  return false;
}

// ---- chains

struct chain {
  const struct kiln_function *fn;
  uint32_t *depth; // by value: the length of the chain of operations in the loop before it
  uint32_t operations, longest;
};

static void follow(struct chain *c, uint32_t region, uint32_t nesting) {
  const struct kiln_function *fn = c->fn;
  for (kiln_value v = fn->regions[region].first; v && nesting < KILN_LL_MAX_DEPTH; v = fn->insts[v].next) {
    const struct kiln_inst *in = &fn->insts[v];
    bool is_inside = kiln_op_is_node(in->op) && in->op != KILN_OP_LOOP;
    for (uint32_t r = 0; is_inside && r < fn->nodes[in->node].region_count; r++)
      follow(c, fn->nodes[in->node].region_first + r, nesting + 1);
    if (kiln_op_table[in->op].effect != KILN_EFFECT_PURE || fn->shapes[v].kind != KILN_SHAPE_VARYING)
      continue;
    for (uint32_t i = 0; i < in->operand_count; i++) {
      uint32_t before = c->depth[kiln_operands(fn, v)[i]];
      c->depth[v] = before > c->depth[v] ? before : c->depth[v];
    }
    c->depth[v]++;
    c->operations++;
    c->longest = c->depth[v] > c->longest ? c->depth[v] : c->longest;
  }
}

static struct chain chain_in(struct kiln_ll *ll, const struct kiln_function *fn, uint32_t region) {
  struct chain c = {.fn = fn, .depth = KILN_NEW_ARRAY(&ll->arena, uint32_t, fn->inst_count)};
  follow(&c, region, 0);
  return c;
}

// Whether a loop that all lanes run together consists of a chain of dependent operations.
static bool is_chain(struct kiln_ll *ll, const struct kiln_function *fn) {
  for (uint32_t n = 0; n < fn->node_count; n++) {
    const struct kiln_node *node = &fn->nodes[n];
    if (node->divergent || !is_loop(fn, node))
      continue;
    struct chain c = chain_in(ll, fn, node->region_first);
    if (c.longest >= KILN_COST_LOOP_CHAIN && 4 * c.longest >= 3 * c.operations)
      return true;
  }
  return false;
}

// The registers per value with which the operations of the kernel's largest loop, or of all of it if it has none, need
// not wait for one another.
static unsigned unhindered(struct kiln_ll *ll, const struct kiln_function *fn) {
  struct chain most = {0};
  bool loops = kiln_ll_uses(fn, KILN_OP_LOOP);
  for (uint32_t n = 0; n < fn->node_count; n++) {
    if (!is_loop(fn, &fn->nodes[n]))
      continue;
    struct chain c = chain_in(ll, fn, fn->nodes[n].region_first);
    most = c.operations > most.operations ? c : most;
  }
  if (!loops)
    most = chain_in(ll, fn, fn->body);
  unsigned slots = kiln_ll_costs(ll->machine)->in_flight, registers = 1;
  if (most.longest < (loops ? KILN_COST_CHAIN : KILN_COST_STRAIGHT_CHAIN))
    return 1;
  while (7 * 2 * registers * most.operations <= 8 * slots * most.longest) // a few operations beside the chain are none
    registers *= 2;
  return registers;
}

// Whether the kernel asks for its place in a group in dimension 0 only. The rows of its groups are long.
static bool has_one_dimension(const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    if (in->region && in->imm &&
        (in->op == KILN_OP_LOCAL_ID || in->op == KILN_OP_GROUP_ID || in->op == KILN_OP_GLOBAL_ID))
      return false;
  }
  return true;
}

bool kiln_ll_cuts_ids(const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->shape_count; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    bool cuts =
        in->op == KILN_OP_AND || in->op == KILN_OP_LSHR || in->op == KILN_OP_ASHR || kiln_op_is_division(in->op);
    const kiln_value *x = kiln_operands(fn, v);
    if (cuts && in->region && fn->shapes[v].kind == KILN_SHAPE_VARYING && fn->shapes[x[0]].kind == KILN_SHAPE_LINEAR &&
        fn->insts[x[1]].op == KILN_OP_CONST)
      return true;
  }
  return false;
}

// The registers per value that the kernel's rows allow. Item regions between barriers are often too short for many
// registers, unless they contain a loop with a dependence. The length of rows is mostly unknown. It is rarely less than
// two registers in kernels of one dimension, or than ROW in others; with barriers, launches with other rows get a
// variant; without barriers rows that are too short for several registers run with one. Kernels of one dimension with
// loops are assumed to have long rows.
static unsigned row_limit(const struct kiln_ll *ll, const struct kiln_function *fn, unsigned lanes, unsigned limit,
                          unsigned unhindered) {
  uint32_t row = fn->required_group_size[0], hint = fn->group_size_hint[0];
  bool is_line = has_one_dimension(fn), fits = is_line || (2 * lanes <= KILN_COST_ROW && !kiln_ll_cuts_ids(fn));
  if (fn->is_flat)
    return limit;
  if (!row && !fn->has_barrier) {
    unsigned least = fits && unhindered < 2 ? 2 : unhindered;
    return (kiln_ll_uses(fn, KILN_OP_LOOP) && is_line) || limit < least ? limit : least;
  }
  if (!row)
    return lanes == 4 || (fits && hint % (2 * lanes) == 0 && !kiln_ll_has_any_rows(ll)) ? 2 : 1;
  if (fn->has_barrier && !has_chain(fn))
    limit = 2;
  while (limit > 1 && row % (lanes * limit))
    limit /= 2;
  return limit;
}

bool kiln_ll_is_one_chain(struct kiln_ll *ll, const struct kiln_function *fn) { return unhindered(ll, fn) > 1; }

// Whether there are loops and all lanes run the same iterations of each, and the same side of each test in them. They
// then share what an iteration does once, such as a broadcast, or a line of a column of lines that are far apart, as
// long as eight registers per value cause no spills.
static bool runs_together(const struct kiln_function *fn) {
  bool loops = false;
  for (uint32_t n = 0; n < fn->node_count; n++) {
    const struct kiln_node *node = &fn->nodes[n];
    bool is_in_loop = fn->insts[node->inst].region && kiln_ll_loop_of(fn, node->inst);
    if (node->divergent && (is_in_loop || is_loop(fn, node)))
      return false;
    loops |= is_loop(fn, node);
  }
  return loops;
}

// ---- loops that gather

struct loop_cost {
  unsigned gathers, operations;
  unsigned narrow, own; // those gathers whose elements have less than 32 bits; of private arrays
};

// Whether the lanes of an access are at distances that no four vectors span.
static bool is_strided_access(const struct kiln_function *fn, kiln_value access) {
  struct kiln_shape shape = fn->shapes[kiln_operands(fn, access)[0]];
  int64_t distance = shape.stride < 0 ? -shape.stride : shape.stride;
  return shape.kind == KILN_SHAPE_LINEAR && distance > 4 * (int64_t)kiln_type_bytes(kiln_access_type(fn, access));
}

// Whether an access under a mask is a gather or scatter: at unrelated addresses, or at distances that no four vectors
// span. Local memory is read whole, without regard to the mask.
static bool is_gather(const struct kiln_function *fn, kiln_value access) {
  kiln_value pointer = kiln_operands(fn, access)[0];
  return fn->shapes[pointer].kind == KILN_SHAPE_VARYING ||
         (is_strided_access(fn, access) && kiln_type_space(fn->insts[pointer].type) != KILN_LOCAL);
}

// Adds the cost of so many iterations of the region. In inner loops, contiguous accesses are work that lanes share.
static void add_region(const struct kiln_function *fn, uint32_t region, struct loop_cost *cost, unsigned iterations,
                       uint32_t depth) {
  for (kiln_value v = fn->regions[region].first; v && depth < KILN_LL_MAX_DEPTH; v = fn->insts[v].next) {
    const struct kiln_inst *in = &fn->insts[v];
    if (kiln_op_is_access(in->op)) {
      bool gathers = is_gather(fn, v), is_linear = fn->shapes[kiln_operands(fn, v)[0]].kind == KILN_SHAPE_LINEAR;
      bool is_narrow = kiln_kind_bits(kiln_type_kind(kiln_access_type(fn, v))) < 32; // no machine gathers these
      cost->gathers += gathers ? iterations : 0;
      bool is_own = kiln_type_space(fn->insts[kiln_operands(fn, v)[0]].type) == KILN_PRIVATE;
      cost->narrow += gathers && is_narrow ? iterations : 0;
      cost->own += gathers && is_own ? iterations : 0;
      cost->operations += is_linear && !gathers && iterations > 1 ? iterations : 0;
    } else if (kiln_op_is_atomic(kiln_op_of(in))) { // lane by lane
      unsigned tries = in->op == KILN_OP_ATOMIC_CAS ? KILN_COST_TRIES : 1;
      cost->gathers += fn->shapes[kiln_operands(fn, v)[0]].kind == KILN_SHAPE_VARYING ? tries * iterations : 0;
    } else if (kiln_op_table[in->op].effect == KILN_EFFECT_PURE && in->op != KILN_OP_PADD &&
               (in->op < KILN_OP_EQ || in->op > KILN_OP_FLE) && (in->op < KILN_OP_TRUNC || in->op > KILN_OP_SEXT)) {
      cost->operations += fn->shapes[v].kind == KILN_SHAPE_VARYING ? iterations : 0;
    } else if (kiln_op_is_node(in->op) && !kiln_ll_is_remainder(fn, v)) {
      unsigned inside =
          in->op == KILN_OP_LOOP && iterations < UINT16_MAX ? iterations * KILN_COST_ITERATIONS : iterations;
      uint32_t sides = kiln_ll_is_version(fn, v) ? 1 : fn->nodes[in->node].region_count;
      for (uint32_t r = 0; r < sides; r++)
        add_region(fn, fn->nodes[in->node].region_first + r, cost, inside, depth + 1);
    }
  }
}

#define NEAR_GATHER 4 // from a gather to one that waits for it: the operations between them, and one

// By value: how many operations it comes after the nearest gather that it depends on in the same iteration, that gather
// counted; 0: it depends on no gather, or on one further away.
static uint8_t *find_gathered(struct kiln_ll *ll, const struct kiln_function *fn) {
  uint8_t *after = KILN_NEW_ARRAY(&ll->arena, uint8_t, fn->inst_count);
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_ll_next_within(fn, fn->body, v)) {
    const struct kiln_inst *in = &fn->insts[v];
    if (in->op == KILN_OP_LOAD)
      after[v] = fn->shapes[kiln_operands(fn, v)[0]].kind == KILN_SHAPE_VARYING;
    for (uint32_t i = 0; i < in->operand_count && kiln_op_table[in->op].effect == KILN_EFFECT_PURE; i++) {
      uint8_t near = after[kiln_operands(fn, v)[i]];
      if (near && near < NEAR_GATHER && (!after[v] || near < after[v]))
        after[v] = near + 1;
    }
  }
  return after;
}

// Whether the loop gathers by indices that it gathers (position[neighbour[k]]).
static bool is_indirect(const struct kiln_function *fn, uint32_t region, const uint8_t *gathered) {
  for (kiln_value v = fn->regions[region].first; v; v = kiln_ll_next_within(fn, region, v))
    if (fn->insts[v].op == KILN_OP_LOAD && gathered[kiln_operands(fn, v)[0]])
      return true;
  return false;
}

// Whether lanes differ by a distance that is the same for the launch: ids times parameters.
static bool is_at_distance(const struct kiln_function *fn, kiln_value v) {
  struct kiln_affine form;
  kiln_affine_of(fn, v, KILN_AFFINE_PRODUCTS, &form);
  for (uint32_t i = 0; i < form.term_count; i++)
    if (form.terms[i].value == v || fn->shapes[form.terms[i].value].kind == KILN_SHAPE_VARYING)
      return false;
  return true;
}

// Whether a counter of the loop begins in lanes at a distance that is the same for the launch, and goes on by a
// multiple of the launch's own, as in for (i = id * step; i < n; i += items * step). Lanes that walk through elements
// of their own go on by a constant.
static bool is_strided_counter(const struct kiln_function *fn, kiln_value loop, kiln_value v) {
  uint32_t index;
  if (kiln_ll_header_of(fn, v, &index) != loop || !is_at_distance(fn, kiln_operands(fn, loop)[index]))
    return false;
  for (kiln_value jump = 0; (jump = kiln_ll_next_jump(fn, jump, KILN_OP_CONTINUE, loop));) {
    kiln_value next = kiln_operands(fn, jump)[index], step;
    const kiln_value *x = kiln_operands(fn, next);
    step = fn->insts[next].op == KILN_OP_IADD ? x[x[0] == v] : 0;
    if (!step || (x[0] != v && x[1] != v) || fn->insts[step].op == KILN_OP_CONST || !kiln_is_of_launch(fn, step))
      return false;
  }
  return true;
}

// Whether lanes leave the loop only by comparing an id or a counter with a limit that is the same for all of them, so
// that they run almost the same iterations.
static bool runs_almost_together(const struct kiln_function *fn, kiln_value loop) {
  for (kiln_value jump = 0; (jump = kiln_ll_next_jump(fn, jump, KILN_OP_BREAK, loop));) {
    kiln_value owner = kiln_owner(fn, jump), condition = kiln_operands(fn, owner)[0];
    if (fn->insts[owner].op != KILN_OP_IF || fn->insts[owner].region != fn->nodes[fn->insts[loop].node].region_first)
      return false;
    if (!kiln_op_is_order(kiln_op_of(&fn->insts[condition])))
      return false;
    const kiln_value *x = kiln_operands(fn, condition);
    bool first = fn->shapes[x[0]].kind == KILN_SHAPE_VARYING, second = fn->shapes[x[1]].kind == KILN_SHAPE_VARYING;
    if ((first && second) || ((first || second) && !is_strided_counter(fn, loop, x[second])))
      return false;
  }
  return true;
}

// The operations that lanes share, over the whole kernel. 0 if the kernel calls functions or has so many branches that
// code for lanes takes long to compile.
static unsigned shared_work(const struct kiln_function *fn) {
  struct loop_cost whole = {0};
  uint32_t branches = 0;
  for (uint32_t n = 0; n < fn->node_count; n++)
    branches += fn->insts[fn->nodes[n].inst].region != 0;
  if (branches <= KILN_COST_SHARED_BRANCHES && !kiln_ll_uses(fn, KILN_OP_CALL))
    add_region(fn, fn->body, &whole, 1, 0);
  return whole.operations;
}

// Whether a loop whose lanes run different numbers of iterations gathers: at all, or so much that scalar work-items are
// faster, unless the other work of the kernel is far more (mostly). Without mostly, private arrays of kernels with
// barriers do not count: what is gathered waits for what has just been scattered to them, which several registers can
// do at the same time.
static bool divergent_loop_gathers(struct kiln_ll *ll, const struct kiln_function *fn, bool mostly) {
  const struct kiln_ll_costs *costs = kiln_ll_costs(ll->machine);
  unsigned work = mostly ? shared_work(fn) : 0;
  uint8_t *gathered = NULL;
  for (uint32_t n = 0; n < fn->node_count; n++) {
    const struct kiln_node *node = &fn->nodes[n];
    struct loop_cost cost = {0};
    if (!node->divergent || !is_loop(fn, node))
      continue;
    add_region(fn, node->region_first, &cost, 1, 0);
    if (mostly && !(costs->narrow_gather && cost.narrow) && runs_almost_together(fn, node->inst))
      continue;
    gathered = gathered ? gathered : find_gathered(ll, fn);
    unsigned worth = is_indirect(fn, node->region_first, gathered) ? costs->indirect_gather : costs->gather;
    unsigned outweighed = worth * cost.gathers + costs->narrow_gather * cost.narrow;
    unsigned all = work / (unsigned)kiln_ll_iterations(fn, node->inst); // per iteration of this loop
    if (mostly ? cost.gathers > 1 && cost.operations <= outweighed && all <= KILN_COST_OTHER_WORK * outweighed
               : cost.gathers > (fn->has_barrier ? cost.own : 0))
      return true;
  }
  return false;
}

static uint32_t counted_size(const struct kiln_function *fn) {
  uint32_t size = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++)
    size += fn->insts[v].region != 0 && !kiln_ll_is_fallback(fn, v);
  return size;
}

// Whether a value that is the same for the launch comes from a record that is passed by value.
static bool is_of_record(const struct kiln_function *fn, kiln_value v) {
  return kiln_is_of_launch(fn, v) && kiln_depends_on(fn, v) & KILN_ON_RECORD;
}

// Whether v compares ids with a value of a record before a warp runs.
static bool is_early_test(const struct kiln_function *fn, kiln_value v) {
  if (fn->insts[v].op != KILN_OP_IF || !fn->assumed_shapes || !fn->assumed_shapes[kiln_operands(fn, v)[0]].early)
    return false;
  kiln_value condition = kiln_operands(fn, v)[0];
  for (uint32_t i = 0; i < fn->insts[condition].operand_count; i++)
    if (is_of_record(fn, kiln_operands(fn, condition)[i]))
      return true;
  return false;
}

// The instructions of a warp beside those that sizes in records cost, as of images: what has one value for the launch,
// and early tests, of which each is a comparison, the node and the end of its side.
static uint32_t size_without_records(const struct kiln_function *fn) {
  uint32_t size = 0, tests = 0;
  bool has_record = false;
  for (uint32_t i = 0; i < fn->param_count; i++)
    has_record |= fn->params[i].byval_bytes != 0;
  if (!has_record)
    return kiln_ll_instruction_count(fn);
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    size += fn->insts[v].region && !is_of_record(fn, v);
    tests += fn->insts[v].region && is_early_test(fn, v);
  }
  return size - 3 * tests;
}

// Whether most accesses have known distances that span more than four vectors. Up to 16 lanes run them one by one, more
// lanes by gathers and scatters (strided.c).
static bool is_strided(const struct kiln_function *fn) {
  unsigned accesses = 0, strided = 0;
  for (kiln_value v = 1; v < fn->shape_count; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    if (!in->region || !kiln_op_is_access(in->op))
      continue;
    accesses += fn->shapes[kiln_operands(fn, v)[0]].kind != KILN_SHAPE_UNIFORM;
    strided += is_strided_access(fn, v);
  }
  return strided && 2 * strided >= accesses;
}

// Whether the launch determines which bits of ids make an address (checked.c). An access by that address is contiguous
// only where the launch takes so many bits that they number the lanes.
static bool masks_ids(const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->shape_count; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    const kiln_value *x = kiln_operands(fn, v);
    for (unsigned i = 0; in->op == KILN_OP_AND && in->region && i < 2; i++)
      if (fn->shapes[x[i]].kind == KILN_SHAPE_LINEAR && fn->shapes[x[!i]].kind == KILN_SHAPE_UNIFORM &&
          fn->insts[x[!i]].op != KILN_OP_CONST)
        return true;
  }
  return false;
}

// Bytes of the variables of a work-item that are in memory.
static uint64_t private_bytes(const struct kiln_function *fn) {
  uint64_t bytes = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (fn->insts[v].op == KILN_OP_VAR && fn->insts[v].region)
      bytes += fn->insts[v].imm;
  return bytes;
}

// Whether accesses are of vectors so wide that one per lane takes several registers: their operations overlap as it is.
static bool accesses_vectors(const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->shape_count; v++)
    if (fn->insts[v].region && kiln_op_is_access(fn->insts[v].op) &&
        fn->shapes[kiln_operands(fn, v)[0]].kind != KILN_SHAPE_UNIFORM &&
        kiln_type_lanes(kiln_access_type(fn, v)) > 1 &&
        kiln_type_bytes(kiln_access_type(fn, v)) >= KILN_COST_VECTOR_BYTES)
      return true;
  return false;
}

// Why the work-items of a warp fill one register per value and no more, for reasons other than short rows and too many
// live values: "the kernel is long", for example. NULL: a value may have several registers. unhindered: how many, if
// only the waiting for results counted.
static const char *why_one_register(struct kiln_ll *ll, const struct kiln_function *fn, unsigned lanes,
                                    unsigned unhindered) {
  bool loops = kiln_ll_uses(fn, KILN_OP_LOOP);
  uint32_t size = counted_size(fn);
  if (kiln_ll_uses(fn, KILN_OP_CALL))
    return "the kernel calls functions";
  bool waits = unhindered > 1 && !(loops && is_strided(fn)); // for operations, not for memory
  bool arrays = private_bytes(fn) > KILN_COST_INTERLEAVED_PRIVATE;
  if (arrays && !fn->has_barrier && !waits)
    return "private variables are in memory";
  if (arrays && fn->has_barrier && private_bytes(fn) * 2 * lanes > KILN_COST_NEAR_PRIVATE)
    return "private variables would not fit the nearest cache";
  uint32_t most = loops && !waits ? KILN_COST_INTERLEAVED : KILN_COST_INTERLEAVED_STRAIGHT;
  if (waits && !arrays && (fn->blocks_rows || !(loops && fn->has_barrier)))
    most = KILN_COST_INTERLEAVED_CHAIN;
  if (size > most)
    return "the kernel is long";
  if (!loops && !fn->has_barrier && size_without_records(fn) < KILN_COST_STRAIGHT)
    return "the kernel is short and has no loop";
  if (!loops && !waits && accesses_vectors(fn)) // four registers per value took up to three times as long
    return "accesses of vectors take several registers each";
  // Beside barriers, rows of groups of several dimensions are short. Without, 64 lanes took 4 times as long as 16.
  bool has_short_rows = lanes > 4 && fn->has_barrier && !fn->required_group_size[0] && !has_one_dimension(fn);
  if ((lanes >= KILN_COST_ELEMENT_LANES || has_short_rows) && divergent_loop_gathers(ll, fn, false))
    return "a divergent loop gathers";
  if (kiln_ll_has_large_strides(ll, fn) && !(lanes == 4 && kiln_ll_loads_one_large_stride(ll, fn)))
    return "a loop accesses consecutive elements of each work-item";
  if (!fn->has_barrier && masks_ids(fn))
    return "masks of ids may be small";
  if (lanes == KILN_COST_ELEMENT_LANES && is_strided(fn))
    return "strided accesses go element by element";
  return NULL;
}

// How many registers a value takes: so that operations of one fill the time in which those of another wait. The
// benchmark's mandelbrot gets four registers of 16 lanes on AVX-512, since it is flat (row_limit: 4), nothing speaks
// for one (why_one_register), and four times its live values fit the room.
static unsigned interleave(struct kiln_ll *ll, const struct kiln_function *fn, unsigned lanes, const char **reason) {
  bool loops = kiln_ll_uses(fn, KILN_OP_LOOP), chain = 8 * lanes <= KILN_LL_MAX_LANES && is_chain(ll, fn);
  unsigned wanted = unhindered(ll, fn), bytes = fn->is_flat ? kiln_ll_bytes_that_share_sets(fn) : 0;
  unsigned line = bytes && bytes * lanes < KILN_COST_LINE ? KILN_COST_LINE / (bytes * lanes) : 1;
  *reason = row_limit(ll, fn, lanes, 4, wanted) == 1 ? "rows may be short" : why_one_register(ll, fn, lanes, wanted);
  if (*reason && line > 1)
    *reason = "accesses share sets of the cache, and take a line of each whole";
  if (*reason)
    return line;
  // A value that does not fit the registers is mostly a memory operand, which costs little; the less often it is used,
  // the less.
  unsigned registers = kiln_ll_costs(ll->machine)->registers, live = kiln_function_live(fn);
  bool is_short = loops && counted_size(fn) <= KILN_COST_INTERLEAVED;
  unsigned room = registers * (is_short ? KILN_COST_LOOP_LIVE : KILN_COST_STRAIGHT_LIVE);
  bool by_lane = kiln_ll_has_large_strides(ll, fn) || divergent_loop_gathers(ll, fn, false),
       shares = !by_lane && (lanes == 4 || (lanes == 8 && has_one_dimension(fn))) && 32 * live <= registers * lanes &&
                runs_together(fn);
  unsigned factor = row_limit(ll, fn, lanes, by_lane ? 2 : chain || shares ? 8 : 4, wanted);
  *reason = chain ? "a loop is one chain of dependent operations" : "the operations of several registers overlap";
  if (factor > 1 && !fn->has_barrier && computes_64_bits(fn, 1)) { // a value takes two registers as it is
    factor /= 2;
    *reason = factor == 1 ? "values of 64 bits take several registers each" : *reason;
  }
  while (factor > 1 && line == 1 && live * factor > room) {
    factor /= 2;
    *reason = "more live values would not fit the registers";
  }
  return factor;
}

// ---- vectors of the language

static bool computes_vector(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *in = &fn->insts[v];
  bool moves = in->op == KILN_OP_VEC || in->op == KILN_OP_SPLAT || in->op == KILN_OP_EXTRACT;
  return in->region && !moves && kiln_op_table[in->op].effect == KILN_EFFECT_PURE && kiln_type_lanes(in->type) > 1 &&
         kiln_type_kind(in->type) != KILN_BOOL && fn->shapes[v].kind == KILN_SHAPE_VARYING;
}

// Bytes of the widest vector type that is computed with. The pass scalarise leaves vectors only where they pay.
static unsigned vector_bytes(const struct kiln_function *fn) {
  unsigned most = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (computes_vector(fn, v) && kiln_type_bytes(fn->insts[v].type) > most)
      most = kiln_type_bytes(fn->insts[v].type);
  return most;
}

// Whether so many operations are accesses to private variables, which lanes make one after another, that one work-item
// at a time is faster.
static bool accesses_variables(const struct kiln_function *fn) {
  uint32_t operations = 0, accesses = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    operations += computes_vector(fn, v);
    accesses += in->region && kiln_op_is_access(in->op) &&
                kiln_type_space(fn->insts[kiln_operands(fn, v)[0]].type) == KILN_PRIVATE;
  }
  return KILN_COST_VARIABLE_ACCESS * accesses > operations;
}

// As many lanes as let four registers hold a vector of each, and the registers all that are live: operations of several
// registers overlap. One work-item where even four lanes have far more live values: two lanes are no warp.
static unsigned lanes_of_vectors(struct kiln_ll *ll, const struct kiln_function *fn, unsigned bytes) {
  unsigned lanes = ll->lanes, size = ll->lanes * 4, row = fn->required_group_size[0], live = kiln_function_live(fn);
  unsigned room = kiln_ll_costs(ll->machine)->registers * ll->lanes;
  while (lanes > 1 && (lanes * bytes > 4 * size || (row && !fn->is_flat && lanes > row)))
    lanes /= 2;
  while (lanes > 4 && live * lanes > room)
    lanes /= 2;
  if (kiln_ll_uses(fn, KILN_OP_CALL) || accesses_variables(fn) || live * lanes > KILN_COST_VECTOR_LIVE * room)
    return 1;
  return lanes == 2 ? (size > 16 ? 4 : 1) : lanes;
}

// Whether lanes may be off where v runs, in warps whose work-items all pass the early tests.
static bool is_under_mask(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_node *node;
  for (v = fn->regions[fn->insts[v].region].owner; v; v = fn->regions[fn->insts[v].region].owner) {
    node = &fn->nodes[fn->insts[v].node];
    if (fn->assumed_divergent ? fn->assumed_divergent[fn->insts[v].node] : node->divergent)
      return true;
  }
  return false;
}

bool kiln_ll_has_full_form(const struct kiln_ll *ll, const struct kiln_function *fn, uint32_t small) {
  uint32_t size = kiln_ll_instruction_count(fn), masked = 0, shared = 0, elements = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    if (!fn->insts[v].region || !kiln_op_is_access(fn->insts[v].op))
      continue;
    kiln_value pointer = kiln_operands(fn, v)[0];
    bool is_uniform = fn->shapes[pointer].kind == KILN_SHAPE_UNIFORM;
    bool is_gathered = !is_uniform && !kiln_ll_is_contiguous(fn, fn->shapes, v);
    if (is_gathered && fn->assumed_shapes && fn->assumed_shapes[pointer].kind == KILN_SHAPE_UNIFORM)
      shared++;
    else
      masked += (ll->machine->cpu.has_avx512 ? is_gathered : !is_uniform) && !is_under_mask(fn, v);
    elements += is_gathered ? ll->lanes : 0;
  }
  const struct kiln_ll_costs *costs = kiln_ll_costs(ll->machine);
  uint32_t room = masked * costs->masked + shared * costs->shared_gather;
  return size <= small || (size + elements <= KILN_COST_VERSIONS && size <= room);
}

bool kiln_ll_only_moves_narrow(const struct kiln_function *fn) {
  if (narrowness(fn) > 1)
    return false;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    bool is_store = in->op == KILN_OP_STORE;
    enum kiln_kind kind = kiln_type_kind(is_store ? kiln_access_type(fn, v) : in->type);
    bool narrow = kind == KILN_I8 || kind == KILN_I16 || kind == KILN_F16;
    if (narrow && in->region &&
        ((in->op != KILN_OP_LOAD && in->op != KILN_OP_TRUNC && !is_store) || is_under_mask(fn, v)))
      return false;
  }
  return true;
}

static bool prints_text(const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (fn->insts[v].region && fn->insts[v].op == KILN_OP_PRINTF && !(fn->insts[v].flags & KILN_PRINT_FAIL))
      return true;
  return false;
}

// Why work-items must run one by one; NULL: they need not.
static const char *why_one_lane(struct kiln_ll *ll, const struct kiln_function *fn) {
  bool prints = prints_text(fn);
  for (uint32_t i = 0; i < ll->ir->function_count && kiln_ll_uses(fn, KILN_OP_CALL); i++)
    prints |= !ll->ir->functions[i]->is_kernel && prints_text(ll->ir->functions[i]);
  if (!fn->shapes)
    return "the kernel has not been analysed";
  if (prints)
    return "the kernel prints, and the lines of a work-item stay together";
  if (private_bytes(fn) > KILN_COST_PRIVATE / ll->lanes)
    return "private variables are large";
  return NULL;
}

// Why work-items are faster one by one; NULL: they are not.
static const char *why_not_lanes(struct kiln_ll *ll, const struct kiln_function *fn, uint32_t row) {
  bool free = ll->machine->cpu.interleave;
  if (free && divergent_loop_gathers(ll, fn, true))
    return "a divergent loop mostly gathers";
  if (free && kiln_ll_fills_large_strides(ll, fn))
    return "loops store consecutive elements of each work-item";
  if (free && kiln_ll_reduces_slices(ll, fn))
    return "loops reduce consecutive elements of each work-item";
  return row == 1 ? "rows have one work-item" : NULL;
}

// Whether the operation is a reduction over a sub-group, or asks for a number of the sub-group.
static bool is_of_part(enum kiln_op op) {
  return op == KILN_OP_GROUP_REDUCE || op == KILN_OP_SUB_GROUP_ID || op == KILN_OP_SUB_GROUP_LOCAL_ID ||
         op == KILN_OP_NUM_SUB_GROUPS || op == KILN_OP_MAX_SUB_GROUP_SIZE;
}

bool kiln_ll_may_split_sub_groups(struct kiln_ll *ll, const struct kiln_function *fn) {
  const char *reason;
  if (!fn->has_sub_groups || !fn->has_barrier || !fn->shapes || !ll->machine->cpu.interleave || ll->lanes == 1)
    return false;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    enum kiln_op op = kiln_op_of(&fn->insts[v]);
    if (fn->insts[v].region && kiln_op_uses_sub_groups(op) && !is_of_part(op))
      return false;
  }
  return interleave(ll, fn, ll->lanes, &reason) > 1;
}

// The lanes of a kernel with sub-groups: one, or where warps are split, several registers of them.
static struct kiln_ll_width sub_group_width(struct kiln_ll *ll, const struct kiln_function *fn) {
  unsigned size = ll->job->target.warp_size;
  const char *reason = "sub-groups have this size";
  unsigned factor = fn->splits_sub_groups ? interleave(ll, fn, size, &reason) : 1;
  return (struct kiln_ll_width){size * factor, ll->lanes, reason};
}

static struct kiln_ll_width choose_width(struct kiln_ll *ll, const struct kiln_function *fn) {
  unsigned all = ll->lanes;
  if (fn->has_sub_groups && fn->shapes)
    return sub_group_width(ll, fn);
  if (all == 1)
    return (struct kiln_ll_width){1, 1, ll->job->options.optimize ? "as the options ask" : "this compiles fastest"};
  bool free = ll->machine->cpu.interleave;
  uint32_t row = fn->is_flat || kiln_ll_asks(ll, KILN_CPU_SHAPE_PACKED) || !free ? 0 : fn->required_group_size[0];
  const char *reason = why_one_lane(ll, fn);
  reason = reason ? reason : why_not_lanes(ll, fn, row);
  if (reason)
    return (struct kiln_ll_width){1, all, reason};
  unsigned vectors = free ? vector_bytes(fn) : 0;
  if (vectors)
    return (struct kiln_ll_width){lanes_of_vectors(ll, fn, vectors), all * 4 > vectors ? all * 4 / vectors : 1,
                                  "vectors of the language fill the registers"};
  if (row && row <= all / 2) { // lanes beyond the row would always be off
    unsigned lanes = 4;
    while (lanes < row)
      lanes *= 2;
    return (struct kiln_ll_width){lanes, all, "rows have no more work-items"};
  }
  if (!free)
    return (struct kiln_ll_width){all, all,
                                  fn->merged_groups ? "rows of merged groups fill a register" : "as the options ask"};
  if (all == 16 && kiln_ll_large_strides_go_by_lane(ll, fn))
    return (struct kiln_ll_width){8, all, "a loop accesses consecutive elements of each work-item one by one"};
  bool loops = !kiln_ll_uses(fn, KILN_OP_CALL) && kiln_ll_uses(fn, KILN_OP_LOOP);
  if (all > 4 && computes_64_bits(fn, 3) && kiln_function_live(fn) > kiln_ll_costs(ll->machine)->registers &&
      (fn->is_flat || (loops && unhindered(ll, fn) == 1)))
    return (struct kiln_ll_width){all / 2, all / 2, "values of 64 bits fill the registers"};
  unsigned factor = fill(fn, all);
  if (factor > 1)
    return (struct kiln_ll_width){all * factor, all, "values have less than 32 bits"};
  factor = interleave(ll, fn, all, &reason);
  return (struct kiln_ll_width){all * factor, all, reason};
}

uint32_t kiln_ll_registers(struct kiln_ll_width width) {
  return width.lanes > width.per_register ? width.lanes / width.per_register : 1;
}

// Whether the options ask for another number of lanes, which the kernel can have.
static bool takes_asked(struct kiln_ll *ll, const struct kiln_function *fn) {
  uint32_t lanes = ll->machine->cpu.schedule.lanes;
  return ll->machine->cpu.schedule.registers && ll->machine->cpu.interleave && !fn->has_sub_groups &&
         (!fn->max_lanes || lanes <= fn->max_lanes) && (lanes == 1 || !why_one_lane(ll, fn));
}

struct kiln_ll_width kiln_ll_choose_width(struct kiln_ll *ll, const struct kiln_function *fn) {
  struct kiln_ll_width width = choose_width(ll, fn);
  if (takes_asked(ll, fn))
    return (struct kiln_ll_width){ll->machine->cpu.schedule.lanes, width.per_register, "as the options ask"};
  bool free = ll->machine->cpu.interleave && !fn->has_sub_groups && width.lanes > 4;
  uint64_t row = free ? kiln_ll_row_of_stores(fn) : 0;
  while (row && width.lanes > 4 && width.lanes / 2 >= row) {
    width.lanes /= 2;
    width.reason = "stores of longer rows would overlap";
  }
  while (fn->max_lanes && width.lanes > fn->max_lanes) {
    width.lanes /= 2;
    width.reason = "groups of work-items with the same index are no larger";
  }
  return width;
}

bool kiln_ll_is_asked_width(const struct kiln_ll *ll, struct kiln_ll_width width) {
  const struct kiln_cpu_schedule *asked = &ll->machine->cpu.schedule;
  return !asked->registers || (width.lanes == asked->lanes && kiln_ll_registers(width) == asked->registers);
}
