// Unroll-and-transpose: where a loop reads consecutive elements and the work-items of a warp are far apart
// ("sum += a[id * n + k]"), it is unrolled by four, and the four loads become one of four consecutive elements. A
// backend makes this one vector load per work-item and a transposition, instead of a gather per iteration.
//
// Where the source has unrolled a loop itself, or reads four members of a struct, the loads become one load of four
// elements, too; of bytes, one load of 16.
//
// The loop must have one exit: a test of an induction variable with step 1 against a uniform limit. Its body must be
// short and write no memory. The unrolled loop comes first; the loop itself becomes its remainder loop. The address of
// the first element is computed before both, so that what an iteration adds to it is uniform. Requires a verified
// function.
#include "jit/pass/loops.h"

#define FACTOR 4
#define MAX_BODY 96      // instructions
#define MAX_LOADS 6      // that become vector loads
#define MAX_SUMS 4       // unsigned 32-bit sums in addresses
#define MAX_ADDED 6000   // values that the pass adds to a function
#define MAX_GROUPS 8     // of loads of consecutive elements, at a time
#define NEAR_ELEMENTS 16 // between work-items, up to which a backend shares the vectors that it loads

struct unroll {
  struct kiln_function *fn;
  struct kiln_loop_room room;
  uint32_t size; // values of the function before the pass
  bool analysed, changed;
};

struct loop {
  kiln_value loop;
  struct kiln_loop_test test;
  struct kiln_loop_counter counter;
  uint32_t size; // instructions inside
  struct kiln_loop_room *room;
  kiln_value loads[MAX_LOADS];
  uint32_t load_count;
  // Unsigned sums and products that must not wrap for the stride to be constant: tested before the loop.
  kiln_value sums[MAX_SUMS];
  uint32_t sum_count;
};

// ---- loops

// Whether the region has no exit beside the test, and no effect that loads must not be moved across.
static bool is_plain(const struct kiln_function *fn, struct loop *l) {
  kiln_value end = kiln_walk_past(fn, l->loop), next;
  for (kiln_value id = kiln_walk_next(fn, l->loop); id != end; id = next) {
    const struct kiln_inst *inst = &fn->insts[id];
    enum kiln_op_effect effect = kiln_op_table[inst->op].effect;
    bool is_node = inst->op == KILN_OP_IF || inst->op == KILN_OP_BLOCK;
    bool ends_iteration = inst->op == KILN_OP_CONTINUE && inst->imm == l->loop && kiln_owner(fn, id) == l->loop;
    bool stays =
        inst->op == KILN_OP_YIELD || (inst->op == KILN_OP_BREAK && kiln_loop_has(l->room, (kiln_value)inst->imm));
    kiln_loop_add(l->room, fn, id);
    if (kiln_op_is_node(inst->op))
      kiln_loop_add_phis(l->room, fn, id);
    if (++l->size > MAX_BODY || kiln_op_writes_or_waits(inst->op))
      return false;
    if (effect == KILN_EFFECT_FLOW && inst->op != KILN_OP_PHI && !is_node && !ends_iteration && !stays)
      return false;
    next = id == l->test.node ? kiln_walk_past(fn, id) : kiln_walk_next(fn, id);
  }
  return true;
}

// ---- addresses

// Whether bound_of can compute an upper bound of an unsigned value for all work-items and iterations, from ids, sizes,
// uniform values, and the limit of the loop.
static bool has_bound(const struct kiln_function *fn, struct loop *l, kiln_value v) {
  struct kiln_worklist *work = &l->room->work;
  kiln_worklist_begin(work, l->room->arena, fn->inst_count);
  kiln_worklist_add(work, v);
  while (kiln_worklist_take(work, &v)) {
    const struct kiln_inst *inst = &fn->insts[v];
    bool is_id = inst->op == KILN_OP_GLOBAL_ID || inst->op == KILN_OP_LOCAL_ID;
    bool is_counter = v == l->counter.phi, is_uniform = fn->shapes[v].kind == KILN_SHAPE_UNIFORM;
    if (is_id)
      continue;
    if (inst->type != kiln_scalar_type(KILN_I32) || (is_counter && kiln_op_is_signed_order(l->counter.order)) ||
        (!is_counter && is_uniform && !kiln_loop_invariant(l->room, v)))
      return false;
    if (is_counter || is_uniform)
      continue;
    if (inst->op != KILN_OP_TRUNC && inst->op != KILN_OP_IADD && inst->op != KILN_OP_IMUL)
      return false;
    kiln_worklist_add_all(work, kiln_operands(fn, v), inst->operand_count);
  }
  return true;
}

