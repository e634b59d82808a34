// Loop counters: loops that an optimiser lets count down to zero, or up until a number is reached, count up below the
// number, as the source has it, and what moves along by the same step in each iteration is computed from the counter.
//
//   if 0 < n { loop ^L (c = n, p = q) { body   if (c - 1 == 0) break ^L   continue ^L, c - 1, p + 4 }   yield }
//
// becomes, with q + i * 4 in the place of p,
//
//   if 0 < n { loop ^L (i = 0) { body   if (i + 1 < n) { yield } else { break ^L }   continue ^L, i + 1 }   yield }
//
// which loop_tests turns. A loop that counts up may begin at another number than zero. The number of iterations is the
// same, since the test before the loop says that there is one: without it a count of zero would be 2^64 iterations.
// Leaves the old phis to dce. Requires a verified function. Linear.
#include "jit/pass/common.h"

struct loop_counters {
  struct kiln_function *fn;
  struct kiln_arena *arena;
  struct kiln_jumps jumps;
  struct kiln_replaced replaced;
  kiln_value branch, loop, test, again; // the IF before the loop, the loop, the IF at its end, its CONTINUE
  kiln_value first, limit;              // the counter goes from first to limit
  bool is_signed;                       // as which first is below limit
  unsigned leaving_side;                // of the test
  bool changed;
};

// Whether the loop is the last thing on the first side of the IF, and is left by a test at its end alone.
static bool has_loop(struct loop_counters *s) {
  struct kiln_function *fn = s->fn;
  kiln_value last = fn->regions[kiln_node(fn, s->branch)->region_first].last;
  unsigned jumps = 0;
  s->loop = fn->insts[last].prev;
  if (fn->insts[last].op != KILN_OP_YIELD || !s->loop || fn->insts[s->loop].op != KILN_OP_LOOP)
    return false;
  for (kiln_value jump = s->jumps.first[s->loop]; jump; jump = s->jumps.next[jump])
    jumps += fn->insts[jump].region != 0;
  s->again = fn->regions[kiln_node(fn, s->loop)->region_first].last;
  s->test = fn->insts[s->again].prev;
  if (jumps != 2 || fn->insts[s->again].op != KILN_OP_CONTINUE || fn->insts[s->again].imm != s->loop || !s->test)
    return false;
  s->leaving_side = kiln_leaving_side(fn, s->test, s->loop, true);
  return s->leaving_side < 2;
}

// Finds first and limit in the condition of the IF.
static bool has_guard(struct loop_counters *s) {
  struct kiln_function *fn = s->fn;
  kiln_value condition = kiln_operands(fn, s->branch)[0];
  struct kiln_inequality guard;
  uint64_t bits;
  if (kiln_inequality_of(fn, condition, true, &guard)) {
    kiln_type type = fn->insts[guard.low].type;
    if (!kiln_kind_is_int(kiln_type_kind(type)))
      return false;
    s->first = guard.low;
    s->limit = guard.high;
    s->is_signed = guard.is_signed;
    if (guard.is_strict)
      return true;
    if (!kiln_const_splat(fn, guard.low, &bits) || bits != 1)
      return false;
    s->first = kiln_const(fn, type, 0); // 1 <= n
    return true;
  }
  const kiln_value *x = kiln_operands(fn, condition);
  if (fn->insts[condition].op != KILN_OP_NE || !kiln_const_splat(fn, x[1], &bits) || bits ||
      !kiln_kind_is_int(kiln_type_kind(fn->insts[x[0]].type)) || kiln_type_lanes(fn->insts[x[0]].type) > 1)
    return false;
  s->first = x[1];
  s->limit = x[0];
  s->is_signed = false;
  return true;
}

// Whether a value is first or limit, in as many bits or more. Those that are not negative have the same extensions.
static bool is_extended(const struct loop_counters *s, kiln_value value, kiln_value narrow, bool is_positive) {
  const struct kiln_function *fn = s->fn;
  enum kiln_op op = kiln_op_of(&fn->insts[value]);
  uint64_t x, y;
  if (value == narrow)
    return true;
  if (op == KILN_OP_CONST)
    return kiln_const_splat(fn, narrow, &y) && y == 0 && kiln_const_splat(fn, value, &x) && x == 0;
  if ((op != KILN_OP_SEXT && op != KILN_OP_ZEXT) || kiln_operands(fn, value)[0] != narrow)
    return false;
  return op == (s->is_signed ? KILN_OP_SEXT : KILN_OP_ZEXT) || (s->is_signed && is_positive);
}

static bool is_zero(const struct kiln_function *fn, kiln_value v) {
  uint64_t bits;
  return kiln_const_splat(fn, v, &bits) && bits == 0;
}

// What each iteration adds to a header phi: a constant. False: it does something else.
static bool find_step(const struct loop_counters *s, uint32_t place, int64_t *step) {
  const struct kiln_function *fn = s->fn;
  kiln_value phi = kiln_node(fn, s->loop)->header.items[place], next = kiln_operands(fn, s->again)[place];
  const struct kiln_inst *inst = &fn->insts[next];
  const kiln_value *x = kiln_operands(fn, next);
  enum kiln_kind kind = kiln_type_kind(inst->type);
  uint64_t bits;
  if ((inst->op != KILN_OP_IADD && inst->op != KILN_OP_PADD) || x[0] != phi || kiln_type_lanes(inst->type) > 1 ||
      (kind != KILN_I32 && kind != KILN_I64 && kind != KILN_PTR) || !kiln_const_splat(fn, x[1], &bits))
    return false;
  *step = kiln_sign_extend(bits, kiln_kind_bits(kiln_type_kind(fn->insts[x[1]].type)));
  if (inst->op == KILN_OP_PADD)
    *step = (int64_t)((uint64_t)*step * inst->imm);
  return true;
}

// Whether a header phi comes to the end after as many iterations as limit is larger than first, and next is its value
// for the next iteration.
static bool counts(const struct loop_counters *s, kiln_value next, kiln_value end) {
  const struct kiln_function *fn = s->fn;
  bool from_zero = is_zero(fn, s->first);
  for (uint32_t i = 0; i < kiln_node(fn, s->loop)->header.count; i++) {
    kiln_value start = kiln_operands(fn, s->loop)[i];
    int64_t step;
    if (kiln_operands(fn, s->again)[i] != next || fn->insts[next].op != KILN_OP_IADD || !find_step(s, i, &step))
      continue;
    if (step == 1)
      return is_extended(s, start, s->first, from_zero) && is_extended(s, end, s->limit, from_zero);
    return step == -1 && from_zero && is_zero(fn, end) && is_extended(s, start, s->limit, true);
  }
  return false;
}

// Whether the loop ends after as many iterations as limit is larger than first.
static bool has_count(const struct loop_counters *s) {
  kiln_value condition = kiln_operands(s->fn, s->test)[0];
  const kiln_value *x = kiln_operands(s->fn, condition);
  return s->fn->insts[condition].op == (s->leaving_side == 0 ? KILN_OP_EQ : KILN_OP_NE) &&
         (counts(s, x[0], x[1]) || counts(s, x[1], x[0]));
}

// The counter in a type.
static kiln_value counter_as(const struct loop_counters *s, struct kiln_builder *b, kiln_value counter,
                             enum kiln_kind kind) {
  kiln_type type = kiln_scalar_type(kind), from = s->fn->insts[counter].type;
  unsigned bits = kiln_kind_bits(kind), have = kiln_kind_bits(kiln_type_kind(from));
  if (bits == have)
    return counter;
  enum kiln_op op = bits < have ? KILN_OP_TRUNC : s->is_signed ? KILN_OP_SEXT : KILN_OP_ZEXT;
  return kiln_build1(b, op, type, counter);
}

// Replaces header phis to which each iteration adds the same.
static void replace_moved(struct loop_counters *s, struct kiln_builder *b, kiln_value counter, uint32_t place) {
  struct kiln_function *fn = s->fn;
  for (uint32_t i = 0; i < place; i++) {
    kiln_value phi = kiln_node(fn, s->loop)->header.items[i], start = kiln_operands(fn, s->loop)[i];
    kiln_type type = fn->insts[phi].type;
    int64_t step;
    if (!find_step(s, i, &step))
      continue;
    if (kiln_type_kind(type) == KILN_PTR) {
      s->replaced.by[phi] = kiln_build_padd(b, start, counter_as(s, b, counter, KILN_I64), step);
      continue;
    }
    kiln_value distance = counter_as(s, b, counter, kiln_type_kind(type));
    uint64_t mask = kiln_bits_mask(kiln_kind_bits(kiln_type_kind(type)));
    if (step != 1 && step != -1)
      distance = kiln_build2(b, KILN_OP_IMUL, distance, kiln_const(fn, type, (uint64_t)step & mask));
    s->replaced.by[phi] = kiln_build2(b, step == -1 ? KILN_OP_ISUB : KILN_OP_IADD, start, distance);
  }
}

// The counter is in the place of a header phi that is the same.
static void replace_same(struct loop_counters *s, kiln_value counter, uint32_t place) {
  struct kiln_function *fn = s->fn;
  for (uint32_t i = 0; i < place; i++) {
    int64_t step;
    if (kiln_operands(fn, s->loop)[i] == s->first && find_step(s, i, &step) && step == 1)
      s->replaced.by[kiln_node(fn, s->loop)->header.items[i]] = counter;
  }
}

// Makes the loop go on while the counter, after it has been increased, is below the limit.
static void replace_test(struct loop_counters *s, kiln_value counter) {
  struct kiln_function *fn = s->fn;
  kiln_value leaves = fn->regions[kiln_node(fn, s->test)->region_first + s->leaving_side].last;
  uint32_t count = fn->insts[leaves].operand_count;
  kiln_value *values = KILN_NEW_ARRAY(s->arena, kiln_value, count + 1);
  for (uint32_t i = 0; i < count; i++)
    values[i] = kiln_operands(fn, leaves)[i];
  struct kiln_builder b = kiln_builder_before(fn, s->test);
  kiln_value terms[] = {counter, kiln_const(fn, fn->insts[counter].type, 1)};
  kiln_value next =
      kiln_build(&b, KILN_OP_IADD, fn->insts[counter].type, terms, 2, 0, 0, s->is_signed ? KILN_INT_NSW : 0);
  kiln_build_exit(&b, kiln_build2(&b, s->is_signed ? KILN_OP_SLT : KILN_OP_ULT, next, s->limit), 1, s->loop, values,
                  count);
  kiln_remove(fn, s->test);
  kiln_add_operand(fn, s->again, next);
}

static void count(struct loop_counters *s) {
  struct kiln_function *fn = s->fn;
  uint32_t place = kiln_node(fn, s->loop)->header.count;
  struct kiln_builder b = kiln_builder_before(fn, s->branch);
  kiln_value guard = kiln_build2(&b, s->is_signed ? KILN_OP_SLT : KILN_OP_ULT, s->first, s->limit);
  kiln_set_operands(fn, s->branch, &guard, 1);
  kiln_value counter = kiln_loop_add_header(fn, s->loop, s->first);
  b = kiln_builder_before(fn, fn->regions[kiln_node(fn, s->loop)->region_first].first);
  if (is_zero(fn, s->first))
    replace_moved(s, &b, counter, place);
  else
    replace_same(s, counter, place);
  replace_test(s, counter);
  s->changed = true;
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_function *fn = subject;
  struct loop_counters s = {.fn = fn, .arena = arena, .jumps = kiln_jumps_find(fn, arena)};
  s.replaced = kiln_replaced_new(fn, arena);
  uint32_t node_count = fn->node_count;
  for (uint32_t n = 1; n < node_count; n++) {
    s.branch = fn->nodes[n].inst;
    if (fn->insts[s.branch].region && fn->insts[s.branch].op == KILN_OP_IF && has_loop(&s) && has_guard(&s) &&
        has_count(&s))
      count(&s);
  }
  if (s.changed)
    kiln_resolve_all(fn, &s.replaced);
  return s.changed;
}

bool kiln_pass_loop_counters(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }
