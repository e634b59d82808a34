// Memory that a loop keeps at one place: where each iteration reads and writes the same element ("c[i] += a[k] *
// b[k]"), a copy of the loop before it carries the element as a value, read before its first iteration and written
// after its last. It runs where the launch says that the buffers do not overlap (APART) and where there is a first
// iteration, so that nothing is touched that the source does not touch; else the loop itself runs as it was. Other
// accesses to the same buffer ("a[i * n + j] -= a[i * n + k] * a[j * n + k]") must be at addresses that move with the
// counter of the loop: that none of those from its first to its last iteration meets the element is then a condition,
// too.
//
// A loop must be left at one test alone, before anything is written, and each iteration must write the place without
// condition: a store that did not run could be seen by other work-items. Besides, a loop that writes nothing loads what
// each of its iterations begins with from one place ("k < begin[i + 1]") only once, before it. Requires a verified
// module after inlining, promotion and simplification.
#include "jit/pass/loops.h"

#define MAX_BODY 400    // instructions, with those of nodes inside
#define MAX_ACCESSES 64 // to memory
#define MAX_DEPTH 16    // of what an address is made of
#define MAX_WALK 2000   // instructions of a loop that moves a pointer
#define MAX_CHECKS 4    // of addresses that may meet, when the loop begins
#define MAX_ADDED 6000  // values of a function: hundreds of loops are not where its time goes

struct access {
  kiln_value inst, address, base; // base: parameter or module variable that it leads to; 0: not known
  kiln_type type;
  bool is_store;
  bool is_plain; // in the loop's own region, after the test
  bool is_carried;
};

struct loop {
  kiln_value loop;
  struct kiln_loop_test test;
  struct kiln_loop_room *room;
  uint32_t size;
  bool passed; // the walk is after the test
  struct access accesses[MAX_ACCESSES];
  uint32_t access_count;
  // What the copy depends on: APART, and that addresses do not meet.
  bool needs_apart;
  struct {
    const struct access *kept, *other;
  } checks[MAX_CHECKS];
  uint32_t check_count;
  // The counter, where the test is that it is below a limit: counts up to the limit, or to the one before.
  kiln_value counter, limit;
  bool is_signed, reaches_limit;
};

struct carry {
  struct kiln_function *fn;
  struct kiln_loop_room room;
  uint32_t size; // values, before
  bool changed;
};

// ---- what a loop does

// The parameter or module variable that a pointer leads to; 0: not known.
static kiln_value base_of(const struct kiln_function *fn, kiln_value v, unsigned depth) {
  const struct kiln_inst *inst = &fn->insts[v];
  if (depth == MAX_DEPTH)
    return 0;
  if (inst->op == KILN_OP_PARAM || inst->op == KILN_OP_GLOBAL)
    return v;
  if (inst->op == KILN_OP_PADD)
    return base_of(fn, kiln_operands(fn, v)[0], depth + 1);
  if (inst->op != KILN_OP_PHI || fn->insts[inst->imm].op != KILN_OP_LOOP)
    return 0;
  // A pointer that a loop moves: with one way back, by some distance from itself.
  kiln_value loop = (kiln_value)inst->imm, next = kiln_loop_next(fn, loop, v);
  uint32_t body = kiln_node(fn, loop)->region_first;
  if (!next || fn->insts[fn->regions[body].last].op != KILN_OP_CONTINUE)
    return 0;
  uint32_t steps = 0;
  for (kiln_value id = fn->regions[body].first; id != fn->regions[body].last; id = kiln_walk_next(fn, id))
    if (++steps > MAX_WALK || (fn->insts[id].op == KILN_OP_CONTINUE && fn->insts[id].imm == loop))
      return 0;
  while (fn->insts[next].op == KILN_OP_PADD)
    next = kiln_operands(fn, next)[0];
  if (next != v)
    return 0;
  for (uint32_t i = 0; i < kiln_node(fn, loop)->header.count; i++)
    if (kiln_node(fn, loop)->header.items[i] == v)
      return base_of(fn, kiln_operands(fn, loop)[i], depth + 1);
  return 0;
}

static bool add_access(const struct kiln_function *fn, struct loop *l, kiln_value id, uint32_t region) {
  const struct kiln_inst *inst = &fn->insts[id];
  if (l->access_count == MAX_ACCESSES || inst->flags & KILN_MEM_VOLATILE)
    return false;
  bool is_store = inst->op == KILN_OP_STORE;
  kiln_value address = kiln_operands(fn, id)[0];
  kiln_type type = is_store ? fn->insts[kiln_operands(fn, id)[1]].type : inst->type;
  bool is_own = region == kiln_node(fn, l->loop)->region_first;
  l->accesses[l->access_count++] =
      (struct access){id, address, base_of(fn, address, 0), type, is_store, is_own && (l->passed || !is_store), false};
  return !is_store || l->passed;
}

// Whether the region is left at its end only, but for the test, and does nothing but accesses that must stay in order.
static bool collect(const struct kiln_function *fn, struct loop *l, uint32_t region) {
  bool is_own = region == kiln_node(fn, l->loop)->region_first;
  for (kiln_value id = fn->regions[region].first; id; id = fn->insts[id].next) {
    const struct kiln_inst *inst = &fn->insts[id];
    enum kiln_op op = (enum kiln_op)inst->op;
    enum kiln_op_effect effect = kiln_op_table[op].effect;
    kiln_loop_add(l->room, id);
    if (++l->size > MAX_BODY || effect == KILN_EFFECT_SYNC || effect == KILN_EFFECT_CROSS || op == KILN_OP_VAR)
      return false;
    if (op == KILN_OP_LOAD || op == KILN_OP_STORE) {
      if (!add_access(fn, l, id, region))
        return false;
    } else if (effect == KILN_EFFECT_WRITE) {
      return false;
    } else if (id == l->test.node) {
      l->passed = true;
    } else if (kiln_op_is_node(op)) {
      if (is_own && !l->passed)
        return false;
      const struct kiln_node *node = kiln_node(fn, id);
      kiln_loop_add_phis(l->room, fn, id);
      for (uint32_t r = 0; r < node->region_count; r++)
        if (!collect(fn, l, node->region_first + r))
          return false;
    } else if (op == KILN_OP_BREAK || op == KILN_OP_CONTINUE) {
      bool ends_round = op == KILN_OP_CONTINUE && inst->imm == l->loop && is_own;
      if (!ends_round && (inst->imm == l->loop || !kiln_loop_has(l->room, (kiln_value)inst->imm)))
        return false;
    } else if (op == KILN_OP_RETURN || op == KILN_OP_UNREACHABLE) {
      return false;
    }
  }
  return true;
}

static bool is_invariant(const struct kiln_function *fn, const struct loop *l, kiln_value v, unsigned depth) {
  enum kiln_op_effect effect = kiln_op_table[fn->insts[v].op].effect;
  if (!kiln_loop_has(l->room, v))
    return true;
  if (depth == MAX_DEPTH || (effect != KILN_EFFECT_PURE && effect != KILN_EFFECT_ITEM))
    return false;
  for (uint32_t i = 0; i < fn->insts[v].operand_count; i++)
    if (!is_invariant(fn, l, kiln_operands(fn, v)[i], depth + 1))
      return false;
  return true;
}

// Whether what the condition is made of can be computed before the loop, from the first values of its header: loads of
// the own region before the test run in every first iteration.
static bool is_early(const struct kiln_function *fn, const struct loop *l, kiln_value v, unsigned depth) {
  const struct kiln_inst *inst = &fn->insts[v];
  enum kiln_op_effect effect = kiln_op_table[inst->op].effect;
  if (!kiln_loop_has(l->room, v) || (inst->op == KILN_OP_PHI && inst->imm == l->loop))
    return true;
  if (depth == MAX_DEPTH || inst->region != kiln_node(fn, l->loop)->region_first ||
      (effect != KILN_EFFECT_PURE && effect != KILN_EFFECT_ITEM && inst->op != KILN_OP_LOAD))
    return false;
  for (uint32_t i = 0; i < inst->operand_count; i++)
    if (!is_early(fn, l, kiln_operands(fn, v)[i], depth + 1))
      return false;
  return true;
}

// ---- addresses that move with the counter

// Finds the counter; without one, nothing moves with it.
static void find_counter(const struct kiln_function *fn, struct loop *l) {
  kiln_value condition = kiln_operands(fn, l->test.node)[0];
  const kiln_value *x = kiln_operands(fn, condition);
  enum kiln_op op = (enum kiln_op)fn->insts[condition].op;
  bool is_less = op == KILN_OP_SLT || op == KILN_OP_ULT;
  if ((!is_less && op != KILN_OP_SLE && op != KILN_OP_ULE) || kiln_type_kind(fn->insts[x[0]].type) == KILN_PTR)
    return;
  uint32_t side = l->test.exit_side; // 1: x[0] below x[1] stays; 0: x[0] below x[1] leaves, so x[1] counts
  kiln_value counter = x[!side], limit = x[side], next = kiln_loop_next(fn, l->loop, counter);
  uint64_t one;
  if (!next || fn->insts[next].op != KILN_OP_IADD || kiln_operands(fn, next)[0] != counter ||
      !kiln_const_splat(fn, kiln_operands(fn, next)[1], &one) || one != 1 || !is_invariant(fn, l, limit, 0))
    return;
  l->counter = counter;
  l->limit = limit;
  l->is_signed = op == KILN_OP_SLT || op == KILN_OP_SLE;
  l->reaches_limit = is_less != (side == 1);
}

enum exact { WRAPS, SIGNED, UNSIGNED }; // which extension takes a number of less than 64 bits

// Whether a value goes only up or only down, or stays, while the loop counts; as a number that does not wrap where an
// extension takes it.
static bool is_monotone(const struct kiln_function *fn, const struct loop *l, kiln_value v, enum exact exact,
                        unsigned depth) {
  const struct kiln_inst *inst = &fn->insts[v];
  const kiln_value *x = kiln_operands(fn, v);
  if (is_invariant(fn, l, v, depth))
    return true;
  if (depth == MAX_DEPTH)
    return false;
  if (v == l->counter)
    return exact == WRAPS ? kiln_type_bytes(inst->type) == 8 : (exact == SIGNED) == l->is_signed;
  bool keeps = exact == WRAPS || (exact == SIGNED && inst->flags & KILN_INT_NSW);
  switch (inst->op) {
  case KILN_OP_SEXT:
  case KILN_OP_ZEXT:
    return is_monotone(fn, l, x[0], inst->op == KILN_OP_SEXT ? SIGNED : UNSIGNED, depth + 1);
  case KILN_OP_IADD: // of which one side moves: two may move against each other
  case KILN_OP_ISUB:
  case KILN_OP_IMUL:
    return keeps && ((is_invariant(fn, l, x[0], depth) && is_monotone(fn, l, x[1], exact, depth + 1)) ||
                     (is_invariant(fn, l, x[1], depth) && is_monotone(fn, l, x[0], exact, depth + 1)));
  case KILN_OP_PADD:
    return (is_invariant(fn, l, x[0], depth) && is_monotone(fn, l, x[1], WRAPS, depth + 1)) ||
           (is_invariant(fn, l, x[1], depth) && is_monotone(fn, l, x[0], WRAPS, depth + 1));
  }
  return false;
}

// An access that not every iteration does could be anywhere in the others: its addresses would tell nothing.
static bool add_check(const struct kiln_function *fn, struct loop *l, const struct access *kept,
                      const struct access *other) {
  bool same_space = fn->insts[kept->address].type == fn->insts[other->address].type;
  if (!l->counter || l->check_count == MAX_CHECKS || !other->is_plain || !same_space ||
      !is_monotone(fn, l, other->address, WRAPS, 0))
    return false;
  for (uint32_t i = 0; i < l->check_count; i++)
    if (l->checks[i].kept->address == kept->address && l->checks[i].other->address == other->address)
      return true;
  l->checks[l->check_count].kept = kept;
  l->checks[l->check_count++].other = other;
  return true;
}

// ---- places that do not overlap

// An address as bytes after "start + extended(index + number) * stride".
struct place {
  kiln_value start, index;
  enum kiln_op extension; // of the index; PADD: none
  uint64_t number;
  int64_t stride, bytes;
};

static struct place place_of(const struct kiln_function *fn, kiln_value address) {
  struct place p = {.start = address, .extension = KILN_OP_PADD};
  uint64_t number;
  while (fn->insts[p.start].op == KILN_OP_PADD && kiln_const_splat(fn, kiln_operands(fn, p.start)[1], &number)) {
    p.bytes += (int64_t)(number * fn->insts[p.start].imm);
    p.start = kiln_operands(fn, p.start)[0];
  }
  if (fn->insts[p.start].op != KILN_OP_PADD)
    return p;
  p.stride = (int64_t)fn->insts[p.start].imm;
  p.index = kiln_operands(fn, p.start)[1];
  p.start = kiln_operands(fn, p.start)[0];
  enum kiln_op op = (enum kiln_op)fn->insts[p.index].op;
  if (op == KILN_OP_SEXT || op == KILN_OP_ZEXT) {
    p.extension = op;
    p.index = kiln_operands(fn, p.index)[0];
  }
  if (fn->insts[p.index].op == KILN_OP_IADD && kiln_const_splat(fn, kiln_operands(fn, p.index)[1], &number)) {
    p.number = number;
    p.index = kiln_operands(fn, p.index)[0];
  }
  return p;
}

// Whether the elements at two addresses of one object are known not to overlap.
static bool are_disjoint(const struct kiln_function *fn, const struct access *a, const struct access *b) {
  struct place x = place_of(fn, a->address), y = place_of(fn, b->address);
  int64_t size_x = (int64_t)kiln_type_bytes(a->type), size_y = (int64_t)kiln_type_bytes(b->type);
  if (x.start != y.start || x.index != y.index || x.extension != y.extension || x.stride != y.stride)
    return false;
  if (x.number == y.number)
    return x.bytes < y.bytes ? y.bytes - x.bytes >= size_x : x.bytes - y.bytes >= size_y;
  int64_t stride = x.stride < 0 ? -x.stride : x.stride; // different numbers differ by one at least, wrapped or not
  return x.bytes == y.bytes && stride >= size_x && stride >= size_y;
}

// Whether two accesses with different addresses may meet in one launch whose buffers do not overlap.
static bool may_meet(const struct kiln_function *fn, struct loop *l, const struct access *a, const struct access *b) {
  enum kiln_space x = kiln_type_space(fn->insts[a->address].type), y = kiln_type_space(fn->insts[b->address].type);
  if (x != y)
    return y == KILN_GENERIC || x == KILN_GENERIC;
  if (!a->base || !b->base)
    return true;
  if (a->base == b->base)
    return !are_disjoint(fn, a, b);
  // What restrict promises is not taken for it: what the launch knows costs nothing and is true.
  l->needs_apart |=
      x == KILN_GLOBAL && fn->insts[a->base].op == KILN_OP_PARAM && fn->insts[b->base].op == KILN_OP_PARAM;
  return false;
}

// ---- the choice

// Whether the loop's accesses to the address of this store are of one type and in every iteration, and no other meets
// them.
static bool is_kept(const struct kiln_function *fn, struct loop *l, const struct access *store) {
  enum kiln_space space = kiln_type_space(fn->insts[store->address].type);
  if (!store->is_store || !store->is_plain || !store->base || (space != KILN_GLOBAL && space != KILN_LOCAL) ||
      !is_invariant(fn, l, store->address, 0))
    return false;
  for (uint32_t i = 0; i < l->access_count; i++) {
    const struct access *other = &l->accesses[i];
    bool is_same = other->address == store->address;
    if (is_same && (!other->is_plain || other->type != store->type))
      return false;
    if (!is_same && may_meet(fn, l, store, other) && !add_check(fn, l, store, other))
      return false;
  }
  return true;
}

static bool choose(const struct kiln_function *fn, struct loop *l) {
  bool any = false;
  for (uint32_t i = 0; i < l->access_count; i++) {
    bool needed_apart = l->needs_apart;
    uint32_t check_count = l->check_count;
    if (l->accesses[i].is_carried)
      continue;
    if (!is_kept(fn, l, &l->accesses[i])) {
      l->needs_apart = needed_apart;
      l->check_count = check_count;
      continue;
    }
    for (uint32_t k = 0; k < l->access_count; k++)
      l->accesses[k].is_carried |= l->accesses[k].address == l->accesses[i].address;
    any = true;
  }
  return any;
}

// ---- the change

// A carried address: once for all its accesses.
struct kept {
  kiln_value address, before; // before: its copy before the loop
  kiln_type type;
  uint32_t align;
  bool is_read;
};

static uint32_t list_kept(struct carry *c, const struct loop *l, struct kiln_copy *copy, struct kept *out,
                          struct kiln_builder *b) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < l->access_count; i++) {
    const struct access *access = &l->accesses[i];
    uint32_t k = 0;
    while (k < count && out[k].address != access->address)
      k++;
    if (!access->is_carried)
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
  if (fn->insts[id].op != KILN_OP_LOAD && fn->insts[id].op != KILN_OP_STORE)
    return NULL;
  for (uint32_t i = 0; i < l->access_count; i++)
    for (uint32_t k = 0; l->accesses[i].inst == id && l->accesses[i].is_carried && k < count; k++)
      if (kept[k].address == l->accesses[i].address)
        return &kept[k];
  return NULL;
}

// The test of the copy: leaves it with the values of its header.
static void copy_test(const struct loop *l, struct kiln_copy *copy, kiln_value to, struct kiln_builder *b) {
  struct kiln_function *fn = copy->to;
  kiln_value test = kiln_build_if(b, kiln_copy_value(copy, kiln_operands(fn, l->test.node)[0]));
  if (!test)
    return;
  uint32_t region = kiln_node(fn, test)->region_first;
  struct kiln_builder side = kiln_builder_at_end(fn, region + l->test.exit_side);
  struct kiln_value_list header = kiln_node(fn, to)->header;
  kiln_build_break(&side, to, header.items, header.count);
  side = kiln_builder_at_end(fn, region + !l->test.exit_side);
  kiln_build_yield(&side, NULL, 0);
}

// The loop with values in place of the kept memory, and what is read before and written after it. initial: the first
// values of its header. Ends with the values that the header has where it is left.
static void build_copy(struct carry *c, const struct loop *l, const kiln_value *initial, const struct kept *kept,
                       uint32_t kept_count, struct kiln_builder *b) {
  struct kiln_function *fn = c->fn;
  uint32_t body = kiln_node(fn, l->loop)->region_first, count = kiln_node(fn, l->loop)->header.count;
  kiln_value *values = KILN_NEW_ARRAY(c->room.arena, kiln_value, count + kept_count);
  kiln_value *now = KILN_NEW_ARRAY(c->room.arena, kiln_value, kept_count);
  for (uint32_t i = 0; i < count; i++)
    values[i] = initial[i];
  for (uint32_t k = 0; k < kept_count; k++)
    values[count + k] = kept[k].is_read ? kiln_build_load(b, kept[k].type, kept[k].before, kept[k].align, 0)
                                        : kiln_undef(fn, kept[k].type);
  kiln_value copied = kiln_build_loop(b, values, count + kept_count);
  if (!copied)
    return;
  kiln_node(fn, copied)->unroll = kiln_node(fn, l->loop)->unroll;
  struct kiln_copy copy = kiln_loop_copy(l->room, fn, 1);
  kiln_loop_copy_header(&copy, l->loop, copied);
  for (uint32_t k = 0; k < kept_count; k++) {
    kiln_node_add_result(fn, copied, kept[k].type);
    now[k] = kiln_node(fn, copied)->header.items[count + k];
  }
  struct kiln_builder in = kiln_builder_at_end(fn, kiln_node(fn, copied)->region_first);
  for (kiln_value id = fn->regions[body].first; id != fn->regions[body].last; id = fn->insts[id].next) {
    const struct kept *place = kept_at(fn, l, id, kept, kept_count);
    if (place && fn->insts[id].op == KILN_OP_LOAD)
      copy.map[id] = now[place - kept];
    else if (place)
      now[place - kept] = kiln_copy_value(&copy, kiln_operands(fn, id)[1]);
    else if (id == l->test.node)
      copy_test(l, &copy, copied, &in);
    else
      kiln_copy_inst(&copy, id, &in);
  }
  const kiln_value *next = kiln_copy_operands(&copy, fn->regions[body].last);
  for (uint32_t i = 0; i < count; i++)
    values[i] = next[i];
  for (uint32_t k = 0; k < kept_count; k++)
    values[count + k] = now[k];
  kiln_build_continue(&in, copied, values, count + kept_count);
  for (uint32_t k = 0; k < kept_count; k++)
    kiln_build_store(b, kept[k].before, kiln_node(fn, copied)->results.items[count + k], kept[k].align, 0);
  kiln_build_yield(b, kiln_node(fn, copied)->results.items, count);
}

// The address of an access as a number, with what the map says of the counter.
static kiln_value number_of(const struct loop *l, struct kiln_copy *copy, const struct access *access,
                            struct kiln_builder *b) {
  return kiln_build1(b, KILN_OP_PTOI, kiln_scalar_type(KILN_I64),
                     kiln_loop_copy_tree(copy, l->room, access->address, b));
}

static kiln_value end_of(struct kiln_builder *b, kiln_value number, const struct access *access) {
  return kiln_build2(b, KILN_OP_IADD, number,
                     kiln_const(b->fn, kiln_scalar_type(KILN_I64), kiln_type_bytes(access->type)));
}

// Whether the addresses to check do not meet from the first iteration, whose values first has, to the last.
static kiln_value build_checks(struct carry *c, const struct loop *l, struct kiln_copy *first, struct kiln_builder *b) {
  struct kiln_copy last = kiln_loop_copy(l->room, c->fn, 1);
  kiln_value end = kiln_loop_copy_tree(first, l->room, l->limit, b), holds = 0;
  kiln_value one = kiln_const(c->fn, c->fn->insts[end].type, 1);
  last.map[l->counter] = l->reaches_limit ? end : kiln_build2(b, KILN_OP_ISUB, end, one);
  for (uint32_t i = 0; i < l->check_count; i++) {
    const struct access *kept = l->checks[i].kept, *other = l->checks[i].other;
    kiln_value at = number_of(l, first, kept, b), from = number_of(l, first, other, b);
    kiln_value to = number_of(l, &last, other, b);
    kiln_value low = kiln_build2(b, KILN_OP_UMIN, from, to), high = kiln_build2(b, KILN_OP_UMAX, from, to);
    kiln_value before = kiln_build2(b, KILN_OP_ULE, end_of(b, at, kept), low);
    kiln_value after = kiln_build2(b, KILN_OP_ULE, end_of(b, high, other), at);
    kiln_value misses = kiln_build2(b, KILN_OP_BOR, before, after);
    holds = holds ? kiln_build2(b, KILN_OP_BAND, holds, misses) : misses;
  }
  kiln_loop_forget(l->room, c->fn, l->loop, 1);
  return kiln_build1(b, KILN_OP_AGREE, kiln_scalar_type(KILN_BOOL), holds);
}

static void split(struct carry *c, const struct loop *l) {
  struct kiln_function *fn = c->fn;
  struct kiln_builder b = kiln_builder_before(fn, l->loop);
  b.loc = fn->insts[l->loop].loc;
  struct kiln_copy first = kiln_loop_copy(l->room, fn, 0);
  const kiln_value *initial = kiln_copy_operands(&first, l->loop);
  uint32_t count = kiln_node(fn, l->loop)->header.count;
  for (uint32_t i = 0; i < count; i++)
    first.map[kiln_node(fn, l->loop)->header.items[i]] = initial[i];
  kiln_value runs = kiln_loop_copy_tree(&first, l->room, kiln_operands(fn, l->test.node)[0], &b);
  if (l->test.exit_side == 0)
    runs = kiln_build1(&b, KILN_OP_BNOT, kiln_scalar_type(KILN_BOOL), runs);
  if (l->needs_apart) {
    kiln_value apart = kiln_build(&b, KILN_OP_APART, kiln_scalar_type(KILN_BOOL), NULL, 0, 0, 0, 0);
    runs = kiln_build2(&b, KILN_OP_BAND, apart, runs);
  }
  if (l->check_count) {
    kiln_value checks = build_checks(c, l, &first, &b);
    runs = kiln_build2(&b, KILN_OP_BAND, runs, checks);
  }
  struct kept kept[MAX_ACCESSES];
  uint32_t kept_count = list_kept(c, l, &first, kept, &b);
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

// ---- loads of each iteration from one place

// Whether nothing in the region writes memory or waits for others; enters what it has into the room.
static bool only_reads(struct kiln_loop_room *room, const struct kiln_function *fn, uint32_t region) {
  for (kiln_value id = fn->regions[region].first; id; id = fn->insts[id].next) {
    enum kiln_op_effect effect = kiln_op_table[fn->insts[id].op].effect;
    if (effect == KILN_EFFECT_WRITE || effect == KILN_EFFECT_SYNC || effect == KILN_EFFECT_CROSS)
      return false;
    kiln_loop_add(room, id);
    if (!kiln_op_is_node(fn->insts[id].op))
      continue;
    const struct kiln_node *node = kiln_node(fn, id);
    kiln_loop_add_phis(room, fn, id);
    for (uint32_t r = 0; r < node->region_count; r++)
      if (!only_reads(room, fn, node->region_first + r))
        return false;
  }
  return true;
}

// Moves what each iteration begins with and what is the same in all of them before a loop that writes no memory:
// "k < begin[i + 1]". The first iteration runs it in any case. A backend does not see that of gathers.
static void hoist(struct carry *c, kiln_value loop) {
  struct kiln_function *fn = c->fn;
  uint32_t body = kiln_node(fn, loop)->region_first;
  kiln_value id = fn->regions[body].first, next;
  bool loads = false;
  for (kiln_value i = id; i && !kiln_op_is_node(fn->insts[i].op); i = fn->insts[i].next)
    loads |= fn->insts[i].op == KILN_OP_LOAD;
  if (!loads)
    return;
  kiln_loop_room_begin(&c->room, fn);
  kiln_loop_add_phis(&c->room, fn, loop);
  if (!only_reads(&c->room, fn, body))
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
}

static void consider(struct carry *c, kiln_value loop) {
  struct kiln_function *fn = c->fn;
  uint32_t body = kiln_node(fn, loop)->region_first;
  const struct kiln_inst *last = &fn->insts[fn->regions[body].last];
  struct loop l = {.loop = loop, .room = &c->room};
  if (fn->inst_count > c->size + MAX_ADDED || last->op != KILN_OP_CONTINUE || last->imm != loop ||
      !kiln_loop_find_test(fn, loop, &l.test))
    return;
  kiln_loop_room_begin(l.room, fn);
  kiln_loop_add_phis(l.room, fn, loop);
  kiln_loop_add(l.room, loop);
  if (!collect(fn, &l, body) || !is_early(fn, &l, kiln_operands(fn, l.test.node)[0], 0))
    return;
  find_counter(fn, &l);
  if (choose(fn, &l))
    split(c, &l);
}

static void walk(struct carry *c, uint32_t region) {
  for (kiln_value id = c->fn->regions[region].first; id; id = c->fn->insts[id].next) {
    if (!kiln_op_is_node(c->fn->insts[id].op))
      continue;
    uint32_t first = kiln_node(c->fn, id)->region_first, count = kiln_node(c->fn, id)->region_count;
    for (uint32_t r = first; r < first + count; r++)
      walk(c, r);
    if (c->fn->insts[id].op != KILN_OP_LOOP)
      continue;
    hoist(c, id);
    consider(c, id);
  }
}

// Kernels that others call are left alone: their parameters are not those of the launch.
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
    struct carry c = {.fn = module->functions[f], .room = {.arena = arena}};
    c.size = c.fn->inst_count;
    if (c.fn->is_kernel && !called[f])
      walk(&c, c.fn->body);
    changed |= c.changed;
  }
  return changed;
}

bool kiln_pass_carry(struct kiln_module *module) { return kiln_pass_scratch(module, module, run); }
