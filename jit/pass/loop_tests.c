// Loop tests: "if (c) do { … } while (c)" becomes "while (c) { … }".
//
// Optimisers turn loops around, so that a test stands before a loop and another one at its end: modules in SPIR-V have
// been through one. Lanes that leave a loop at its head are what masks, versions without masks and trip counts are made
// for. In the IR
//
//   if t0 { loop ^L (h = a) { body   if t1 { yield } else { break ^L, v }   continue ^L, n }   yield r }   else yield e
//
// where t1 is t0 with n in the place of a, becomes
//
//   loop ^L (h = a, w = e) { if t { yield } else { break ^L, w }   body   continue ^L, n, v }
//
// with h in the place of a. LLVM also widens counters: then the test before the loop compares 32 bits, and that at its
// end what they are in 64.
//
// A test may also come to the head as a value that the loop carries, which each iteration has computed for the next
// one. SYCL's loops over the work-items of a range do that, and begin again where they have come to an end:
//
//   loop ^L (h = a, f = t(a)) { if f { yield } else { break ^L }   body   continue ^L, select(t(n), n, a), t(n) }
//
// Where f is false nothing uses h, so that its next value is n; then f is t(h).
//
// Requires a verified function. Linear, but for the few instructions that a test is made of.
#include "jit/pass/loops.h"

enum { MAX_DEPTH = 4, MAX_OPERANDS = 3 }; // of a test, and of each operation in it

struct loop_tests {
  struct kiln_function *fn;
  struct kiln_arena *arena;
  struct kiln_jumps jumps;
  struct kiln_replaced replaced;
  kiln_value branch, loop, test, again; // the IF before the loop, the loop, the IF at its end, its CONTINUE
  bool is_wide;                         // the test at the end compares 64 bits, the other one 32
  bool changed;
};

static bool is_free_to_run(const struct loop_tests *s, kiln_value v) {
  enum kiln_op_effect effect = kiln_op_table[s->fn->insts[v].op].effect;
  return (effect == KILN_EFFECT_PURE || effect == KILN_EFFECT_ITEM) && s->fn->insts[v].op != KILN_OP_VAR;
}

// The header phi that has this first and next value; 0: none has.
static kiln_value header_of(const struct loop_tests *s, kiln_value first, kiln_value next) {
  const struct kiln_value_list *header = &kiln_node(s->fn, s->loop)->header;
  for (uint32_t k = 0; k < header->count; k++)
    if (kiln_operands(s->fn, s->loop)[k] == first && kiln_operands(s->fn, s->again)[k] == next)
      return header->items[k];
  return 0;
}

static bool is_same_operation(const struct loop_tests *s, kiln_value a, kiln_value b, unsigned depth);

// Whether b is what a is, with next values in the place of first ones.
static bool is_same_test(const struct loop_tests *s, kiln_value a, kiln_value b, unsigned depth) {
  return a == b || header_of(s, a, b) || is_same_operation(s, a, b, depth);
}

static bool is_same_operation(const struct loop_tests *s, kiln_value a, kiln_value b, unsigned depth) {
  const struct kiln_inst *x = &s->fn->insts[a], *y = &s->fn->insts[b];
  if (depth == 0 || x->op != y->op || x->type != y->type || x->imm != y->imm || x->flags != y->flags ||
      x->operand_count != y->operand_count || x->operand_count > MAX_OPERANDS ||
      kiln_op_table[x->op].effect != KILN_EFFECT_PURE || x->op == KILN_OP_SHUFFLE)
    return false;
  for (uint32_t i = 0; i < x->operand_count; i++)
    if (!is_same_test(s, kiln_operands(s->fn, a)[i], kiln_operands(s->fn, b)[i], depth - 1))
      return false;
  return true;
}

static kiln_value make_operation(struct loop_tests *s, struct kiln_builder *b, kiln_value first, kiln_value next);

// The test for the values that the header has.
static kiln_value make_test(struct loop_tests *s, struct kiln_builder *b, kiln_value first, kiln_value next) {
  kiln_value header = first == next ? first : header_of(s, first, next);
  return header ? header : make_operation(s, b, first, next);
}

static kiln_value make_operation(struct loop_tests *s, struct kiln_builder *b, kiln_value first, kiln_value next) {
  const struct kiln_inst inst = s->fn->insts[first];
  kiln_value operands[MAX_OPERANDS];
  for (uint32_t i = 0; i < inst.operand_count; i++)
    operands[i] = make_test(s, b, kiln_operands(s->fn, first)[i], kiln_operands(s->fn, next)[i]);
  return kiln_build(b, (enum kiln_op)inst.op, inst.type, operands, inst.operand_count, inst.imm, 0, inst.flags);
}

// ---- tests before the loop and at its end

// Whether the IF has nothing but the loop, and what may run before the IF, on its first side.
static bool has_loop(struct loop_tests *s) {
  struct kiln_function *fn = s->fn;
  const struct kiln_region *sides = &fn->regions[kiln_node(fn, s->branch)->region_first];
  if (sides[1].first != sides[1].last || fn->insts[sides[1].last].op != KILN_OP_YIELD ||
      fn->insts[sides[0].last].op != KILN_OP_YIELD)
    return false;
  s->loop = fn->insts[sides[0].last].prev;
  if (!s->loop || fn->insts[s->loop].op != KILN_OP_LOOP)
    return false;
  for (kiln_value v = sides[0].first; v != s->loop; v = fn->insts[v].next)
    if (!is_free_to_run(s, v))
      return false;
  return true;
}

// Whether a value of 64 bits is another one of 32 bits, which is extended so.
static bool is_extension_of(const struct kiln_function *fn, kiln_value wide, kiln_value narrow,
                            enum kiln_op extension) {
  const struct kiln_inst *w = &fn->insts[wide], *n = &fn->insts[narrow];
  if (w->type != kiln_scalar_type(KILN_I64) || n->type != kiln_scalar_type(KILN_I32))
    return false;
  if (w->op == KILN_OP_CONST)
    return n->op == KILN_OP_CONST &&
           w->imm == (extension == KILN_OP_SEXT ? (uint64_t)kiln_sign_extend(n->imm, 32) : n->imm);
  return (w->op == extension && kiln_operands(fn, wide)[0] == narrow) ||
         (w->op == KILN_OP_LOCAL_ID && n->op == KILN_OP_TRUNC &&
          kiln_operands(fn, narrow)[0] == wide); // which is small
}

// The operand in 64 bits, for the values that the header has, of a test that compares 32 bits before the loop and 64 at
// its end; 0: the numbers are not the same. b NULL: what is not zero says that they are, and nothing is built.
static kiln_value wide_operand(const struct loop_tests *s, struct kiln_builder *b, kiln_value first, kiln_value next,
                               enum kiln_op extension) {
  const struct kiln_value_list *header = &kiln_node(s->fn, s->loop)->header;
  for (uint32_t k = 0; k < header->count; k++)
    if (kiln_operands(s->fn, s->again)[k] == next &&
        is_extension_of(s->fn, kiln_operands(s->fn, s->loop)[k], first, extension))
      return header->items[k];
  if (!is_extension_of(s->fn, next, first, extension))
    return 0;
  return b ? kiln_build1(b, extension, kiln_scalar_type(KILN_I64), first) : next;
}

// The test in 64 bits: an order is the same once both sides have been extended. As wide_operand.
static kiln_value wide_test(const struct loop_tests *s, struct kiln_builder *b) {
  kiln_value first = kiln_operands(s->fn, s->branch)[0], next = kiln_operands(s->fn, s->test)[0], operands[2];
  enum kiln_op op = kiln_op_of(&s->fn->insts[first]);
  if (!kiln_op_is_order(op) || kiln_op_of(&s->fn->insts[next]) != op)
    return 0;
  enum kiln_op extension = kiln_op_is_signed_order(op) ? KILN_OP_SEXT : KILN_OP_ZEXT;
  for (unsigned i = 0; i < 2; i++) {
    operands[i] = wide_operand(s, b, kiln_operands(s->fn, first)[i], kiln_operands(s->fn, next)[i], extension);
    if (!operands[i])
      return 0;
  }
  return b ? kiln_build2(b, op, operands[0], operands[1]) : next;
}

// Whether the loop is left by a test at its end alone, which is the IF's.
static bool has_test(struct loop_tests *s) {
  struct kiln_function *fn = s->fn;
  unsigned jumps = 0;
  for (kiln_value jump = s->jumps.first[s->loop]; jump; jump = s->jumps.next[jump])
    jumps += fn->insts[jump].region != 0;
  s->again = fn->regions[kiln_node(fn, s->loop)->region_first].last;
  s->test = fn->insts[s->again].prev;
  if (jumps != 2 || fn->insts[s->again].op != KILN_OP_CONTINUE || fn->insts[s->again].imm != s->loop || !s->test ||
      fn->insts[s->test].op != KILN_OP_IF || kiln_leaving_side(fn, s->test, s->loop, true) != 1)
    return false;
  s->is_wide = wide_test(s, NULL);
  return s->is_wide || is_same_test(s, kiln_operands(fn, s->branch)[0], kiln_operands(fn, s->test)[0], MAX_DEPTH);
}

// What the IF gives, as header phis of the loop: they begin with what it gives without the loop.
static const kiln_value *carry_results(struct loop_tests *s) {
  struct kiln_function *fn = s->fn;
  uint32_t side = kiln_node(fn, s->branch)->region_first, count = kiln_node(fn, s->branch)->results.count;
  kiln_value *out = KILN_NEW_ARRAY(s->arena, kiln_value, count + 1);
  kiln_value leaves = fn->regions[kiln_node(fn, s->test)->region_first + 1].last;
  for (uint32_t i = 0; i < count; i++) {
    kiln_value with = kiln_operands(fn, fn->regions[side].last)[i];
    kiln_value without = kiln_operands(fn, fn->regions[side + 1].last)[i];
    const struct kiln_value_list *results = &kiln_node(fn, s->loop)->results;
    for (uint32_t k = 0; k < results->count; k++)
      if (results->items[k] == with) {
        with = kiln_operands(fn, leaves)[k];
        break;
      }
    out[i] = header_of(s, without, with);
    if (out[i])
      continue;
    out[i] = kiln_loop_add_header(fn, s->loop, without);
    kiln_add_operand(fn, s->again, with);
  }
  return out;
}

static void turn(struct loop_tests *s) {
  struct kiln_function *fn = s->fn;
  uint32_t outer = fn->insts[s->branch].region, side = kiln_node(fn, s->branch)->region_first;
  uint32_t count = kiln_node(fn, s->branch)->results.count, body = kiln_node(fn, s->loop)->region_first;
  const kiln_value *values = carry_results(s);
  struct kiln_builder b = kiln_builder_before(fn, fn->regions[body].first);
  b.loc = fn->insts[s->test].loc;
  kiln_value condition =
      s->is_wide ? wide_test(s, &b) : make_test(s, &b, kiln_operands(fn, s->branch)[0], kiln_operands(fn, s->test)[0]);
  kiln_remove(fn, s->test);
  kiln_build_exit(&b, condition, 1, s->loop, values, count);
  kiln_node(fn, s->loop)->results.count = 0;
  for (uint32_t i = 0; i < count; i++) {
    kiln_value old = kiln_node(fn, s->branch)->results.items[i];
    kiln_value result = kiln_node_add_result(fn, s->loop, fn->insts[old].type);
    fn->insts[result].name = fn->insts[old].name;
    s->replaced.by[old] = result;
  }
  kiln_node(fn, s->branch)->results.count = 0;
  while (fn->regions[side].first != fn->regions[side].last)
    kiln_move(fn, fn->regions[side].first, outer, s->branch);
  kiln_set_operands(fn, fn->regions[side].last, NULL, 0);
  kiln_set_operands(fn, fn->regions[side + 1].last, NULL, 0);
  kiln_remove(fn, s->branch);
  s->changed = true;
}

// ---- tests that the loop carries

// A value that ends the loop where it is false, or true.
struct carried {
  kiln_value test;    // the IF
  uint32_t place;     // of the header phi that decides
  kiln_value goes_on; // what decides of the next iteration, a bool
  uint32_t stays;     // the operand of a SELECT by goes_on that counts: 1, or 2 where the loop ends if it is true
};

// The condition that an integer has been extended from; a condition itself.
static kiln_value condition_of(const struct kiln_function *fn, kiln_value v) {
  while (fn->insts[v].op == KILN_OP_ZEXT || fn->insts[v].op == KILN_OP_SEXT)
    v = kiln_operands(fn, v)[0];
  return fn->insts[v].type == kiln_scalar_type(KILN_BOOL) ? v : 0;
}

// Whether the loop begins with a test of a value that it carries, before which nothing happens.
static bool carries_test(struct loop_tests *s, struct carried *out) {
  struct kiln_function *fn = s->fn;
  kiln_value v = fn->regions[kiln_node(fn, s->loop)->region_first].first;
  while (is_free_to_run(s, v))
    v = fn->insts[v].next;
  unsigned side = kiln_leaving_side(fn, v, s->loop, true);
  if (side > 1)
    return false;
  kiln_value condition = kiln_operands(fn, v)[0];
  uint64_t zero;
  bool compares = fn->insts[condition].op == KILN_OP_NE || fn->insts[condition].op == KILN_OP_EQ;
  if (compares && (!kiln_const_splat(fn, kiln_operands(fn, condition)[1], &zero) || zero))
    return false;
  kiln_value phi = compares ? kiln_operands(fn, condition)[0] : condition;
  const struct kiln_value_list *header = &kiln_node(fn, s->loop)->header;
  for (uint32_t i = 0; i < header->count; i++) {
    if (header->items[i] != phi)
      continue;
    bool inverted = compares && fn->insts[condition].op == KILN_OP_EQ;
    *out = (struct carried){v, i, condition_of(fn, kiln_operands(fn, s->again)[i]), (side == 1) != inverted ? 1 : 2};
    return out->goes_on;
  }
  return false;
}

// Whether the test, where it ends the loop, takes this value of the loop along.
static bool leaves_with(const struct loop_tests *s, const struct carried *c, kiln_value phi) {
  const struct kiln_function *fn = s->fn;
  uint32_t side = kiln_node(fn, c->test)->region_first + kiln_leaving_side(fn, c->test, s->loop, true);
  kiln_value jump = fn->regions[side].last;
  for (uint32_t i = 0; i < fn->insts[jump].operand_count; i++) {
    kiln_value v = kiln_operands(fn, jump)[i];
    if (v == phi || fn->insts[v].region == fn->insts[c->test].region)
      return true;
  }
  return false;
}

// Which operand of a SELECT is the value in the next iteration, if there is one; 0: that is not known.
static uint32_t operand_that_stays(const struct loop_tests *s, const struct carried *c, kiln_value select) {
  kiln_value condition = kiln_operands(s->fn, select)[0];
  struct kiln_inequality x, y;
  if (condition == c->goes_on)
    return c->stays;
  if (!kiln_inequality_of(s->fn, condition, true, &x) || !kiln_inequality_of(s->fn, c->goes_on, false, &y) ||
      x.low != y.low || x.high != y.high || x.is_strict != y.is_strict || x.is_signed != y.is_signed)
    return 0;
  return c->stays == 1 ? 2 : 1;
}

// Values that are chosen by whether there is a next iteration are what they are in one.
static void skip_choices(struct loop_tests *s, const struct carried *c) {
  struct kiln_function *fn = s->fn;
  const struct kiln_value_list *header = &kiln_node(fn, s->loop)->header;
  for (uint32_t i = 0; i < header->count; i++) {
    kiln_value next = kiln_operands(fn, s->again)[i];
    uint32_t stays = fn->insts[next].op == KILN_OP_SELECT ? operand_that_stays(s, c, next) : 0;
    if (!stays || leaves_with(s, c, header->items[i]))
      continue;
    fn->operands[fn->insts[s->again].operand_first + i] = kiln_operands(fn, next)[stays];
    s->changed = true;
  }
}

static void move_carried(struct loop_tests *s) {
  struct kiln_function *fn = s->fn;
  struct carried c;
  s->again = kiln_jumps_only_continue(&s->jumps, fn, s->loop);
  if (!s->again || !carries_test(s, &c))
    return;
  skip_choices(s, &c);
  kiln_value first = kiln_operands(fn, s->loop)[c.place], next = kiln_operands(fn, s->again)[c.place];
  if (first == next || !is_same_operation(s, first, next, MAX_DEPTH))
    return;
  struct kiln_builder b = kiln_builder_before(fn, fn->regions[kiln_node(fn, s->loop)->region_first].first);
  b.loc = fn->insts[c.test].loc;
  s->replaced.by[kiln_node(fn, s->loop)->header.items[c.place]] = make_operation(s, &b, first, next);
  s->changed = true;
}

// ---- the whole

static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_function *fn = subject;
  struct loop_tests s = {.fn = fn, .arena = arena, .jumps = kiln_jumps_find(fn, arena)};
  s.replaced = kiln_replaced_new(fn, arena);
  uint32_t node_count = fn->node_count;
  for (uint32_t n = 1; n < node_count; n++) {
    s.branch = fn->nodes[n].inst;
    if (fn->insts[s.branch].region && fn->insts[s.branch].op == KILN_OP_IF && has_loop(&s) && has_test(&s))
      turn(&s);
  }
  for (uint32_t n = 1; n < node_count; n++) {
    s.loop = fn->nodes[n].inst;
    if (fn->insts[s.loop].region && fn->insts[s.loop].op == KILN_OP_LOOP && fn->nodes[n].header.count)
      move_carried(&s);
  }
  if (s.changed)
    kiln_resolve_all(fn, &s.replaced);
  return s.changed;
}

bool kiln_pass_loop_tests(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }
