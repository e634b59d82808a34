// Unroll-and-transpose: where a loop reads consecutive elements and the work-items of a warp are far apart
// ("sum += a[id * n + k]"), it is unrolled by four, and the four loads become one of four consecutive elements. A
// backend makes this one vector load per work-item and a transposition, instead of a gather per iteration. Where the
// addresses go down, the first iteration takes the last element. A loop that reads two consecutive elements in each
// iteration is unrolled by two.
//
// Where the source has unrolled a loop by four itself, or reads four members of a struct, the loads become one load of
// four elements, too; of bytes, one load of 16.
//
// The loop must have one exit: a test of an induction variable against a uniform limit. Its body must be short and
// write no memory. The unrolled loop comes first; the loop itself becomes its remainder loop. The address of the first
// element is computed before both, so that what an iteration adds to it is uniform.
//
// Where the bounds are a work-item's own, but their distance is uniform ("k = id * n; k < (id + 1) * n"), the unrolled
// loop counts up to that distance. It runs if the bounds of all work-items of a warp have it: a bound may have wrapped.
// The affine forms of the bounds say what the distance is, and need not be exact, since the condition compares it.
//
// Requires a verified function.
// Kernels aimed at its conditions (tests/gen/aimed.def): loops_rows_spelled.
#include "jit/pass/loops.h"

#define FACTOR 4
#define MAX_BODY 96      // instructions
#define MAX_LOADS 6      // of vectors
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

#define MAX_SHARED 2 // elements that an iteration reads of a vector

// Loads of consecutive elements, the first of which comes first in memory, that read the next ones in the next
// iteration.
struct walk {
  kiln_value loads[MAX_SHARED];
  uint32_t count;
  int64_t step; // of the addresses, in bytes: as many elements up or down as an iteration may read
};

#define MAX_TERMS 4 // of the distance between bounds

// A distance that is uniform: the sum of a constant and terms.
struct distance {
  struct kiln_term terms[MAX_TERMS];
  uint32_t term_count;
  int64_t constant;
};

struct loop {
  kiln_value loop;
  struct kiln_loop_test test;
  struct kiln_loop_counter counter;
  uint32_t size; // instructions inside
  struct kiln_loop_room *room;
  struct walk walks[MAX_LOADS];
  uint32_t walk_count;
  uint32_t elements; // that an iteration reads of each vector
  // Of a loop that lanes may leave in different iterations: how far its bounds are apart.
  bool is_divergent;
  struct distance distance;
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
    bool is_unbounded =
        is_counter && (kiln_op_is_signed_order(l->counter.order) || l->counter.step < 0 || l->is_divergent);
    if (inst->type != kiln_scalar_type(KILN_I32) || is_unbounded ||
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
    *out += (int64_t)((uint64_t)term->factor * (uint64_t)l->counter.step);
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

// Whether the address of a load moves by so many elements in each iteration, up or down.
static bool moves_by(const struct kiln_function *fn, struct loop *l, kiln_value load, int64_t elements, int64_t *step) {
  kiln_value address = kiln_operands(fn, load)[0];
  int64_t bytes = elements * (int64_t)kiln_type_bytes(fn->insts[load].type);
  return may_share(fn, load) && fn->shapes[address].kind == KILN_SHAPE_VARYING &&
         step_of_address(fn, l, address, step) && (*step == bytes || *step == -bytes) && bytes % l->counter.step == 0;
}

// Adds a load to a walk that has a load of the element before or after its own. False: there is no such walk.
static bool join_walk(const struct kiln_function *fn, struct loop *l, kiln_value load, int64_t step) {
  struct kiln_affine from, to;
  int64_t size = (int64_t)kiln_type_bytes(fn->insts[load].type), distance;
  kiln_affine_of(fn, kiln_operands(fn, load)[0], 0, &to);
  for (uint32_t i = 0; i < l->walk_count; i++) {
    struct walk *w = &l->walks[i];
    kiln_affine_of(fn, kiln_operands(fn, w->loads[0])[0], 0, &from);
    if (w->count > 1 || w->step != step || fn->insts[w->loads[0]].type != fn->insts[load].type ||
        !kiln_affine_distance(&from, &to, &distance) || (distance != size && distance != -size))
      continue;
    w->loads[w->count++] = load;
    if (distance < 0) {
      w->loads[1] = w->loads[0];
      w->loads[0] = load;
    }
    return true;
  }
  return false;
}

// Finds the loads of so many elements in each iteration.
static void find_walks(const struct kiln_function *fn, struct loop *l, uint32_t elements) {
  uint32_t kept = 0;
  l->elements = elements;
  l->walk_count = 0;
  for (kiln_value id = fn->regions[kiln_node(fn, l->loop)->region_first].first; id; id = fn->insts[id].next) {
    int64_t step;
    if (fn->insts[id].op == KILN_OP_LOAD && moves_by(fn, l, id, elements, &step) &&
        !(elements > 1 && join_walk(fn, l, id, step)) && l->walk_count < MAX_LOADS)
      l->walks[l->walk_count++] = (struct walk){{id}, 1, step};
  }
  for (uint32_t i = 0; i < l->walk_count; i++)
    if (l->walks[i].count == elements)
      l->walks[kept++] = l->walks[i];
  l->walk_count = kept;
}

// ---- bounds

static bool is_uniform(const struct kiln_function *fn, kiln_value v) {
  return v < fn->shape_count && fn->shapes[v].kind == KILN_SHAPE_UNIFORM;
}

static bool add_term(struct distance *d, const struct kiln_term *term, int64_t sign) {
  uint32_t i = 0;
  while (i < d->term_count && (d->terms[i].value != term->value || d->terms[i].scale != term->scale ||
                               d->terms[i].extension != term->extension))
    i++;
  if (i == MAX_TERMS)
    return false;
  if (i == d->term_count) {
    d->terms[d->term_count] = *term;
    d->terms[d->term_count++].factor = 0;
  }
  d->terms[i].factor = (int64_t)((uint64_t)d->terms[i].factor + (uint64_t)sign * (uint64_t)term->factor);
  if (!d->terms[i].factor)
    d->terms[i] = d->terms[--d->term_count];
  return true;
}

static bool add_terms(struct distance *d, const struct kiln_affine *form, int64_t sign) {
  d->constant = (int64_t)((uint64_t)d->constant + (uint64_t)sign * (uint64_t)form->constant);
  for (uint32_t i = 0; i < form->term_count; i++)
    if (!add_term(d, &form->terms[i], sign))
      return false;
  return true;
}

// Whether the limit is as far from where the counter begins as a uniform value says.
static bool has_distance(const struct kiln_function *fn, struct loop *l) {
  const struct kiln_node *node = kiln_node(fn, l->loop);
  kiln_value begin = 0;
  struct kiln_affine from, to;
  kiln_type type = fn->insts[l->counter.phi].type;
  for (uint32_t i = 0; i < node->header.count; i++)
    if (node->header.items[i] == l->counter.phi)
      begin = kiln_operands(fn, l->loop)[i];
  kiln_affine_of(fn, begin, KILN_AFFINE_PRODUCTS, &from);
  kiln_affine_of(fn, l->counter.limit, KILN_AFFINE_PRODUCTS, &to);
  int64_t sign = l->counter.step < 0 ? -1 : 1;
  if (!add_terms(&l->distance, &to, sign) || !add_terms(&l->distance, &from, -sign))
    return false;
  for (uint32_t i = 0; i < l->distance.term_count; i++) {
    const struct kiln_term *term = &l->distance.terms[i];
    bool is_whole = term->extension == KILN_OP_CONST && fn->insts[term->value].type == type &&
                    (!term->scale || fn->insts[term->scale].type == type);
    bool is_extended = term->extension != KILN_OP_CONST && kiln_type_kind(type) == KILN_I64;
    bool is_outside =
        kiln_loop_invariant(l->room, term->value) && (!term->scale || kiln_loop_invariant(l->room, term->scale));
    if ((!is_whole && !is_extended) || !is_outside || !is_uniform(fn, term->value) ||
        (term->scale && !is_uniform(fn, term->scale)))
      return false;
  }
  return true;
}

// Whether the loop carries nothing but counters and what it reduces its elements to, in any order: then one work-item
// at a time is faster, whose loop a backend vectorises.
static bool only_reduces(const struct kiln_function *fn, const struct loop *l) {
  const struct kiln_node *node = kiln_node(fn, l->loop);
  for (uint32_t i = 0; i < node->header.count; i++) {
    kiln_value phi = node->header.items[i], next = kiln_operands(fn, fn->regions[node->region_first].last)[i];
    const kiln_value *x = kiln_operands(fn, next);
    if (!kiln_op_is_associative(kiln_op_of(&fn->insts[next])) || (x[0] != phi && x[1] != phi))
      return false;
  }
  return l->counter.step == 1 && !fn->has_barrier;
}

static kiln_value build_factor(struct kiln_copy *c, const struct loop *l, kiln_value v, kiln_type type,
                               enum kiln_op extension, struct kiln_builder *b) {
  v = kiln_loop_copy_tree(c, l->room, v, b);
  return c->to->insts[v].type == type ? v : kiln_build1(b, extension, type, v);
}

static kiln_value build_distance(struct kiln_copy *c, const struct loop *l, struct kiln_builder *b) {
  kiln_type type = c->to->insts[l->counter.phi].type;
  uint64_t mask = kiln_bits_mask(8 * kiln_type_bytes(type));
  kiln_value total = kiln_const(c->to, type, (uint64_t)l->distance.constant & mask);
  for (uint32_t i = 0; i < l->distance.term_count; i++) {
    const struct kiln_term *term = &l->distance.terms[i];
    kiln_value part = build_factor(c, l, term->value, type, term->extension, b);
    if (term->scale)
      part = kiln_build2(b, KILN_OP_IMUL, part, build_factor(c, l, term->scale, type, term->extension, b));
    part = kiln_build2(b, KILN_OP_IMUL, part, kiln_const(c->to, type, (uint64_t)term->factor & mask));
    total = kiln_build2(b, KILN_OP_IADD, total, part);
  }
  return total;
}

// Whether the first iteration runs, and the bounds have the distance, in all work-items of the warp.
static kiln_value build_agreement(const struct loop *l, kiln_value begin, kiln_value limit, kiln_value distance,
                                  struct kiln_builder *b) {
  bool is_down = l->counter.step < 0;
  kiln_value low = is_down ? limit : begin, high = is_down ? begin : limit;
  kiln_value is_so = kiln_build2(b, KILN_OP_EQ, kiln_build2(b, KILN_OP_ISUB, high, low), distance);
  kiln_value both = kiln_build2(b, KILN_OP_BAND, kiln_build2(b, l->counter.order, low, high), is_so);
  return kiln_build1(b, KILN_OP_AGREE, kiln_scalar_type(KILN_BOOL), both);
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

// The addresses of the first elements, before the loop: of those that go down, of the last iteration's.
static void build_addresses(struct kiln_copy *c, const struct loop *l, uint32_t factor, kiln_value *addresses,
                            struct kiln_builder *b) {
  kiln_type wide = kiln_scalar_type(KILN_I64);
  for (uint32_t i = 0; i < l->walk_count; i++) {
    const struct walk *w = &l->walks[i];
    addresses[i] = kiln_loop_copy_tree(c, l->room, kiln_operands(c->to, w->loads[0])[0], b);
    if (w->step < 0)
      addresses[i] = kiln_build_padd(b, addresses[i], kiln_const(c->to, wide, factor - 1), w->step);
  }
}

// moved: how far the counter is from where it began.
static void build_vectors(struct kiln_function *fn, const struct loop *l, kiln_value moved, const kiln_value *addresses,
                          kiln_value *vectors, struct kiln_builder *b) {
  int64_t step = l->counter.step < 0 ? -l->counter.step : l->counter.step;
  if (kiln_type_bytes(fn->insts[moved].type) < 8)
    moved = kiln_build1(b, KILN_OP_ZEXT, kiln_scalar_type(KILN_I64), moved);
  for (uint32_t i = 0; i < l->walk_count; i++) {
    const struct kiln_inst load = fn->insts[l->walks[i].loads[0]];
    kiln_value address = kiln_build_padd(b, addresses[i], moved, l->walks[i].step / step);
    b->loc = load.loc;
    vectors[i] = kiln_build_load(b, kiln_type_with_lanes(load.type, FACTOR), address,
                                 load.imm2 ? load.imm2 : kiln_type_bytes(load.type), load.flags);
  }
}

// The elements of iteration r of the vectors in place of its loads.
static void build_elements(struct kiln_copy *c, const struct loop *l, uint32_t r, const kiln_value *vectors,
                           struct kiln_builder *b) {
  struct kiln_function *fn = c->to;
  for (uint32_t i = 0; i < l->walk_count; i++)
    for (uint32_t e = 0; e < l->elements; e++) {
      kiln_value load = l->walks[i].loads[e];
      uint32_t first = r * l->elements, lane = e + (l->walks[i].step < 0 ? FACTOR - l->elements - first : first);
      c->map[load] =
          kiln_build(b, KILN_OP_EXTRACT, fn->insts[load].type,
                     (kiln_value[]){vectors[i], kiln_const(fn, kiln_scalar_type(KILN_I32), lane)}, 2, 0, 0, 0);
    }
}

static bool is_walk(const struct loop *l, kiln_value id) {
  for (uint32_t i = 0; i < l->walk_count; i++)
    for (uint32_t e = 0; e < l->elements; e++)
      if (l->walks[i].loads[e] == id)
        return true;
  return false;
}

// The unrolled loop, and what it counts.
struct unrolled {
  kiln_value loop, begin, limit, distance, condition;
  kiln_value moved; // how far the counter is from where it began, in an iteration
  uint32_t factor;
};

// Emits the test of the unrolled loop, and what the counter is then. Where lanes have bounds of their own, another
// counter goes up to the distance: as far as the original one would be from its first value, modulo 2^bits.
static void build_test(struct kiln_copy *c, const struct loop *l, struct unrolled *u, struct kiln_builder *b) {
  struct kiln_function *fn = c->to;
  kiln_value counter = c->map[l->counter.phi];
  bool is_down = l->counter.step < 0;
  struct kiln_loop_unrolled test = {u->loop, counter, u->limit, u->factor, u->condition};
  if (!l->is_divergent) {
    kiln_loop_build_test(fn, &l->counter, &test, b);
    u->moved = kiln_build2(b, KILN_OP_ISUB, is_down ? u->begin : counter, is_down ? counter : u->begin);
    return;
  }
  struct kiln_loop_counter up = {.order = kiln_op_is_strict_order(l->counter.order) ? KILN_OP_ULT : KILN_OP_ULE,
                                 .step = is_down ? -l->counter.step : l->counter.step};
  test.counter = u->moved = kiln_loop_add_header(fn, u->loop, kiln_const(fn, fn->insts[counter].type, 0));
  kiln_node_add_result(fn, u->loop, fn->insts[counter].type);
  test.limit = u->distance;
  kiln_loop_build_test(fn, &up, &test, b);
  kiln_value terms[] = {u->begin, u->moved};
  c->map[l->counter.phi] = kiln_build(b, is_down ? KILN_OP_ISUB : KILN_OP_IADD, fn->insts[counter].type, terms, 2, 0, 0,
                                      kiln_op_is_signed_order(l->counter.order) ? KILN_INT_NSW : 0);
}

static void build_continue(const struct loop *l, const struct unrolled *u, const kiln_value *next, uint32_t count,
                           struct kiln_builder *b) {
  kiln_value jump = kiln_build_continue(b, u->loop, next, count);
  if (!l->is_divergent || !jump)
    return;
  kiln_type type = b->fn->insts[u->moved].type;
  uint64_t step = (uint64_t)(l->counter.step < 0 ? -l->counter.step : l->counter.step);
  struct kiln_builder before = kiln_builder_before(b->fn, jump);
  kiln_add_operand(b->fn, jump,
                   kiln_build2(&before, KILN_OP_IADD, u->moved, kiln_const(b->fn, type, step * u->factor)));
}

static void build_iterations(struct kiln_copy *c, const struct loop *l, const struct unrolled *u,
                             const kiln_value *vectors, struct kiln_builder *b) {
  struct kiln_function *fn = c->to;
  uint32_t count = kiln_node(fn, l->loop)->header.count, body = kiln_node(fn, l->loop)->region_first;
  for (uint32_t r = 0; r < u->factor && !kiln_module_failed(fn->module); r++) {
    build_elements(c, l, r, vectors, b);
    for (kiln_value id = fn->regions[body].first; id != fn->regions[body].last; id = fn->insts[id].next)
      if (!is_walk(l, id) && id != l->test.node)
        kiln_copy_inst(c, id, b);
    const kiln_value *next = kiln_copy_operands(c, fn->regions[body].last);
    for (uint32_t i = 0; i < count; i++)
      c->map[kiln_node(fn, l->loop)->header.items[i]] = next[i];
    if (r + 1 == u->factor)
      build_continue(l, u, next, count, b);
  }
}

static void split(struct unroll *q, const struct loop *l) {
  struct kiln_function *fn = q->fn;
  struct kiln_builder b = kiln_builder_before(fn, l->loop);
  struct kiln_copy c = kiln_loop_copy(l->room, fn, 0);
  const kiln_value *initial = kiln_copy_operands(&c, l->loop);
  uint32_t count = kiln_node(fn, l->loop)->header.count;
  struct unrolled u = {.factor = FACTOR / l->elements};
  kiln_value addresses[MAX_LOADS], vectors[MAX_LOADS];
  for (uint32_t i = 0; i < count; i++) {
    kiln_value phi = kiln_node(fn, l->loop)->header.items[i];
    c.map[phi] = initial[i];
    u.begin = phi == l->counter.phi ? initial[i] : u.begin;
  }
  build_addresses(&c, l, u.factor, addresses, &b);
  for (uint32_t i = 0; i < l->sum_count; i++)
    bound_of(&c, l, l->sums[i], &b, &u.condition);
  u.limit = kiln_loop_copy_tree(&c, l->room, l->counter.limit, &b);
  if (l->is_divergent) {
    u.distance = build_distance(&c, l, &b);
    kiln_value agree = build_agreement(l, u.begin, u.limit, u.distance, &b);
    u.condition = u.condition ? kiln_build2(&b, KILN_OP_BAND, u.condition, agree) : agree;
  }
  u.loop = kiln_build_loop(&b, initial, count);
  if (!u.loop)
    return;
  kiln_loop_forget(l->room, fn, l->loop, 0);
  struct kiln_builder in = kiln_builder_at_end(fn, kiln_node(fn, u.loop)->region_first);
  in.loc = b.loc;
  kiln_loop_copy_header(&c, l->loop, u.loop);
  build_test(&c, l, &u, &in);
  build_vectors(fn, l, u.moved, addresses, vectors, &in);
  build_iterations(&c, l, &u, vectors, &in);
  kiln_set_operands(fn, l->loop, kiln_node(fn, u.loop)->results.items, count);
  kiln_node(fn, u.loop)->unroll = kiln_node(fn, l->loop)->unroll = 1;
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
  if (!fn->shapes || loop >= fn->shape_count)
    return;
  l.is_divergent = kiln_node(fn, loop)->divergent;
  if (l.is_divergent && (only_reduces(fn, &l) || !has_distance(fn, &l)))
    return;
  for (uint32_t elements = 1; elements <= MAX_SHARED && !l.walk_count; elements++)
    find_walks(fn, &l, elements);
  if (l.walk_count)
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
