// Pairs of products of bfloat16 values: machines have an instruction for the sum of two of them.
//
// A loop that adds one product of bfloat16 values to a sum in each iteration ("sum += a[k] * b[k]") is unrolled by two
// where it reads elements one after another, so that a backend finds the products of both iterations in one chain of
// FMAs. The unrolled loop comes first; the loop itself becomes its remainder loop. Only sums that may be contracted
// anywhere (KILN_FP_CONTRACT) count: the instruction rounds in its own way. The loop must have one exit: a test of an
// induction variable with step 1. Requires a verified function. Near-linear.
#include "jit/pass/loops.h"

#define FACTOR 2
#define MAX_BODY 1024   // instructions
#define MAX_ADDED 12000 // values that the pass adds to a function

struct pairs {
  struct kiln_function *fn;
  struct kiln_loop_room room;
  uint32_t size; // values of the function before the pass
  bool changed;
};

// Whether the loop has no exit beside the test, and nothing that work-items do together.
static bool is_plain(struct pairs *p, kiln_value loop, const struct kiln_loop_test *test) {
  const struct kiln_function *fn = p->fn;
  uint32_t size = 0;
  kiln_value end = kiln_walk_past(fn, loop), next;
  for (kiln_value id = kiln_walk_next(fn, loop); id != end; id = next) {
    const struct kiln_inst *inst = &fn->insts[id];
    enum kiln_op_effect effect = kiln_op_table[inst->op].effect;
    bool ends_iteration = inst->op == KILN_OP_CONTINUE && kiln_owner(fn, id) == loop;
    kiln_loop_add(&p->room, fn, id);
    if (++size > MAX_BODY || effect == KILN_EFFECT_SYNC || effect == KILN_EFFECT_CROSS ||
        (effect == KILN_EFFECT_FLOW && inst->op != KILN_OP_PHI && id != test->node && !ends_iteration))
      return false;
    next = id == test->node ? kiln_walk_past(fn, id) : kiln_walk_next(fn, id);
  }
  return true;
}

// Whether iterations add products of bfloat16 values to sums, one product to each sum.
static bool adds_products(const struct kiln_function *fn, kiln_value loop) {
  const struct kiln_node *node = kiln_node(fn, loop);
  const kiln_value *next = kiln_operands(fn, fn->regions[node->region_first].last);
  for (uint32_t i = 0; i < node->header.count; i++)
    if (kiln_is_bfloat_sum(fn, next[i]) && kiln_operands(fn, next[i])[2] == node->header.items[i])
      return true;
  return false;
}

static void unroll(struct pairs *p, kiln_value loop, const struct kiln_loop_test *test,
                   const struct kiln_loop_counter *counter) {
  struct kiln_function *fn = p->fn;
  struct kiln_builder b = kiln_builder_before(fn, loop);
  struct kiln_copy c = kiln_loop_copy(&p->room, fn, 0);
  const kiln_value *initial = kiln_copy_operands(&c, loop);
  uint32_t count = kiln_node(fn, loop)->header.count, body = kiln_node(fn, loop)->region_first;
  kiln_value limit = kiln_loop_copy_tree(&c, &p->room, counter->limit, &b), two = kiln_build_loop(&b, initial, count);
  if (!two)
    return;
  kiln_loop_forget(&p->room, fn, loop, 0);
  struct kiln_builder in = kiln_builder_at_end(fn, kiln_node(fn, two)->region_first);
  in.loc = b.loc;
  kiln_loop_copy_header(&c, loop, two);
  kiln_loop_build_test(fn, counter, &(struct kiln_loop_unrolled){two, c.map[counter->phi], limit, FACTOR, 0}, &in);
  for (uint32_t r = 0; r < FACTOR && !kiln_module_failed(fn->module); r++) {
    for (kiln_value id = fn->regions[body].first; id != fn->regions[body].last; id = fn->insts[id].next)
      if (id != test->node)
        kiln_copy_inst(&c, id, &in);
    const kiln_value *next = kiln_copy_operands(&c, fn->regions[body].last);
    for (uint32_t i = 0; i < count; i++)
      c.map[kiln_node(fn, loop)->header.items[i]] = next[i];
    if (r + 1 == FACTOR)
      kiln_build_continue(&in, two, next, count);
  }
  kiln_set_operands(fn, loop, kiln_node(fn, two)->results.items, count);
  kiln_node(fn, two)->unroll = kiln_node(fn, loop)->unroll = 1;
  kiln_loop_forget(&p->room, fn, loop, 0);
  p->changed = true;
}

static void consider(void *user, kiln_value loop) {
  struct pairs *p = user;
  struct kiln_function *fn = p->fn;
  const struct kiln_node *node = kiln_node(fn, loop);
  const struct kiln_inst *last = &fn->insts[fn->regions[node->region_first].last];
  struct kiln_loop_test test;
  struct kiln_loop_counter counter;
  if (fn->inst_count > p->size + MAX_ADDED || node->unroll == 1 || last->op != KILN_OP_CONTINUE || last->imm != loop ||
      !adds_products(fn, loop) || !kiln_loop_find_test(fn, loop, &test))
    return;
  kiln_loop_room_begin(&p->room, fn);
  kiln_loop_add_phis(&p->room, fn, loop);
  if (is_plain(p, loop, &test) && kiln_loop_find_counter(&p->room, fn, loop, &test, &counter) && counter.step == 1)
    unroll(p, loop, &test, &counter);
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct pairs p = {.fn = subject, .room = {.arena = arena}};
  p.size = p.fn->inst_count;
  kiln_loops_visit(p.fn, consider, &p);
  return p.changed;
}

bool kiln_pass_pairs(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }

// ---- loads

struct loads {
  struct kiln_function *fn;
  uint32_t *place, *writes; // by value: where it stands in the function, how many writes are before it
};

// The load of 16 bits that is the factor on that side; 0: the factor is no such load.
static kiln_value load_of(const struct kiln_function *fn, kiln_value sum, unsigned side) {
  struct kiln_bfloat factor;
  if (!kiln_bfloat_of(fn, kiln_operands(fn, sum)[side], &factor) || factor.upper ||
      fn->insts[factor.word].op != KILN_OP_ZEXT)
    return 0;
  kiln_value load = kiln_operands(fn, factor.word)[0];
  bool is_plain_load = fn->insts[load].op == KILN_OP_LOAD && fn->insts[load].type == kiln_scalar_type(KILN_I16) &&
                       !(fn->insts[load].flags & KILN_MEM_VOLATILE);
  return is_plain_load && fn->shapes[kiln_operands(fn, load)[0]].kind == KILN_SHAPE_UNIFORM ? load : 0;
}

static bool are_neighbours(const struct loads *l, kiln_value first, kiln_value second) {
  const struct kiln_function *fn = l->fn;
  struct kiln_affine from, to;
  int64_t distance;
  if (!first || !second || fn->insts[first].region != fn->insts[second].region || l->place[first] >= l->place[second] ||
      l->writes[first] != l->writes[second])
    return false;
  kiln_affine_of(fn, kiln_operands(fn, first)[0], 0, &from);
  kiln_affine_of(fn, kiln_operands(fn, second)[0], 0, &to);
  return kiln_affine_distance(&from, &to, &distance) && distance == 2;
}

// The loads become the halves of one load of 32 bits.
static void load_both(struct kiln_function *fn, kiln_value first, kiln_value second) {
  const struct kiln_inst load = fn->insts[first];
  kiln_type word = kiln_scalar_type(KILN_I32);
  struct kiln_builder b = kiln_builder_before(fn, first);
  kiln_value both = kiln_build_load(&b, word, kiln_operands(fn, first)[0],
                                    load.imm2 ? load.imm2 : kiln_type_bytes(load.type), load.flags);
  kiln_value upper = kiln_build2(&b, KILN_OP_LSHR, both, kiln_const(fn, word, 16));
  for (unsigned i = 0; i < 2 && upper; i++) {
    kiln_value id = i ? second : first;
    kiln_set_operands(fn, id, i ? &upper : &both, 1);
    fn->insts[id].op = KILN_OP_TRUNC;
    fn->insts[id].imm2 = fn->insts[id].flags = 0;
  }
}

static bool share_loads(void *subject, struct kiln_arena *arena) {
  struct loads l = {.fn = subject};
  uint32_t count = l.fn->inst_count, place = 0, writes = 0;
  bool found = false, changed = false;
  for (kiln_value v = 1; v < count && !found; v++)
    found = l.fn->insts[v].region && kiln_is_bfloat_sum(l.fn, v) && kiln_is_bfloat_sum(l.fn, kiln_operands(l.fn, v)[2]);
  if (!found)
    return false;
  l.place = KILN_NEW_ARRAY(arena, uint32_t, count);
  l.writes = KILN_NEW_ARRAY(arena, uint32_t, count);
  kiln_function_annotate(l.fn);
  kiln_function_analyse_again(l.fn);
  for (kiln_value id = l.fn->regions[l.fn->body].first; id; id = kiln_walk_next(l.fn, id)) {
    writes += kiln_op_writes_or_waits(kiln_op_of(&l.fn->insts[id])) || kiln_op_is_node(l.fn->insts[id].op);
    l.place[id] = place++, l.writes[id] = writes;
  }
  for (kiln_value v = 1; v < count && l.fn->shapes; v++) {
    kiln_value first = kiln_is_bfloat_sum(l.fn, v) ? kiln_operands(l.fn, v)[2] : 0;
    for (unsigned side = 0; side < 2 && first && kiln_is_bfloat_sum(l.fn, first); side++) {
      kiln_value loads[] = {load_of(l.fn, first, side), load_of(l.fn, v, side)};
      if (!are_neighbours(&l, loads[0], loads[1]))
        continue;
      load_both(l.fn, loads[0], loads[1]);
      changed = true;
    }
  }
  kiln_forget_shapes(l.fn);
  return changed;
}

bool kiln_pass_pair_loads(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, share_loads); }
