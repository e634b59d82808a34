// Full unrolling of loops with a constant trip count, where the result is small, where the source asks for it, and
// where it makes the indices of private arrays constant, so that these become values.
//
// A loop must have one continue, at the end of its region, and a test there that leaves it by counters alone: header
// phis that start at a constant and whose next values follow from counters and constants. The loop's node becomes a
// block with the copies of the body, so that its results and the jumps that leave it stay. Inner loops go first.
// Requires a verified function; folds what became constant, and leaves the rest to simplify. Linear in the result.
#include "jit/pass/loops.h"

#define MAX_TRIPS 256
#define SMALL_RESULT 640  // instructions of the copies
#define LARGE_RESULT 8192 // of loops that ask for it, or that go through private arrays
#define MAX_GROWTH 16384  // of a function
#define MAX_PHASES 12     // trips of a loop with barriers
#define PHASE_RESULT 400  // instructions of its copies

struct unroll {
  struct kiln_function *fn;
  struct kiln_arena *arena;
  uint32_t growth;
  bool changed;
  // The values that the current loop's counters and exits are made of; by value: whether it follows from counters and
  // constants in an iteration, and its number.
  struct kiln_worklist work;
  bool *known;
  uint64_t *bits;
  uint32_t capacity;
};

struct body { // what a loop has inside
  uint32_t size, continues;
  bool barrier, arrays, loops;
};

struct plan {
  kiln_value loop, test;
  uint32_t exit; // side of the test that leaves: 0, 1
  uint32_t trips;
  kiln_value *steps; // instructions that counters and exits are made of, in order
  uint32_t step_count;
  bool *counter;  // by header phi
  uint64_t *next; // of counters: what they are in the next iteration
};

// Whether the loop has an access to local memory whose distance between work-items is constant only once a counter is:
// its address depends on "x & y" with neither constant, as a butterfly combines an id and the loop counter.
static bool is_scattered(struct kiln_function *fn, kiln_value loop) {
  kiln_value end = kiln_walk_past(fn, loop);
  kiln_facts_find(fn);
  for (kiln_value id = kiln_walk_next(fn, loop); id != end; id = kiln_walk_next(fn, id)) {
    kiln_value address = kiln_op_is_access(fn->insts[id].op) ? kiln_operands(fn, id)[0] : 0;
    if (address && kiln_type_space(fn->insts[address].type) == KILN_LOCAL &&
        kiln_depends_on(fn, address) & KILN_ON_MASK)
      return true;
  }
  return false;
}

static void look_into(const struct kiln_function *fn, kiln_value loop, struct body *body) {
  kiln_value end = kiln_walk_past(fn, loop);
  for (kiln_value id = kiln_walk_next(fn, loop); id != end; id = kiln_walk_next(fn, id)) {
    const struct kiln_inst *inst = &fn->insts[id];
    body->size++;
    body->barrier |= kiln_inst_is_barrier(inst);
    body->loops |= inst->op == KILN_OP_LOOP;
    body->continues += inst->op == KILN_OP_CONTINUE && inst->imm == loop;
    body->arrays |= inst->op == KILN_OP_PADD && kiln_type_space(inst->type) == KILN_PRIVATE &&
                    fn->insts[kiln_operands(fn, id)[1]].op != KILN_OP_CONST;
  }
}

// ---- how often it runs

static bool is_scalar_int(kiln_type type) {
  return kiln_type_lanes(type) == 1 && (kiln_kind_is_int(kiln_type_kind(type)) || kiln_type_kind(type) == KILN_BOOL);
}

// Whether the instruction leaves the loop on one side, and goes on with it on the other.
static bool is_exit(const struct kiln_function *fn, kiln_value id, kiln_value loop) {
  unsigned side = kiln_leaving_side(fn, id, loop, false);
  return side < 2 && fn->insts[fn->regions[kiln_node(fn, id)->region_first + !side].last].op == KILN_OP_YIELD;
}

// Lists the instructions that the next values of integers and the conditions of exits are made of.
static void find_steps(struct unroll *u, struct plan *plan) {
  const struct kiln_function *fn = u->fn;
  const struct kiln_node *node = kiln_node(fn, plan->loop);
  const struct kiln_region *region = &fn->regions[node->region_first];
  if (fn->inst_count > u->capacity) {
    u->capacity = 2 * fn->inst_count;
    u->known = KILN_NEW_ARRAY(u->arena, bool, u->capacity);
    u->bits = KILN_NEW_ARRAY(u->arena, uint64_t, u->capacity);
  }
  kiln_worklist_begin(&u->work, u->arena, u->capacity);
  for (uint32_t i = 0; i < node->header.count; i++)
    if (is_scalar_int(fn->insts[node->header.items[i]].type))
      kiln_worklist_add(&u->work, kiln_operands(fn, region->last)[i]);
  for (kiln_value id = region->first; id; id = fn->insts[id].next)
    if (is_exit(fn, id, plan->loop))
      kiln_worklist_add(&u->work, kiln_operands(fn, id)[0]);
  for (kiln_value v; kiln_worklist_take(&u->work, &v); plan->step_count++) {
    u->known[v] = false;
    if (fn->insts[v].region == node->region_first && kiln_op_table[fn->insts[v].op].effect == KILN_EFFECT_PURE)
      kiln_worklist_add_all(&u->work, kiln_operands(fn, v), fn->insts[v].operand_count);
  }
  plan->steps = KILN_NEW_ARRAY(u->arena, kiln_value, plan->step_count);
  plan->step_count = 0;
  for (kiln_value id = region->first; id; id = fn->insts[id].next)
    if (kiln_worklist_has_had(&u->work, id))
      plan->steps[plan->step_count++] = id;
}

static bool value_of(const struct unroll *u, kiln_value v, uint64_t *out) {
  if (kiln_const_splat(u->fn, v, out))
    return true;
  *out = u->bits[v];
  return u->known[v];
}

static void evaluate(struct unroll *u, kiln_value v) {
  const struct kiln_inst *inst = &u->fn->insts[v];
  union kiln_lanes lanes[3], result;
  const union kiln_lanes *operands[3];
  kiln_type types[3];
  u->known[v] = false;
  if (kiln_op_table[inst->op].effect != KILN_EFFECT_PURE || inst->op == KILN_OP_VAR || inst->operand_count == 0 ||
      inst->operand_count > 3 || !is_scalar_int(inst->type))
    return;
  for (uint32_t i = 0; i < inst->operand_count; i++) {
    kiln_value x = kiln_operands(u->fn, v)[i];
    types[i] = u->fn->insts[x].type;
    operands[i] = &lanes[i];
    if (!is_scalar_int(types[i]) || !value_of(u, x, &lanes[i].bits[0]))
      return;
  }
  u->known[v] = kiln_eval((enum kiln_op)inst->op, inst->type, inst->imm, inst->flags, NULL, types, operands,
                          inst->operand_count, &result);
  u->bits[v] = result.bits[0];
}

static void run_iteration(struct unroll *u, const struct plan *plan) {
  for (uint32_t i = 0; i < plan->step_count; i++)
    evaluate(u, plan->steps[i]);
}

static void run_first(struct unroll *u, struct plan *plan) {
  const struct kiln_value_list *header = &kiln_node(u->fn, plan->loop)->header;
  for (uint32_t i = 0; i < header->count; i++) {
    kiln_value phi = header->items[i];
    plan->counter[i] = plan->counter[i] && kiln_const_splat(u->fn, kiln_operands(u->fn, plan->loop)[i], &u->bits[phi]);
    u->known[phi] = plan->counter[i];
  }
  run_iteration(u, plan);
}

// Computes the next values of counters. False: one of them is not known, so that its phi is no counter any more.
static bool run_next(struct unroll *u, struct plan *plan) {
  const struct kiln_node *node = kiln_node(u->fn, plan->loop);
  const kiln_value *next = kiln_operands(u->fn, u->fn->regions[node->region_first].last);
  bool all = true;
  for (uint32_t i = 0; i < node->header.count; i++)
    if (plan->counter[i] && !value_of(u, next[i], &plan->next[i]))
      all = plan->counter[i] = false;
  for (uint32_t i = 0; i < node->header.count; i++)
    u->bits[node->header.items[i]] = plan->next[i];
  if (all)
    run_iteration(u, plan);
  return all;
}

// Finds the exit whose condition follows from counters.
static bool find_test(const struct unroll *u, struct plan *plan) {
  const struct kiln_function *fn = u->fn;
  uint64_t bit;
  kiln_value id = fn->regions[kiln_node(fn, plan->loop)->region_first].first;
  while (id && (!is_exit(fn, id, plan->loop) || !value_of(u, kiln_operands(fn, id)[0], &bit)))
    id = fn->insts[id].next;
  plan->test = id;
  plan->exit = id ? kiln_leaving_side(fn, id, plan->loop, false) : 0;
  return id;
}

static bool count_trips(struct unroll *u, struct plan *plan) {
  const struct kiln_function *fn = u->fn;
  const struct kiln_node *node = kiln_node(fn, plan->loop);
  plan->counter = KILN_NEW_ARRAY(u->arena, bool, node->header.count + 1);
  plan->next = KILN_NEW_ARRAY(u->arena, uint64_t, node->header.count + 1);
  find_steps(u, plan);
  for (uint32_t i = 0; i < node->header.count; i++)
    plan->counter[i] = is_scalar_int(fn->insts[node->header.items[i]].type);
  do
    run_first(u, plan);
  while (!run_next(u, plan));
  run_first(u, plan);
  if (!find_test(u, plan))
    return false;
  for (plan->trips = 0; plan->trips <= MAX_TRIPS; plan->trips++) {
    uint64_t bit;
    if (!value_of(u, kiln_operands(fn, plan->test)[0], &bit))
      return false;
    if (((bit & 1) == 0) == (plan->exit == 1))
      return true;
    if (!run_next(u, plan))
      return false;
  }
  return false;
}

// ---- copies

// Copies the instructions of a region without the last one.
static void copy_most(struct kiln_copy *c, uint32_t region, struct kiln_builder *b) {
  for (kiln_value id = c->from->regions[region].first; id != c->from->regions[region].last;
       id = c->from->insts[id].next)
    kiln_copy_inst(c, id, b);
}

// Copies the side of the test that is taken: in the last iteration, the side that leaves the loop.
static void take_side(struct kiln_copy *c, const struct plan *plan, bool is_last, struct kiln_builder *b) {
  uint32_t side = kiln_node(c->from, plan->test)->region_first + (is_last ? plan->exit : !plan->exit);
  copy_most(c, side, b);
  kiln_value end = c->from->regions[side].last;
  if (is_last) {
    kiln_copy_inst(c, end, b);
    return;
  }
  const kiln_value *values = kiln_copy_operands(c, end);
  struct kiln_value_list results = kiln_node(c->from, plan->test)->results;
  for (uint32_t i = 0; i < results.count; i++)
    c->map[results.items[i]] = values[i];
}

// The loop becomes a block: its body is moved out, and copied once per iteration.
static void unroll_loop(struct unroll *u, const struct plan *plan) {
  struct kiln_function *fn = u->fn;
  struct kiln_value_list header = kiln_node(fn, plan->loop)->header;
  struct kiln_builder b = kiln_builder_before(fn, plan->loop);
  kiln_value aside = kiln_build_block(&b);
  if (!aside)
    return;
  uint32_t inner = kiln_node(fn, plan->loop)->region_first, outer = kiln_node(fn, aside)->region_first;
  while (fn->regions[inner].first)
    kiln_move(fn, fn->regions[inner].first, outer, 0);
  kiln_value *map = KILN_NEW_ARRAY(u->arena, kiln_value, fn->inst_count);
  struct kiln_copy c = kiln_copy_within(fn, u->arena, map, fn->inst_count);
  b = kiln_builder_at_end(fn, inner);
  const kiln_value *values = kiln_copy_operands(&c, plan->loop);
  for (uint32_t iteration = 0; iteration <= plan->trips && !kiln_module_failed(fn->module); iteration++) {
    for (uint32_t i = 0; i < header.count; i++)
      c.map[header.items[i]] = values[i];
    for (kiln_value id = fn->regions[outer].first; id != fn->regions[outer].last; id = fn->insts[id].next) {
      if (id != plan->test) {
        kiln_copy_inst(&c, id, &b);
        continue;
      }
      take_side(&c, plan, iteration == plan->trips, &b);
      if (iteration == plan->trips)
        break;
    }
    if (iteration < plan->trips)
      values = kiln_copy_operands(&c, fn->regions[outer].last);
  }
  kiln_remove(fn, aside);
  struct kiln_node *node = kiln_node(fn, plan->loop);
  node->header.count = 0;
  node->unroll = 0;
  fn->insts[plan->loop].op = KILN_OP_BLOCK;
  fn->insts[plan->loop].operand_count = 0;
  kiln_facts_forget(fn);
  u->changed = true;
}

// ---- the choice

static void consider(void *user, kiln_value loop) {
  struct unroll *u = user;
  struct kiln_function *fn = u->fn;
  const struct kiln_node *node = kiln_node(fn, loop);
  const struct kiln_inst *last = &fn->insts[fn->regions[node->region_first].last];
  struct body body = {0};
  struct plan plan = {.loop = loop};
  if (node->unroll == 1 || last->op != KILN_OP_CONTINUE || last->imm != loop)
    return;
  look_into(fn, loop, &body);
  if ((body.barrier && (body.loops || !is_scattered(fn, loop))) || body.continues != 1 || body.size > LARGE_RESULT ||
      !count_trips(u, &plan))
    return;
  bool large = body.arrays || (node->unroll && node->unroll >= plan.trips);
  uint64_t size = (uint64_t)body.size * plan.trips;
  if (body.barrier && (plan.trips > MAX_PHASES || size > PHASE_RESULT))
    return;
  if (size > (large ? LARGE_RESULT : SMALL_RESULT) || u->growth + size > MAX_GROWTH)
    return;
  u->growth += (uint32_t)size;
  unroll_loop(u, &plan);
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct unroll u = {.fn = subject, .arena = arena};
  kiln_loops_visit(u.fn, consider, &u);
  return u.changed;
}

bool kiln_pass_unroll(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }
