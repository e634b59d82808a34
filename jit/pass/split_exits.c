// Exits of loops: a count to a constant becomes an exit of its own.
//
//   loop ^L (i = 0) { …   t = band(i < 50, c)   if t { yield } else { break ^L, v } … }
//
// becomes
//
//   loop ^L (i = 0) { if i < 50 { yield } else { break ^L, v }   …   if c { yield } else { break ^L, v } … }
//
// Compilers that unroll loops with several exits see the number of iterations only where an exit depends on the counter
// alone; then they keep the other test, and drop this one from all iterations but the last. What stands before the test
// has no effects, and the values v are there when the iteration begins. Requires a verified function. Linear.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): loops_joined_exits.
#include "jit/pass/loops.h"

enum { MAX_DEPTH = 4 }; // of conditions that are joined

struct split_exits {
  struct kiln_function *fn;
  struct kiln_loop_room room;
  kiln_value loop;
  enum kiln_op join; // the loop is left where: BAND: one of the conditions does not hold; BOR: one of them does
  bool changed;
};

static bool is_const(const struct kiln_function *fn, kiln_value v) { return fn->insts[v].op == KILN_OP_CONST; }

// Whether the header phi begins with a constant and moves by one.
static bool counts(const struct split_exits *s, kiln_value phi) {
  const struct kiln_function *fn = s->fn;
  kiln_value next = kiln_loop_next(fn, s->loop, phi);
  if (!next || fn->insts[next].op != KILN_OP_IADD || kiln_operands(fn, next)[0] != phi ||
      !is_const(fn, kiln_operands(fn, next)[1]))
    return false;
  const struct kiln_value_list *header = &kiln_node(fn, s->loop)->header;
  for (uint32_t i = 0; i < header->count; i++)
    if (header->items[i] == phi)
      return is_const(fn, kiln_operands(fn, s->loop)[i]);
  return false;
}

// Whether the condition compares such a phi with a constant.
static bool is_count(const struct split_exits *s, kiln_value condition) {
  struct kiln_inequality order;
  if (!kiln_inequality_of(s->fn, condition, true, &order))
    return false;
  return (is_const(s->fn, order.high) && counts(s, order.low)) || (is_const(s->fn, order.low) && counts(s, order.high));
}

static kiln_value find_count(const struct split_exits *s, kiln_value condition, unsigned depth) {
  if (s->fn->insts[condition].op != s->join)
    return is_count(s, condition) ? condition : 0;
  kiln_value found = depth ? find_count(s, kiln_operands(s->fn, condition)[0], depth - 1) : 0;
  return found || !depth ? found : find_count(s, kiln_operands(s->fn, condition)[1], depth - 1);
}

// The condition without the count; 0: nothing is left.
static kiln_value without(struct split_exits *s, struct kiln_builder *b, kiln_value condition, kiln_value count,
                          unsigned depth) {
  if (condition == count || depth == 0 || s->fn->insts[condition].op != s->join)
    return condition == count ? 0 : condition;
  kiln_value x = kiln_operands(s->fn, condition)[0], y = kiln_operands(s->fn, condition)[1];
  kiln_value rest[2] = {without(s, b, x, count, depth - 1), without(s, b, y, count, depth - 1)};
  if (rest[0] == x && rest[1] == y)
    return condition;
  return rest[0] && rest[1] ? kiln_build2(b, s->join, rest[0], rest[1]) : rest[0] ? rest[0] : rest[1];
}

// Whether the loop can be left where an iteration begins instead of at the test.
static bool leaves_early(const struct split_exits *s, const struct kiln_loop_test *test) {
  const struct kiln_function *fn = s->fn;
  for (kiln_value id = fn->insts[test->node].prev; id; id = fn->insts[id].prev)
    if (kiln_op_is_node(fn->insts[id].op) || kiln_op_writes_or_waits(kiln_op_of(&fn->insts[id])))
      return false;
  kiln_value jump = fn->regions[kiln_node(fn, test->node)->region_first + test->exit_side].last;
  for (uint32_t i = 0; i < fn->insts[jump].operand_count; i++) {
    kiln_value value = kiln_operands(fn, jump)[i];
    bool is_header = fn->insts[value].op == KILN_OP_PHI && fn->insts[value].imm == s->loop;
    if (kiln_loop_has(&s->room, value) && !is_header)
      return false;
  }
  return true;
}

// Builds an exit like the test, with another condition.
static void leave_at(struct split_exits *s, struct kiln_builder *b, kiln_value condition,
                     const struct kiln_loop_test *test) {
  struct kiln_function *fn = s->fn;
  kiln_value jump = fn->regions[kiln_node(fn, test->node)->region_first + test->exit_side].last;
  uint32_t count = fn->insts[jump].operand_count;
  kiln_value *values = kiln_arena_alloc(s->room.arena, (count + 1) * sizeof *values, 16);
  for (uint32_t i = 0; i < count; i++)
    values[i] = kiln_operands(fn, jump)[i];
  kiln_build_exit(b, condition, test->exit_side, s->loop, values, count);
}

static void visit(void *user, kiln_value loop) {
  struct split_exits *s = user;
  struct kiln_function *fn = s->fn;
  struct kiln_loop_test test;
  s->loop = loop;
  if (!kiln_loop_find_test(fn, loop, &test))
    return;
  kiln_value condition = kiln_operands(fn, test.node)[0], first = fn->regions[fn->insts[test.node].region].first;
  s->join = test.exit_side ? KILN_OP_BAND : KILN_OP_BOR;
  kiln_value count = fn->insts[condition].op == s->join ? find_count(s, condition, MAX_DEPTH) : 0;
  if (!count)
    return;
  kiln_loop_room_begin(&s->room, fn);
  kiln_loop_add_phis(&s->room, fn, loop);
  for (kiln_value id = first; id != test.node; id = fn->insts[id].next)
    kiln_loop_add(&s->room, fn, id);
  if (!leaves_early(s, &test))
    return;
  struct kiln_builder before = kiln_builder_before(fn, test.node);
  kiln_value rest = without(s, &before, condition, count, MAX_DEPTH);
  if (!rest)
    return;
  if (count != first)
    kiln_move(fn, count, fn->insts[test.node].region, first);
  else
    first = fn->insts[count].next;
  struct kiln_builder b = kiln_builder_before(fn, first);
  b.loc = fn->insts[test.node].loc;
  leave_at(s, &b, count, &test);
  kiln_set_operands(fn, test.node, &rest, 1);
  s->changed = true;
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct split_exits s = {.fn = subject, .room = {.arena = arena}};
  kiln_loops_visit(s.fn, visit, &s);
  return s.changed;
}

bool kiln_pass_split_exits(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }
