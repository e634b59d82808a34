// Pointers that walk: a pointer to which each iteration of a loop adds a constant becomes a pointer before the loop and
// a counter times a stride.
//
//   loop ^L (p = q) { if p < e { yield } else { break ^L }   body   continue ^L, p + 4 }     e is q + n * 4
//
// becomes, with q + k * 4 in the place of p,
//
//   loop ^L (k = 0) { if k < n { yield } else { break ^L }   body   continue ^L, k + 1 }
//
// The order of two pointers is that of their distances from a pointer that both are made of (docs/ir.md). Where the
// loop counts integers from zero already, pointers that walk along are computed from that counter.
//
// A loop must have one continue, at its end. Other exits than the test stay as they are. Leaves the old phis to dce.
// Requires a verified function. Linear, but for loops in loops that compare pointers.
// Kernels aimed at its conditions (tests/gen/aimed.def): loops_rows_spelled.
#include "jit/pass/loops.h"

enum { MAX_SUMS = 4 }; // that a pointer is made of

struct walks {
  struct kiln_function *fn;
  struct kiln_jumps jumps;
  struct kiln_replaced replaced;
  struct kiln_loop_room room;
  bool changed;
};

// A pointer that each iteration moves.
struct walk {
  kiln_value loop, again; // its CONTINUE
  uint32_t place;         // of the phi in the header
  int64_t step;           // bytes, not 0
};

// Finds what each iteration adds to a header phi. False: it is no pointer that walks.
static bool find_walk(const struct walks *s, kiln_value loop, kiln_value again, uint32_t place, struct walk *out) {
  const struct kiln_function *fn = s->fn;
  kiln_value phi = kiln_node(fn, loop)->header.items[place], next = kiln_operands(fn, again)[place];
  const struct kiln_inst *inst = &fn->insts[next];
  uint64_t bits;
  if (inst->op != KILN_OP_PADD || kiln_operands(fn, next)[0] != phi ||
      !kiln_const_splat(fn, kiln_operands(fn, next)[1], &bits))
    return false;
  *out = (struct walk){loop, again, place, (int64_t)(bits * inst->imm)};
  return out->step && out->step != INT64_MIN;
}

// ---- distances

// A pointer as the sum of another one and distances.
struct sum {
  kiln_value pointers[MAX_SUMS + 1]; // the pointer, what it is the sum of, and so on
  uint32_t count;
};

static struct sum sum_of(const struct kiln_function *fn, kiln_value pointer) {
  struct sum out = {.pointers = {pointer}, .count = 1};
  while (out.count <= MAX_SUMS && fn->insts[pointer].op == KILN_OP_PADD)
    out.pointers[out.count++] = pointer = kiln_operands(fn, pointer)[0];
  return out;
}

// Cuts two sums off at the first pointer that is in both. False: they have none in common.
static bool find_root(struct sum *x, struct sum *y) {
  for (uint32_t i = 0; i < x->count; i++)
    for (uint32_t k = 0; k < y->count; k++)
      if (x->pointers[i] == y->pointers[k]) {
        x->count = i + 1;
        y->count = k + 1;
        return true;
      }
  return false;
}

// Whether the distances are multiples of the unit.
static bool has_unit(const struct kiln_function *fn, const struct sum *sum, uint64_t unit) {
  for (uint32_t i = 0; i + 1 < sum->count; i++) {
    const struct kiln_inst *padd = &fn->insts[sum->pointers[i]];
    uint64_t bits;
    bool is_constant = kiln_const_splat(fn, kiln_operands(fn, sum->pointers[i])[1], &bits);
    int64_t bytes = (int64_t)(is_constant ? bits * padd->imm : padd->imm);
    if (bytes == INT64_MIN || (uint64_t)(bytes < 0 ? -bytes : bytes) % unit)
      return false;
  }
  return true;
}

// The integer of 32 bits that a distance in units is the extension of; 0: it is none. A constant is the extension of
// one in both ways or in the way that *extension names, which is CONST until a value has said which.
static kiln_value narrow_distance(struct kiln_function *fn, const struct sum *sum, uint64_t unit,
                                  enum kiln_op *extension) {
  kiln_type narrow = kiln_scalar_type(KILN_I32);
  uint64_t bits;
  if (sum->count == 1)
    return kiln_const(fn, narrow, 0);
  kiln_value index = kiln_operands(fn, sum->pointers[0])[1];
  uint64_t stride = fn->insts[sum->pointers[0]].imm;
  if (sum->count > 2)
    return 0;
  if (kiln_const_splat(fn, index, &bits)) {
    int64_t distance = (int64_t)(bits * stride) / (int64_t)unit;
    return distance >= 0 && distance <= INT32_MAX ? kiln_const(fn, narrow, (uint64_t)distance) : 0;
  }
  enum kiln_op op = kiln_op_of(&fn->insts[index]);
  if ((op != KILN_OP_SEXT && op != KILN_OP_ZEXT) || stride != unit || (*extension != KILN_OP_CONST && op != *extension))
    return 0;
  *extension = op;
  kiln_value value = kiln_operands(fn, index)[0];
  return fn->insts[value].type == narrow ? value : 0;
}

// The distance in units, as 64 bits.
static kiln_value build_distance(struct kiln_builder *b, const struct kiln_function *fn, const struct sum *sum,
                                 uint64_t unit) {
  kiln_type wide = kiln_scalar_type(KILN_I64);
  kiln_value total = 0;
  for (uint32_t i = 0; i + 1 < sum->count; i++) {
    kiln_value index = kiln_operands(fn, sum->pointers[i])[1];
    int64_t stride = (int64_t)fn->insts[sum->pointers[i]].imm;
    uint64_t bits;
    if (kiln_const_splat(fn, index, &bits))
      index = kiln_const(b->fn, wide, (uint64_t)((int64_t)(bits * (uint64_t)stride) / (int64_t)unit));
    else if (stride != (int64_t)unit)
      index = kiln_build2(b, KILN_OP_IMUL, index, kiln_const(b->fn, wide, (uint64_t)(stride / (int64_t)unit)));
    total = total ? kiln_build2(b, KILN_OP_IADD, total, index) : index;
  }
  return total ? total : kiln_const(b->fn, wide, 0);
}

// ---- loops that compare pointers

// What the counter is compared with.
struct bounds {
  kiln_value root, first, limit;
  enum kiln_op extension; // of the counter to 64 bits; CONST: it has 64
};

static void add_values(struct walks *s, kiln_value loop) {
  const struct kiln_function *fn = s->fn;
  kiln_value end = kiln_walk_past(fn, loop);
  kiln_loop_room_begin(&s->room, fn);
  kiln_loop_add_phis(&s->room, fn, loop);
  for (kiln_value id = kiln_walk_next(fn, loop); id != end; id = kiln_walk_next(fn, id)) {
    kiln_loop_add(&s->room, fn, id);
    if (kiln_op_is_node(fn->insts[id].op))
      kiln_loop_add_phis(&s->room, fn, id);
  }
}

// Finds the numbers between which the counter goes, and builds them before the loop. A counter of 32 bits never goes
// beyond the limit that it is compared with, if that is strict.
static bool find_bounds(struct walks *s, const struct walk *w, kiln_value end, bool is_strict, struct bounds *out) {
  struct kiln_function *fn = s->fn;
  uint64_t unit = (uint64_t)(w->step < 0 ? -w->step : w->step);
  kiln_value start = kiln_operands(fn, w->loop)[w->place];
  struct sum from = sum_of(fn, start), to = sum_of(fn, end);
  if (!find_root(&from, &to) || !has_unit(fn, &from, unit) || !has_unit(fn, &to, unit))
    return false;
  add_values(s, w->loop);
  if (!kiln_loop_invariant(&s->room, end))
    return false;
  struct kiln_builder b = kiln_builder_before(fn, w->loop);
  struct kiln_copy copy = kiln_loop_copy(&s->room, fn, 0);
  uint32_t length = to.count;
  to = sum_of(fn, kiln_loop_copy_tree(&copy, &s->room, end, &b));
  kiln_loop_forget(&s->room, fn, w->loop, 0);
  to.count = length;
  *out = (struct bounds){.root = from.pointers[from.count - 1], .extension = KILN_OP_CONST};
  if (is_strict) {
    out->first = narrow_distance(fn, &from, unit, &out->extension);
    out->limit = out->first ? narrow_distance(fn, &to, unit, &out->extension) : 0;
  }
  if (out->limit) {
    out->extension = out->extension == KILN_OP_CONST ? KILN_OP_SEXT : out->extension;
    return true;
  }
  out->extension = KILN_OP_CONST;
  out->first = build_distance(&b, fn, &from, unit);
  out->limit = build_distance(&b, fn, &to, unit);
  return true;
}

// The test of the counter: its IF leaves the loop by the same side.
static void replace_test(struct kiln_function *fn, const struct kiln_loop_test *test, const struct bounds *bounds,
                         kiln_value counter, bool is_down, bool is_strict) {
  struct kiln_builder b = kiln_builder_before(fn, test->node);
  bool leaves = test->exit_side == 0, is_signed = bounds->extension != KILN_OP_ZEXT;
  // Leaving is the opposite: the sides change places, and what was strict is not.
  kiln_value low = is_down != leaves ? bounds->limit : counter, high = is_down != leaves ? counter : bounds->limit;
  enum kiln_op orders[2][2] = {{KILN_OP_ULE, KILN_OP_ULT}, {KILN_OP_SLE, KILN_OP_SLT}};
  b.loc = fn->insts[test->node].loc;
  kiln_value condition = kiln_build2(&b, orders[is_signed][is_strict != leaves], low, high);
  kiln_set_operands(fn, test->node, &condition, 1);
}

static void replace_walk(struct walks *s, const struct walk *w, kiln_value start, kiln_value counter,
                         enum kiln_op extension, int64_t stride) {
  struct kiln_function *fn = s->fn;
  const struct kiln_node *node = kiln_node(fn, w->loop);
  struct kiln_builder b = kiln_builder_before(fn, fn->regions[node->region_first].first);
  if (extension != KILN_OP_CONST)
    counter = kiln_build1(&b, extension, kiln_scalar_type(KILN_I64), counter);
  s->replaced.by[node->header.items[w->place]] = kiln_build_padd(&b, start, counter, stride);
  s->changed = true;
}

// What pointers are computed from.
struct counter {
  kiln_value phi;         // 0: there is no counter
  enum kiln_op extension; // to 64 bits; CONST: it has 64
  bool from_zero;         // in the first iteration it is zero
};

// Gives the loop a counter if its test compares a pointer that walks with one that stays, and computes that pointer.
static struct counter count_pointers(struct walks *s, kiln_value loop, kiln_value again,
                                     const struct kiln_loop_test *test, const struct kiln_inequality *stays) {
  struct kiln_function *fn = s->fn;
  struct bounds bounds;
  struct walk w = {0};
  for (uint32_t i = 0; i < kiln_node(fn, loop)->header.count && !w.step; i++) {
    kiln_value phi = kiln_node(fn, loop)->header.items[i];
    if ((phi == stays->low || phi == stays->high) &&
        (!find_walk(s, loop, again, i, &w) || (w.step < 0) != (phi == stays->high)))
      return (struct counter){0};
  }
  if (!w.step || !find_bounds(s, &w, w.step < 0 ? stays->low : stays->high, stays->is_strict, &bounds))
    return (struct counter){0};
  bool is_down = w.step < 0;
  uint64_t first;
  kiln_value counter = kiln_loop_add_header(fn, loop, bounds.first);
  kiln_type type = fn->insts[counter].type;
  replace_test(fn, test, &bounds, counter, is_down, stays->is_strict);
  struct kiln_builder b = kiln_builder_before(fn, again);
  kiln_value one = kiln_const(fn, type, is_down ? kiln_bits_mask(8 * kiln_type_bytes(type)) : 1);
  kiln_value next = kiln_build(&b, KILN_OP_IADD, type, (kiln_value[]){counter, one}, 2, 0, 0,
                               bounds.extension == KILN_OP_SEXT ? KILN_INT_NSW : 0);
  kiln_add_operand(fn, again, next);
  replace_walk(s, &w, bounds.root, counter, bounds.extension, is_down ? -w.step : w.step);
  return (struct counter){counter, bounds.extension,
                          !is_down && kiln_const_splat(fn, bounds.first, &first) && first == 0};
}

// ---- the whole

// The counter that the test compares, if it goes up by one.
static struct counter find_counter(const struct walks *s, kiln_value loop, const struct kiln_inequality *stays) {
  const struct kiln_function *fn = s->fn;
  uint64_t bits;
  kiln_value next = kiln_loop_next(fn, loop, stays->low);
  enum kiln_kind kind = kiln_type_kind(fn->insts[stays->low].type);
  struct counter out = {stays->low, stays->is_signed ? KILN_OP_SEXT : KILN_OP_ZEXT, false};
  if (!next || (kind != KILN_I32 && kind != KILN_I64) || !stays->is_strict || fn->insts[next].op != KILN_OP_IADD ||
      kiln_operands(fn, next)[0] != stays->low || !kiln_const_splat(fn, kiln_operands(fn, next)[1], &bits) || bits != 1)
    return (struct counter){0};
  if (kind == KILN_I64)
    out.extension = KILN_OP_CONST;
  for (uint32_t i = 0; i < kiln_node(fn, loop)->header.count; i++)
    if (kiln_node(fn, loop)->header.items[i] == stays->low)
      out.from_zero = kiln_const_splat(fn, kiln_operands(fn, loop)[i], &bits) && bits == 0;
  return out;
}

static void consider(void *user, kiln_value loop) {
  struct walks *s = user;
  struct kiln_function *fn = s->fn;
  struct kiln_loop_test test;
  struct kiln_inequality stays;
  struct walk w;
  uint32_t count = kiln_node(fn, loop)->header.count;
  kiln_value again = kiln_jumps_only_continue(&s->jumps, fn, loop);
  if (!again || again != fn->regions[kiln_node(fn, loop)->region_first].last || !kiln_loop_find_test(fn, loop, &test) ||
      !kiln_inequality_of(fn, kiln_operands(fn, test.node)[0], test.exit_side == 1, &stays))
    return;
  bool compares_pointers = kiln_type_kind(fn->insts[stays.low].type) == KILN_PTR;
  struct counter counter =
      compares_pointers ? count_pointers(s, loop, again, &test, &stays) : find_counter(s, loop, &stays);
  for (uint32_t i = 0; i < count && counter.from_zero; i++)
    if (!s->replaced.by[kiln_node(fn, loop)->header.items[i]] && find_walk(s, loop, again, i, &w))
      replace_walk(s, &w, kiln_operands(fn, loop)[i], counter.phi, counter.extension, w.step);
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct walks s = {.fn = subject, .jumps = kiln_jumps_find(subject, arena), .room = {.arena = arena}};
  s.replaced = kiln_replaced_new(s.fn, arena);
  kiln_loops_visit(s.fn, consider, &s);
  if (s.changed)
    kiln_resolve_all(s.fn, &s.replaced);
  return s.changed;
}

static bool carries_pointers(const struct kiln_function *fn) {
  for (uint32_t n = 1; n < fn->node_count; n++)
    for (uint32_t i = 0; i < fn->nodes[n].header.count; i++)
      if (fn->insts[fn->nodes[n].inst].region &&
          kiln_type_kind(fn->insts[fn->nodes[n].header.items[i]].type) == KILN_PTR)
        return true;
  return false;
}

bool kiln_pass_pointer_walks(struct kiln_function *fn) {
  return carries_pointers(fn) && kiln_pass_scratch(fn->module, fn, run);
}
