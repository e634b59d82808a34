// Scalar replacement: where each iteration of a loop reads and writes the same element ("c[i] += a[k] * b[k]"), the
// element becomes a value, loaded before the first iteration and stored after the last. The loop is versioned: the copy
// with the value runs if the buffers of the launch do not overlap (NOALIAS) and the loop runs at least once, so that
// nothing is accessed that the source does not access; otherwise the loop runs as it was. The loop may access other
// elements of the same buffer ("a[i * n + j] -= a[i * n + k] * a[j * n + k]") if their addresses are monotone in the
// induction variable: then one more condition, computed before the loop, is that their range does not contain the
// element.
//
// In the same way a load of what the previous iteration stored ("x[i] -= x[i - 1] * a[i]") becomes a value that the
// loop carries; the store stays.
//
// The loop must have one exit, a test before anything is written, and each iteration must store to the element
// unconditionally: other work-items could see a store that the source does not do. Besides, loads at the start of an
// iteration from an invariant address ("k < begin[i + 1]") are hoisted out of a loop that writes nothing. Requires a
// verified module after inlining, promotion and simplification.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): sums_in_memory.
#include "jit/pass/loops.h"

#define MAX_BODY 400    // instructions, with those of nodes inside
#define MAX_ACCESSES 64 // to memory
#define MAX_WALK 2000   // instructions of a loop that moves a pointer
#define MAX_CHECKS 4    // of addresses that may alias, before the loop
#define MAX_CARRIED 4   // loads of what the previous iteration stored
#define MAX_ADDED 6000  // values that the pass adds to a function

struct access {
  kiln_value inst, address, base; // base: parameter or module variable that it is derived from; 0: unknown
  kiln_type type;
  bool is_store;
  bool is_plain; // unconditional: in the loop's own region; stores after the test
  bool is_replaced;
};

struct loop {
  kiln_value loop;
  struct kiln_loop_test test;
  struct kiln_loop_room *room;
  uint32_t size;
  bool passed; // the walk is past the test
  struct access accesses[MAX_ACCESSES];
  uint32_t access_count;
  // Conditions of the copy: no buffers overlap, and no address of `other` is that of `kept`.
  bool needs_noalias;
  struct {
    const struct access *kept, *other;
  } checks[MAX_CHECKS];
  uint32_t check_count;
  struct {
    const struct access *load, *store;
    kiln_value first; // the address of the load in the first iteration
  } carried[MAX_CARRIED];
  uint32_t carried_count;
  struct kiln_loop_counter counter; // the induction variable; all 0: there is none
};

struct replacement {
  struct kiln_function *fn;
  struct kiln_loop_room room;
  uint32_t size; // values of the function before the pass
  bool changed;
};

// ---- the accesses of a loop

// What a header phi is in the first iteration, if it is a pointer that the loop increments: its only back edge has padd
// of the phi itself. 0: it is another phi.
static kiln_value first_of(const struct kiln_function *fn, kiln_value phi) {
  struct kiln_affine form;
  kiln_value loop = (kiln_value)fn->insts[phi].imm, next = kiln_loop_next(fn, loop, phi);
  uint32_t body = kiln_node(fn, loop)->region_first, steps = 0;
  if (!next || fn->insts[fn->regions[body].last].op != KILN_OP_CONTINUE)
    return 0;
  for (kiln_value id = fn->regions[body].first; id != fn->regions[body].last; id = kiln_walk_next(fn, id))
    if (++steps > MAX_WALK || (fn->insts[id].op == KILN_OP_CONTINUE && fn->insts[id].imm == loop))
      return 0;
  kiln_affine_of(fn, next, KILN_AFFINE_MAY_WRAP, &form);
  for (uint32_t i = 0; form.base == phi && i < kiln_node(fn, loop)->header.count; i++)
    if (kiln_node(fn, loop)->header.items[i] == phi)
      return kiln_operands(fn, loop)[i];
  return 0;
}

// The parameter or module variable that a pointer is derived from; 0: unknown.
static kiln_value base_of(const struct kiln_function *fn, kiln_value pointer) {
  struct kiln_affine form = {.base = 0};
  while (pointer) { // from each loop outwards
    kiln_affine_of(fn, pointer, KILN_AFFINE_MAY_WRAP, &form);
    const struct kiln_inst *inst = &fn->insts[form.base];
    if (inst->op == KILN_OP_PARAM || inst->op == KILN_OP_GLOBAL)
      return form.base;
    pointer = inst->op == KILN_OP_PHI && fn->insts[inst->imm].op == KILN_OP_LOOP ? first_of(fn, form.base) : 0;
  }
  return 0;
}

static bool add_access(const struct kiln_function *fn, struct loop *l, kiln_value id, bool is_own) {
  const struct kiln_inst *inst = &fn->insts[id];
  if (l->access_count == MAX_ACCESSES || inst->flags & KILN_MEM_VOLATILE)
    return false;
  bool is_store = inst->op == KILN_OP_STORE, is_plain = is_own && (l->passed || !is_store);
  kiln_value address = kiln_operands(fn, id)[0];
  kiln_type type = kiln_access_type(fn, id);
  l->accesses[l->access_count++] = (struct access){id, address, base_of(fn, address), type, is_store, is_plain, false};
  return !is_store || l->passed;
}

// Lists the accesses of a loop. False: it has an exit beside the test, or an effect that is no plain access.
static bool collect(const struct kiln_function *fn, struct loop *l) {
  kiln_value end = kiln_walk_past(fn, l->loop), next;
  for (kiln_value id = kiln_walk_next(fn, l->loop); id != end; id = next) {
    const struct kiln_inst *inst = &fn->insts[id];
    enum kiln_op op = (enum kiln_op)inst->op;
    bool is_own = kiln_owner(fn, id) == l->loop;
    next = id == l->test.node ? kiln_walk_past(fn, id) : kiln_walk_next(fn, id);
    kiln_loop_add(l->room, fn, id);
    if (++l->size > MAX_BODY || op == KILN_OP_VAR || (kiln_op_writes_or_waits(op) && op != KILN_OP_STORE))
      return false;
    if (kiln_op_is_access(op)) {
      if (!add_access(fn, l, id, is_own))
        return false;
    } else if (id == l->test.node) {
      l->passed = true;
    } else if (kiln_op_is_node(op)) {
      if (is_own && !l->passed)
        return false;
      kiln_loop_add_phis(l->room, fn, id);
    } else if (op == KILN_OP_BREAK || op == KILN_OP_CONTINUE) {
      bool ends_iteration = op == KILN_OP_CONTINUE && inst->imm == l->loop && is_own;
      if (!ends_iteration && (inst->imm == l->loop || !kiln_loop_has(l->room, (kiln_value)inst->imm)))
        return false;
    } else if (op == KILN_OP_RETURN || op == KILN_OP_UNREACHABLE) {
      return false;
    }
  }
  return true;
}

// Whether a value of the first iteration can be computed before the loop, from the initial values of the header phis.
// Loads before the test may: the first iteration always runs them.
static bool is_early(const struct kiln_function *fn, const struct loop *l, kiln_value v) {
  struct kiln_worklist *work = &l->room->work;
  kiln_worklist_begin(work, l->room->arena, fn->inst_count);
  kiln_worklist_add(work, v);
  while (kiln_worklist_take(work, &v)) {
    const struct kiln_inst *inst = &fn->insts[v];
    enum kiln_op_effect effect = kiln_op_table[inst->op].effect;
    if (!kiln_loop_has(l->room, v) || (inst->op == KILN_OP_PHI && inst->imm == l->loop))
      continue;
    if (inst->region != kiln_node(fn, l->loop)->region_first ||
        (effect != KILN_EFFECT_PURE && effect != KILN_EFFECT_ITEM && inst->op != KILN_OP_LOAD))
      return false;
    kiln_worklist_add_all(work, kiln_operands(fn, v), inst->operand_count);
  }
  return true;
}

// ---- addresses that are monotone in the induction variable

// Whether an address only grows, only falls or stays the same from iteration to iteration.
static bool is_monotone(const struct kiln_function *fn, const struct loop *l, kiln_value address) {
  struct kiln_affine form;
  uint32_t moving = 0; // two terms may move against each other
  kiln_affine_of(fn, address, KILN_AFFINE_PRODUCTS, &form);
  for (uint32_t i = 0; i < form.term_count; i++) {
    const struct kiln_term *term = &form.terms[i];
    bool is_signed = kiln_op_is_signed_order(l->counter.order);
    bool counts = term->value == l->counter.phi &&
                  (term->extension == KILN_OP_CONST || (term->extension == KILN_OP_SEXT) == is_signed);
    if (term->scale && !kiln_loop_invariant(l->room, term->scale))
      return false;
    moving += counts;
    if (!counts && !kiln_loop_invariant(l->room, term->value))
      return false;
  }
  return moving <= 1 && kiln_loop_invariant(l->room, form.base);
}

// Adds the condition that `other` never accesses the element. It must run in each iteration: the first and the last
// address then bound it.
static bool add_check(const struct kiln_function *fn, struct loop *l, const struct access *kept,
                      const struct access *other) {
  bool same_space = fn->insts[kept->address].type == fn->insts[other->address].type;
  if (!l->counter.phi || l->check_count == MAX_CHECKS || !other->is_plain || !same_space ||
      !is_monotone(fn, l, other->address))
    return false;
  for (uint32_t i = 0; i < l->check_count; i++)
    if (l->checks[i].kept->address == kept->address && l->checks[i].other->address == other->address)
      return true;
  l->checks[l->check_count].kept = kept;
  l->checks[l->check_count++].other = other;
  return true;
}

// Whether two accesses with different addresses may alias in a launch whose buffers do not overlap.
static bool may_alias(const struct kiln_function *fn, struct loop *l, const struct access *a, const struct access *b) {
  enum kiln_space x = kiln_type_space(fn->insts[a->address].type), y = kiln_type_space(fn->insts[b->address].type);
  if (x != y)
    return y == KILN_GENERIC || x == KILN_GENERIC;
  if (!a->base || !b->base)
    return true;
  if (a->base == b->base)
    return !kiln_affine_disjoint(fn, a->address, kiln_type_bytes(a->type), b->address, kiln_type_bytes(b->type));
  // restrict is not relied on: the launch knows for certain, at no cost.
  l->needs_noalias |=
      x == KILN_GLOBAL && fn->insts[a->base].op == KILN_OP_PARAM && fn->insts[b->base].op == KILN_OP_PARAM;
  return false;
}

// ---- the choice

// Whether all accesses to the address of this store have one type and run in each iteration, and no other access may
// alias them.
static bool is_kept(const struct kiln_function *fn, struct loop *l, const struct access *store) {
  enum kiln_space space = kiln_type_space(fn->insts[store->address].type);
  if (!store->is_store || !store->is_plain || !store->base || (space != KILN_GLOBAL && space != KILN_LOCAL) ||
      !kiln_loop_invariant(l->room, store->address))
    return false;
  for (uint32_t i = 0; i < l->access_count; i++) {
    const struct access *other = &l->accesses[i];
    bool is_same = other->address == store->address;
    if (is_same && (!other->is_plain || other->type != store->type))
      return false;
    if (!is_same && may_alias(fn, l, store, other) && !add_check(fn, l, store, other))
      return false;
  }
  return true;
}

// How far an address moves from iteration to iteration; 0: it does not move, or the distance is unknown.
static int64_t step_of(const struct loop *l, const struct kiln_affine *form) {
  int64_t step = 0;
  for (uint32_t i = 0; i < form->term_count; i++)
    if (form->terms[i].value == l->counter.phi && !form->terms[i].scale)
      step += form->terms[i].factor;
  return step;
}

// Whether each iteration loads what the previous one has stored, and nothing else is stored there.
static bool is_carried(const struct kiln_function *fn, struct loop *l, const struct access *load,
                       const struct access *store) {
  struct kiln_affine from, to;
  int64_t distance, step;
  if (!l->counter.phi || load->is_store || !store->is_store || !load->is_plain || !store->is_plain ||
      load->is_replaced || store->is_replaced || !load->base || load->base != store->base ||
      load->type != store->type || !is_monotone(fn, l, load->address) || !is_monotone(fn, l, store->address))
    return false;
  kiln_affine_of(fn, store->address, KILN_AFFINE_PRODUCTS, &from);
  kiln_affine_of(fn, load->address, KILN_AFFINE_PRODUCTS, &to);
  step = step_of(l, &from);
  int64_t size = (int64_t)kiln_type_bytes(load->type);
  if ((step < size && step > -size) || from.wrap_count || to.wrap_count ||
      !kiln_affine_distance(&from, &to, &distance) || distance != -step)
    return false;
  for (uint32_t i = 0; i < l->access_count; i++) {
    const struct access *other = &l->accesses[i];
    if (other != store && other->is_store && (other->base == store->base || may_alias(fn, l, load, other)))
      return false;
  }
  return true;
}

static bool find_carried(const struct kiln_function *fn, struct loop *l) {
  for (uint32_t i = 0; i < l->access_count; i++)
    for (uint32_t k = 0; k < l->access_count && l->carried_count < MAX_CARRIED; k++) {
      bool needed_noalias = l->needs_noalias;
      if (!is_carried(fn, l, &l->accesses[i], &l->accesses[k])) {
        l->needs_noalias = needed_noalias;
        continue;
      }
      l->carried[l->carried_count].load = &l->accesses[i];
      l->carried[l->carried_count++].store = &l->accesses[k];
      break;
    }
  return l->carried_count;
}

static bool choose(const struct kiln_function *fn, struct loop *l) {
  bool any = false;
  for (uint32_t i = 0; i < l->access_count; i++) {
    bool needed_noalias = l->needs_noalias;
    uint32_t check_count = l->check_count;
    if (l->accesses[i].is_replaced)
      continue;
    if (!is_kept(fn, l, &l->accesses[i])) {
      l->needs_noalias = needed_noalias;
      l->check_count = check_count;
      continue;
    }
    for (uint32_t k = 0; k < l->access_count; k++)
      l->accesses[k].is_replaced |= l->accesses[k].address == l->accesses[i].address;
    any = true;
  }
  any |= find_carried(fn, l);
  return any;
}

// ---- the change

// An address whose element becomes a value.
struct kept {
  kiln_value address, before; // before: the address, computed before the loop
  kiln_type type;
  uint32_t align;
  bool is_read;
};

static uint32_t list_kept(struct replacement *c, const struct loop *l, struct kiln_copy *copy, struct kept *out,
                          struct kiln_builder *b) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < l->access_count; i++) {
    const struct access *access = &l->accesses[i];
    uint32_t k = 0;
    while (k < count && out[k].address != access->address)
      k++;
    if (!access->is_replaced)
      continue;
    if (k == count)
      out[count++] = (struct kept){access->address, kiln_loop_copy_tree(copy, l->room, access->address, b),
                                   access->type, c->fn->insts[access->inst].imm2, false};
    out[k].is_read |= !access->is_store;
  }
  return count;
}

static const struct kept *kept_at(const struct kiln_function *fn, const struct loop *l, kiln_value id,
                                  const struct kept *kept, uint32_t count) {
  if (!kiln_op_is_access(fn->insts[id].op))
    return NULL;
  for (uint32_t i = 0; i < l->access_count; i++)
    for (uint32_t k = 0; l->accesses[i].inst == id && l->accesses[i].is_replaced && k < count; k++)
      if (kept[k].address == l->accesses[i].address)
        return &kept[k];
  return NULL;
}

// Which of the carried values the load gives; the number of carried values if it gives none of them.
static uint32_t carried_by(const struct loop *l, kiln_value load) {
  uint32_t k = 0;
  while (k < l->carried_count && l->carried[k].load->inst != load)
    k++;
  return k;
}

// Emits the loads before the loop, the loop on values, and the stores after it. initial: the initial values of the
// header phis. The region yields their final values.
static void build_copy(struct replacement *c, const struct loop *l, const kiln_value *initial, const struct kept *kept,
                       uint32_t kept_count, struct kiln_builder *b) {
  struct kiln_function *fn = c->fn;
  uint32_t body = kiln_node(fn, l->loop)->region_first, count = kiln_node(fn, l->loop)->header.count;
  uint32_t added = kept_count + l->carried_count;
  kiln_value *values = KILN_NEW_ARRAY(c->room.arena, kiln_value, count + added);
  kiln_value *now = KILN_NEW_ARRAY(c->room.arena, kiln_value, added), *carried = now + kept_count;
  for (uint32_t i = 0; i < count; i++)
    values[i] = initial[i];
  for (uint32_t k = 0; k < kept_count; k++)
    values[count + k] = kept[k].is_read ? kiln_build_load(b, kept[k].type, kept[k].before, kept[k].align, 0)
                                        : kiln_undef(fn, kept[k].type);
  for (uint32_t k = 0; k < l->carried_count; k++)
    values[count + kept_count + k] =
        kiln_build_load(b, l->carried[k].load->type, l->carried[k].first, fn->insts[l->carried[k].load->inst].imm2, 0);
  kiln_value copied = kiln_build_loop(b, values, count + added);
  if (!copied)
    return;
  kiln_node(fn, copied)->unroll = kiln_node(fn, l->loop)->unroll;
  struct kiln_copy copy = kiln_loop_copy(l->room, fn, 1);
  kiln_loop_copy_header(&copy, l->loop, copied);
  for (uint32_t k = 0; k < added; k++) {
    kiln_node_add_result(fn, copied, fn->insts[values[count + k]].type);
    now[k] = kiln_node(fn, copied)->header.items[count + k];
  }
  struct kiln_builder in = kiln_builder_at_end(fn, kiln_node(fn, copied)->region_first);
  for (kiln_value id = fn->regions[body].first; id != fn->regions[body].last; id = fn->insts[id].next) {
    const struct kept *element = kept_at(fn, l, id, kept, kept_count);
    if (element && fn->insts[id].op == KILN_OP_LOAD)
      copy.map[id] = now[element - kept];
    else if (element)
      now[element - kept] = kiln_copy_value(&copy, kiln_operands(fn, id)[1]);
    else if (id == l->test.node)
      kiln_build_exit(&in, kiln_copy_value(&copy, kiln_operands(fn, id)[0]), l->test.exit_side, copied,
                      kiln_node(fn, copied)->header.items, count + added);
    else if (carried_by(l, id) < l->carried_count)
      copy.map[id] = kiln_node(fn, copied)->header.items[count + kept_count + carried_by(l, id)];
    else
      kiln_copy_inst(&copy, id, &in);
    for (uint32_t k = 0; k < l->carried_count; k++)
      if (l->carried[k].store->inst == id)
        carried[k] = kiln_copy_value(&copy, kiln_operands(fn, id)[1]);
  }
  const kiln_value *next = kiln_copy_operands(&copy, fn->regions[body].last);
  for (uint32_t i = 0; i < count; i++)
    values[i] = next[i];
  for (uint32_t k = 0; k < added; k++)
    values[count + k] = now[k];
  kiln_build_continue(&in, copied, values, count + added);
  for (uint32_t k = 0; k < kept_count; k++)
    kiln_build_store(b, kept[k].before, kiln_node(fn, copied)->results.items[count + k], kept[k].align, 0);
  kiln_build_yield(b, kiln_node(fn, copied)->results.items, count);
}

// The address of an access as an integer, for the value of the induction variable in the map.
static kiln_value number_of(const struct loop *l, struct kiln_copy *copy, const struct access *access,
                            struct kiln_builder *b) {
  return kiln_build1(b, KILN_OP_PTOI, kiln_scalar_type(KILN_I64),
                     kiln_loop_copy_tree(copy, l->room, access->address, b));
}

static kiln_value end_of(struct kiln_builder *b, kiln_value number, const struct access *access) {
  return kiln_build2(b, KILN_OP_IADD, number,
                     kiln_const(b->fn, kiln_scalar_type(KILN_I64), kiln_type_bytes(access->type)));
}

// Emits the conditions on addresses. first: a map with the values of the first iteration.
static kiln_value build_checks(struct replacement *c, const struct loop *l, struct kiln_copy *first,
                               struct kiln_builder *b) {
  struct kiln_copy last = kiln_loop_copy(l->room, c->fn, 1);
  kiln_value end = kiln_loop_copy_tree(first, l->room, l->counter.limit, b), holds = 0;
  kiln_value one = kiln_const(c->fn, c->fn->insts[end].type, 1);
  last.map[l->counter.phi] = kiln_op_is_strict_order(l->counter.order) ? kiln_build2(b, KILN_OP_ISUB, end, one) : end;
  for (uint32_t i = 0; i < l->check_count; i++) {
    const struct access *kept = l->checks[i].kept, *other = l->checks[i].other;
    kiln_value at = number_of(l, first, kept, b), from = number_of(l, first, other, b);
    kiln_value to = number_of(l, &last, other, b);
    kiln_value low = kiln_build2(b, KILN_OP_UMIN, from, to), high = kiln_build2(b, KILN_OP_UMAX, from, to);
    kiln_value before = kiln_build2(b, KILN_OP_ULE, end_of(b, at, kept), low);
    kiln_value after = kiln_build2(b, KILN_OP_ULE, end_of(b, high, other), at);
    kiln_value disjoint = kiln_build2(b, KILN_OP_BOR, before, after);
    holds = holds ? kiln_build2(b, KILN_OP_BAND, holds, disjoint) : disjoint;
  }
  kiln_loop_forget(l->room, c->fn, l->loop, 1);
  return kiln_build1(b, KILN_OP_AGREE, kiln_scalar_type(KILN_BOOL), holds);
}

// Emits whether the first iteration passes the test. The map then has the values of that iteration.
static kiln_value build_runs(const struct loop *l, struct kiln_copy *first, const kiln_value *initial,
                             struct kiln_builder *b) {
  struct kiln_value_list header = kiln_node(first->to, l->loop)->header;
  for (uint32_t i = 0; i < header.count; i++)
    first->map[header.items[i]] = initial[i];
  kiln_value runs = kiln_loop_copy_tree(first, l->room, kiln_operands(first->to, l->test.node)[0], b);
  return l->test.exit_side ? runs : kiln_build1(b, KILN_OP_BNOT, kiln_scalar_type(KILN_BOOL), runs);
}

static void split(struct replacement *c, struct loop *l) {
  struct kiln_function *fn = c->fn;
  struct kiln_builder b = kiln_builder_before(fn, l->loop);
  struct kiln_copy first = kiln_loop_copy(l->room, fn, 0);
  const kiln_value *initial = kiln_copy_operands(&first, l->loop);
  uint32_t count = kiln_node(fn, l->loop)->header.count;
  kiln_value runs = build_runs(l, &first, initial, &b);
  if (l->needs_noalias) {
    kiln_value noalias = kiln_build(&b, KILN_OP_NOALIAS, kiln_scalar_type(KILN_BOOL), NULL, 0, 0, 0, 0);
    runs = kiln_build2(&b, KILN_OP_BAND, noalias, runs);
  }
  if (l->check_count) {
    kiln_value checks = build_checks(c, l, &first, &b);
    runs = kiln_build2(&b, KILN_OP_BAND, runs, checks);
  }
  struct kept kept[MAX_ACCESSES];
  uint32_t kept_count = list_kept(c, l, &first, kept, &b);
  for (uint32_t k = 0; k < l->carried_count; k++)
    l->carried[k].first = kiln_loop_copy_tree(&first, l->room, l->carried[k].load->address, &b);
  kiln_value choice = kiln_build_if(&b, runs);
  if (!choice)
    return;
  for (uint32_t i = 0; i < count; i++)
    kiln_node_add_result(fn, choice, fn->insts[initial[i]].type);
  struct kiln_builder side = kiln_builder_at_end(fn, kiln_node(fn, choice)->region_first);
  side.loc = b.loc;
  build_copy(c, l, initial, kept, kept_count, &side);
  side = kiln_builder_at_end(fn, kiln_node(fn, choice)->region_first + 1);
  kiln_build_yield(&side, initial, count);
  kiln_set_operands(fn, l->loop, kiln_node(fn, choice)->results.items, count);
  kiln_node(fn, l->loop)->unroll = 1;
  kiln_loop_forget(l->room, fn, l->loop, 0);
  kiln_loop_forget(l->room, fn, l->loop, 1);
  c->changed = true;
}

// ---- hoisting of loads

// Whether nothing in the loop writes memory or synchronises; marks its instructions in the room and counts the jumps
// that leave the loop.
static bool only_reads(struct kiln_loop_room *room, const struct kiln_function *fn, kiln_value loop, uint32_t *exits) {
  kiln_value end = kiln_walk_past(fn, loop);
  for (kiln_value id = kiln_walk_next(fn, loop); id != end; id = kiln_walk_next(fn, id)) {
    if (kiln_op_writes_or_waits(fn->insts[id].op))
      return false;
    kiln_loop_add(room, fn, id);
    if (kiln_op_is_jump(fn->insts[id].op) && !kiln_loop_has(room, kiln_jump_target(fn, id)))
      *exits += fn->insts[id].op != KILN_OP_CONTINUE || fn->insts[id].imm != loop;
    if (kiln_op_is_node(fn->insts[id].op))
      kiln_loop_add_phis(room, fn, id);
  }
  return true;
}

// Hoists invariant loads that follow the test, if the first iteration passes it, out of a loop with another exit: lanes
// that leave one by one would make them under another mask in each iteration. The loop writes no memory; its values are
// in the room.
static void hoist_tested(struct replacement *c, kiln_value loop) {
  struct kiln_function *fn = c->fn;
  struct loop l = {.loop = loop, .room = &c->room};
  struct kiln_copy first = kiln_loop_copy(l.room, fn, 0);
  kiln_value loads[MAX_ACCESSES], values[2][MAX_ACCESSES], id = fn->regions[kiln_node(fn, loop)->region_first].first;
  uint32_t count = 0;
  while (id && !kiln_op_is_node(fn->insts[id].op))
    id = fn->insts[id].next;
  if (!id || !kiln_loop_find_test(fn, loop, &l.test) || l.test.node != id ||
      !is_early(fn, &l, kiln_operands(fn, id)[0]))
    return;
  while ((id = fn->insts[id].next) && !kiln_op_is_node(fn->insts[id].op) && count < MAX_ACCESSES) {
    kiln_loop_add(l.room, fn, id); // again: its operands may be hoisted
    if (fn->insts[id].op == KILN_OP_LOAD && !(fn->insts[id].flags & KILN_MEM_VOLATILE) &&
        kiln_loop_invariant(l.room, kiln_operands(fn, id)[0])) {
      kiln_loop_take(l.room, id);
      loads[count++] = id;
    }
  }
  if (!count)
    return;
  struct kiln_builder b = kiln_builder_before(fn, loop);
  kiln_value choice = kiln_build_if(&b, build_runs(&l, &first, kiln_copy_operands(&first, loop), &b));
  if (!choice)
    return;
  b = kiln_builder_at_end(fn, kiln_node(fn, choice)->region_first);
  for (uint32_t i = 0; i < count; i++) {
    kiln_loop_copy_tree(&first, l.room, kiln_operands(fn, loads[i])[0], &b);
    kiln_copy_inst(&first, loads[i], &b);
    values[0][i] = first.map[loads[i]];
    values[1][i] = kiln_undef(fn, fn->insts[loads[i]].type);
  }
  kiln_build_yield(&b, values[0], count);
  b = kiln_builder_at_end(fn, kiln_node(fn, choice)->region_first + 1);
  kiln_build_yield(&b, values[1], count);
  for (uint32_t i = 0; i < count; i++) { // the load becomes the result of the if
    first.map[loads[i]] = 0;
    kiln_value result = kiln_node_add_result(fn, choice, fn->insts[loads[i]].type);
    kiln_set_operands(fn, loads[i], (kiln_value[]){kiln_const(fn, kiln_scalar_type(KILN_BOOL), 1), result, result}, 3);
    fn->insts[loads[i]].op = KILN_OP_SELECT;
    fn->insts[loads[i]].imm2 = fn->insts[loads[i]].flags = 0;
  }
  kiln_loop_forget(l.room, fn, loop, 0);
  c->changed = true;
}

// Hoists invariant instructions at the start of the body, loads included ("k < begin[i + 1]"), out of a loop that
// writes no memory. The first iteration runs them in any case. LLVM does not hoist gathers.
static void hoist(struct replacement *c, kiln_value loop) {
  struct kiln_function *fn = c->fn;
  uint32_t body = kiln_node(fn, loop)->region_first;
  kiln_value id = fn->regions[body].first, next;
  uint32_t exits = 0;
  bool loads = false;
  for (kiln_value i = id; i; i = fn->insts[i].next)
    loads |= fn->insts[i].op == KILN_OP_LOAD;
  if (!loads)
    return;
  kiln_loop_room_begin(&c->room, fn);
  kiln_loop_add_phis(&c->room, fn, loop);
  if (!only_reads(&c->room, fn, loop, &exits))
    return;
  for (; id && !kiln_op_is_node(fn->insts[id].op); id = next) {
    const struct kiln_inst *inst = &fn->insts[id];
    enum kiln_op_effect effect = kiln_op_table[inst->op].effect;
    bool moves = effect == KILN_EFFECT_PURE || effect == KILN_EFFECT_ITEM ||
                 (inst->op == KILN_OP_LOAD && !(inst->flags & KILN_MEM_VOLATILE));
    next = inst->next;
    for (uint32_t i = 0; i < inst->operand_count; i++)
      moves &= !kiln_loop_has(&c->room, kiln_operands(fn, id)[i]);
    if (!moves || inst->op == KILN_OP_VAR || inst->op == KILN_OP_PHI)
      continue;
    kiln_loop_take(&c->room, id);
    kiln_move(fn, id, fn->insts[loop].region, loop);
    c->changed = true;
  }
  if (exits > 1)
    hoist_tested(c, loop);
}

static void consider(struct replacement *c, kiln_value loop) {
  struct kiln_function *fn = c->fn;
  uint32_t body = kiln_node(fn, loop)->region_first;
  const struct kiln_inst *last = &fn->insts[fn->regions[body].last];
  struct loop l = {.loop = loop, .room = &c->room};
  if (fn->inst_count > c->size + MAX_ADDED || last->op != KILN_OP_CONTINUE || last->imm != loop ||
      !kiln_loop_find_test(fn, loop, &l.test))
    return;
  kiln_loop_room_begin(l.room, fn);
  kiln_loop_add_phis(l.room, fn, loop);
  kiln_loop_add(l.room, fn, loop);
  if (!collect(fn, &l) || !is_early(fn, &l, kiln_operands(fn, l.test.node)[0]))
    return;
  if (!kiln_loop_find_counter(l.room, fn, loop, &l.test, &l.counter) || l.counter.step != 1)
    l.counter = (struct kiln_loop_counter){0};
  if (choose(fn, &l))
    split(c, &l);
}

static void visit(void *user, kiln_value loop) {
  hoist(user, loop);
  consider(user, loop);
}

static bool has_loop(const struct kiln_function *fn) {
  for (uint32_t n = 0; n < fn->node_count; n++)
    if (fn->insts[fn->nodes[n].inst].region && fn->insts[fn->nodes[n].inst].op == KILN_OP_LOOP)
      return true;
  return false;
}

// Kernels that are called are left alone: NOALIAS speaks of the arguments of the launch only.
static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_module *module = subject;
  bool *called = KILN_NEW_ARRAY(arena, bool, module->function_count), changed = false;
  for (uint32_t f = 0; f < module->function_count; f++)
    for (kiln_value id = 1; id < module->functions[f]->inst_count; id++) {
      const struct kiln_inst *inst = &module->functions[f]->insts[id];
      if (inst->region && inst->op == KILN_OP_CALL)
        called[inst->imm] = true;
    }
  for (uint32_t f = 0; f < module->function_count; f++) {
    struct replacement c = {.fn = module->functions[f], .room = {.arena = arena}};
    c.size = c.fn->inst_count;
    if (c.fn->is_kernel && !called[f] && has_loop(c.fn)) {
      kiln_facts_find(c.fn);
      kiln_loops_visit(c.fn, visit, &c);
    }
    changed |= c.changed;
  }
  return changed;
}

bool kiln_pass_scalar_replacement(struct kiln_module *module) { return kiln_pass_scratch(module, module, run); }