static bool needs_sum(const struct kiln_function *fn, struct loop *l, kiln_value v) {
  for (uint32_t i = 0; i < l->sum_count; i++)
    if (l->sums[i] == v)
      return true;
  if (l->sum_count == MAX_SUMS || !has_bound(fn, l, v))
    return false;
  l->sums[l->sum_count++] = v;
  return true;
}

// The difference of a form between successive iterations. False: the difference is no constant.
static bool step_of(const struct loop *l, const struct kiln_affine *form, int64_t *out) {
  *out = 0;
  for (uint32_t i = 0; i < form->term_count; i++) {
    const struct kiln_term *term = &form->terms[i];
    bool is_signed = kiln_op_is_signed_order(l->counter.order);
    if (kiln_loop_invariant(l->room, term->value))
      continue;
    if (term->value != l->counter.phi ||
        (term->extension != KILN_OP_CONST && (term->extension == KILN_OP_SEXT) != is_signed))
      return false;
    *out += term->factor;
  }
  return true;
}

// The difference of an address between successive iterations. Its base may be a pointer that each iteration moves.
static bool step_of_address(const struct kiln_function *fn, struct loop *l, kiln_value address, int64_t *out) {
  struct kiln_affine form, next;
  int64_t step;
  kiln_affine_of(fn, address, KILN_AFFINE_MAY_WRAP, &form);
  if (!step_of(l, &form, out))
    return false;
  for (uint32_t i = 0; i < form.wrap_count; i++) {
    kiln_value sum = form.wraps[i].value;
    kiln_affine_of(fn, sum, KILN_AFFINE_MAY_WRAP, &next);
    bool is_bounded = form.wraps[i].extension == KILN_OP_ZEXT &&
                      (fn->insts[sum].op == KILN_OP_IADD || fn->insts[sum].op == KILN_OP_IMUL);
    if (!step_of(l, &next, &step) || (step && !(is_bounded && needs_sum(fn, l, sum))))
      return false;
  }
  if (kiln_loop_invariant(l->room, form.base))
    return true;
  kiln_value moved = kiln_loop_next(fn, l->loop, form.base);
  struct kiln_affine from = {.base = form.base};
  if (!moved)
    return false;
  kiln_affine_of(fn, moved, 0, &next);
  bool moves = kiln_affine_distance(&from, &next, &step);
  *out += step;
  return moves;
}

// Whether a load may become an element of a vector.
static bool may_share(const struct kiln_function *fn, kiln_value id) {
  const struct kiln_inst *inst = &fn->insts[id];
  enum kiln_space space = kiln_type_space(fn->insts[kiln_operands(fn, id)[0]].type);
  enum kiln_kind kind = kiln_type_kind(inst->type);
  return kiln_type_lanes(inst->type) == 1 && kind != KILN_BOOL && kind != KILN_PTR &&
         !(inst->flags & KILN_MEM_VOLATILE) && (space == KILN_GLOBAL || space == KILN_CONSTANT || space == KILN_LOCAL);
}

static bool is_own_walk(const struct kiln_function *fn, struct loop *l, kiln_value load) {
  kiln_value address = kiln_operands(fn, load)[0];
  int64_t step;
  return may_share(fn, load) && fn->shapes[address].kind == KILN_SHAPE_VARYING &&
         step_of_address(fn, l, address, &step) && step == (int64_t)kiln_type_bytes(fn->insts[load].type);
}

// ---- the change

// Emits the bound as 64 bits, before the loop. *fits: the condition that no 32-bit value has wrapped so far; 0: no
// condition so far.
static kiln_value bound_of(struct kiln_copy *c, const struct loop *l, kiln_value v, struct kiln_builder *b,
                           kiln_value *fits) {
  struct kiln_function *fn = c->to;
  const struct kiln_inst inst = fn->insts[v];
  kiln_type wide = kiln_scalar_type(KILN_I64);
  if (inst.op == KILN_OP_GLOBAL_ID) {
    kiln_value offset = kiln_build_item(b, KILN_OP_GLOBAL_OFFSET, (unsigned)inst.imm);
    return kiln_build2(b, KILN_OP_IADD, offset, kiln_build_item(b, KILN_OP_GLOBAL_SIZE, (unsigned)inst.imm));
  }
  if (inst.op == KILN_OP_LOCAL_ID)
    return kiln_build_item(b, KILN_OP_FULL_LOCAL_SIZE, (unsigned)inst.imm);
  if (v == l->counter.phi)
    return kiln_build1(b, KILN_OP_ZEXT, wide, kiln_loop_copy_tree(c, l->room, l->counter.limit, b));
  if (fn->shapes[v].kind == KILN_SHAPE_UNIFORM)
    return kiln_build1(b, KILN_OP_ZEXT, wide, kiln_loop_copy_tree(c, l->room, v, b));
  kiln_value bound = bound_of(c, l, kiln_operands(fn, v)[0], b, fits);
  if (inst.op != KILN_OP_TRUNC)
    bound = kiln_build2(b, (enum kiln_op)inst.op, bound, bound_of(c, l, kiln_operands(fn, v)[1], b, fits));
  kiln_value fit = kiln_build2(b, KILN_OP_ULE, bound, kiln_const(fn, wide, UINT32_MAX));
  *fits = *fits ? kiln_build2(b, KILN_OP_BAND, *fits, fit) : fit;
  return bound;
}

static void split(struct unroll *q, const struct loop *l) {
  struct kiln_function *fn = q->fn;
  struct kiln_builder b = kiln_builder_before(fn, l->loop);
  struct kiln_copy c = kiln_loop_copy(l->room, fn, 0);
  const kiln_value *initial = kiln_copy_operands(&c, l->loop);
  uint32_t count = kiln_node(fn, l->loop)->header.count, body = kiln_node(fn, l->loop)->region_first;
  kiln_value addresses[MAX_LOADS], vectors[MAX_LOADS], begin = 0;
  for (uint32_t i = 0; i < count; i++) {
    kiln_value phi = kiln_node(fn, l->loop)->header.items[i];
    c.map[phi] = initial[i];
    begin = phi == l->counter.phi ? initial[i] : begin;
  }
  for (uint32_t i = 0; i < l->load_count; i++)
    addresses[i] = kiln_loop_copy_tree(&c, l->room, kiln_operands(fn, l->loads[i])[0], &b);
  kiln_value fits = 0;
  for (uint32_t i = 0; i < l->sum_count; i++)
    bound_of(&c, l, l->sums[i], &b, &fits);
  kiln_value limit = kiln_loop_copy_tree(&c, l->room, l->counter.limit, &b), four = kiln_build_loop(&b, initial, count);
  if (!four)
    return;
  kiln_loop_forget(l->room, fn, l->loop, 0);
  struct kiln_builder in = kiln_builder_at_end(fn, kiln_node(fn, four)->region_first);
  in.loc = b.loc;
  kiln_loop_copy_header(&c, l->loop, four);
  kiln_value counter = c.map[l->counter.phi];
  kiln_loop_build_test(fn, &l->counter, &(struct kiln_loop_unrolled){four, counter, limit, FACTOR, fits}, &in);
  kiln_value iteration = kiln_build2(&in, KILN_OP_ISUB, counter, begin);
  if (kiln_type_bytes(fn->insts[iteration].type) < 8)
    iteration = kiln_build1(&in, KILN_OP_ZEXT, kiln_scalar_type(KILN_I64), iteration);
  for (uint32_t i = 0; i < l->load_count; i++) {
    const struct kiln_inst load = fn->insts[l->loads[i]];
    kiln_value address = kiln_build_padd(&in, addresses[i], iteration, (int64_t)kiln_type_bytes(load.type));
    in.loc = load.loc;
    vectors[i] = kiln_build_load(&in, kiln_type_with_lanes(load.type, FACTOR), address,
                                 load.imm2 ? load.imm2 : kiln_type_bytes(load.type), load.flags);
  }
  for (uint32_t r = 0; r < FACTOR && !kiln_module_failed(fn->module); r++) {
    for (uint32_t i = 0; i < l->load_count; i++)
      c.map[l->loads[i]] =
          kiln_build(&in, KILN_OP_EXTRACT, fn->insts[l->loads[i]].type,
                     (kiln_value[]){vectors[i], kiln_const(fn, kiln_scalar_type(KILN_I32), r)}, 2, 0, 0, 0);
    for (kiln_value id = fn->regions[body].first; id != fn->regions[body].last; id = fn->insts[id].next) {
      bool is_load = false;
      for (uint32_t i = 0; i < l->load_count; i++)
        is_load |= id == l->loads[i];
      if (!is_load && id != l->test.node)
        kiln_copy_inst(&c, id, &in);
    }
    const kiln_value *next = kiln_copy_operands(&c, fn->regions[body].last);
    for (uint32_t i = 0; i < count; i++)
      c.map[kiln_node(fn, l->loop)->header.items[i]] = next[i];
    if (r + 1 == FACTOR)
      kiln_build_continue(&in, four, next, count);
  }
  kiln_set_operands(fn, l->loop, kiln_node(fn, four)->results.items, count);
  kiln_node(fn, four)->unroll = kiln_node(fn, l->loop)->unroll = 1;
  kiln_loop_forget(l->room, fn, l->loop, 0);
  q->changed = true;
}

// ---- the choice

static void analyse(struct unroll *q) {
  if (q->analysed)
    return;
  kiln_function_annotate(q->fn);
  kiln_function_analyse(q->fn);
  q->analysed = true;
}

static void consider(void *user, kiln_value loop) {
  struct unroll *q = user;
  struct kiln_function *fn = q->fn;
  const struct kiln_node *node = kiln_node(fn, loop);
  uint32_t body = node->region_first;
  const struct kiln_inst *last = &fn->insts[fn->regions[body].last];
  struct loop l = {.loop = loop, .room = &q->room};
  if (fn->inst_count > q->size + MAX_ADDED || node->unroll == 1 || last->op != KILN_OP_CONTINUE || last->imm != loop ||
      !kiln_loop_find_test(fn, loop, &l.test))
    return;
  kiln_loop_room_begin(l.room, fn);
  kiln_loop_add_phis(l.room, fn, loop);
  if (!is_plain(fn, &l) || !kiln_loop_find_counter(l.room, fn, loop, &l.test, &l.counter))
    return;
  analyse(q);
  if (!fn->shapes || loop >= fn->shape_count || kiln_node(fn, loop)->divergent)
    return;
  for (kiln_value id = fn->regions[body].first; id && l.load_count < MAX_LOADS; id = fn->insts[id].next)
    if (fn->insts[id].op == KILN_OP_LOAD && is_own_walk(fn, &l, id))
      l.loads[l.load_count++] = id;
  if (l.load_count)
    split(q, &l);
}

// ---- loops that the source has unrolled

// Loads of consecutive elements.
struct group {
  struct kiln_affine form; // of the first address
  kiln_value loads[KILN_CHUNK_BYTES];
  uint32_t count; // 0: the entry is free
};

// The loads become elements of one vector, which is loaded in place of the first load.
static void share(struct unroll *q, const kiln_value *loads, uint32_t count) {
  struct kiln_function *fn = q->fn;
  const struct kiln_inst load = fn->insts[loads[0]];
  struct kiln_builder b = kiln_builder_before(fn, loads[0]);
  kiln_value vector = kiln_build_load(&b, kiln_type_with_lanes(load.type, count), kiln_operands(fn, loads[0])[0],
                                      load.imm2 ? load.imm2 : kiln_type_bytes(load.type), load.flags);
  for (uint32_t i = 0; i < count && vector; i++) {
    kiln_set_operands(fn, loads[i], (kiln_value[]){vector, kiln_const(fn, kiln_scalar_type(KILN_I32), i)}, 2);
    fn->insts[loads[i]].op = KILN_OP_EXTRACT;
    fn->insts[loads[i]].imm2 = fn->insts[loads[i]].flags = 0;
  }
  q->changed = true;
}

// How many elements of the size a vector gets: as many narrow elements as fill a chunk, else four.
static uint32_t whole_of(uint32_t size) { return size * FACTOR < KILN_CHUNK_BYTES ? KILN_CHUNK_BYTES / size : FACTOR; }

// Whether the elements of neighbouring work-items, of so many bytes, are so far apart that no vector in memory holds
// elements of several work-items.
static bool is_apart(struct unroll *q, kiln_value address, uint32_t size) {
  struct kiln_function *fn = q->fn;
  analyse(q);
  if (!fn->shapes || address >= fn->shape_count)
    return false;
  struct kiln_shape shape = fn->shapes[address];
  bool far = shape.stride > (int64_t)size * NEAR_ELEMENTS || shape.stride < -(int64_t)size * NEAR_ELEMENTS;
  return shape.kind == KILN_SHAPE_VARYING || (shape.kind == KILN_SHAPE_LINEAR && far);
}

static void end_group(struct unroll *q, struct group *g) {
  if (!g->count)
    return;
  uint32_t size = kiln_type_bytes(q->fn->insts[g->loads[0]].type), whole = whole_of(size);
  for (uint32_t i = 0, n; i + FACTOR <= g->count; i += n) {
    n = g->count - i < whole ? FACTOR : whole;
    if (is_apart(q, kiln_operands(q->fn, g->loads[i])[0], size))
      share(q, g->loads + i, n);
  }
  g->count = 0;
}

// Adds a load to a group, or begins a group in a free entry, or else in the entry that is next.
static void add_load(struct unroll *q, struct group *groups, uint32_t *next, kiln_value id) {
  struct kiln_function *fn = q->fn;
  struct group now = {.loads = {id}, .count = 1};
  uint32_t size = kiln_type_bytes(fn->insts[id].type);
  int64_t distance;
  kiln_affine_of(fn, kiln_operands(fn, id)[0], 0, &now.form);
  for (uint32_t i = 0; i < MAX_GROUPS; i++) {
    struct group *g = &groups[i];
    if (!g->count || fn->insts[g->loads[0]].type != fn->insts[id].type ||
        !kiln_affine_distance(&g->form, &now.form, &distance) || distance != (int64_t)size * g->count)
      continue;
    g->loads[g->count++] = id;
    if (g->count == whole_of(size))
      end_group(q, g);
    return;
  }
  for (uint32_t i = 0; i < MAX_GROUPS && groups[*next].count; i++)
    *next = (*next + 1) % MAX_GROUPS;
  end_group(q, &groups[*next]);
  groups[*next] = now;
  *next = (*next + 1) % MAX_GROUPS;
}

static void end_groups(struct unroll *q, struct group *groups) {
  for (uint32_t i = 0; i < MAX_GROUPS; i++)
    end_group(q, &groups[i]);
}

// A group ends with its region, and where memory may change.
static void find_groups(struct unroll *q) {
  struct group *groups = KILN_NEW_ARRAY(q->room.arena, struct group, MAX_GROUPS);
  uint32_t next = 0;
  for (kiln_value id = q->fn->regions[q->fn->body].first; id; id = kiln_walk_next(q->fn, id)) {
    enum kiln_op op = kiln_op_of(&q->fn->insts[id]);
    if (kiln_op_is_node(op) || kiln_op_is_jump(op) || kiln_op_writes_or_waits(op))
      end_groups(q, groups);
    if (op == KILN_OP_LOAD && may_share(q->fn, id))
      add_load(q, groups, &next, id);
  }
  end_groups(q, groups);
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct unroll q = {.fn = subject, .room = {.arena = arena}};
  q.size = q.fn->inst_count;
  kiln_loops_visit(q.fn, consider, &q);
  if (q.analysed)
    kiln_forget_shapes(q.fn);
  if (q.changed)
    kiln_facts_forget(q.fn);
  q.analysed = false;
  find_groups(&q);
  if (q.analysed)
    kiln_forget_shapes(q.fn);
  return q.changed;
}

bool kiln_pass_unroll_transpose(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }
