// Loops whose test stands before them and at their end, or is carried to the next iteration, do what they did once it
// is at their head: with a test that is another one, values that leave the loop, and choices by other conditions, too.
#include "jit/pass/common.h"
#include "tests/support/part.h"
#include "tests/unit/pass_bulk.h"

static unsigned pick(unsigned *state, unsigned count) {
  *state = *state * 1664525 + 1013904223;
  return (*state >> 12) % count;
}

static kiln_value one_of(unsigned *state, const kiln_value *values, unsigned count) {
  return values[pick(state, count)];
}

// Whether the loop goes on with this number, or (ends) whether it does not.
static kiln_value test_of(struct batch *t, unsigned form, bool ends, kiln_value i, kiln_value limit) {
  if (form == 0)
    limit = op2(t, KILN_OP_IADD, limit, number(t, 1));
  if (form == 1)
    i = op2(t, KILN_OP_IADD, i, number(t, 3));
  enum kiln_op order = ends == (form == 3) ? KILN_OP_SLT : KILN_OP_SLE;
  return ends ? kiln_build2(&t->b, order, limit, i) : kiln_build2(&t->b, order, i, limit);
}

// i = x & 3; while (i < (y & 7)) …
static kiln_value start_of(struct batch *t) { return op2(t, KILN_OP_AND, t->x, number(t, 3)); }
static kiln_value limit_of(struct batch *t) { return op2(t, KILN_OP_AND, t->y, number(t, 7)); }

// What expect stores is there even if the loop is not entered.
static void clear(struct batch *t) {
  for (uint32_t i = t->count; i < t->count + 4; i++) {
    kiln_value at = kiln_build_padd(&t->b, t->pointer, kiln_const(t->fn, kiln_scalar_type(KILN_I64), i), SLOT);
    kiln_build_store(&t->b, at, kiln_const(t->fn, kiln_scalar_type(KILN_I64), 0), 1, 0);
  }
}

static void turned(struct batch *t, unsigned state) {
  clear(t);
  kiln_value start = start_of(t), limit = limit_of(t), first[] = {start, t->z};
  unsigned form = pick(&state, 3), form_of_end = pick(&state, 4) ? form : pick(&state, 4);
  kiln_value branch = kiln_build_if(&t->b, test_of(t, form, false, start, limit));
  kiln_value results[] = {kiln_node_add_result(t->fn, branch, t->type), kiln_node_add_result(t->fn, branch, t->type)};
  struct kiln_builder after = t->b;
  t->b = kiln_builder_at_end(t->fn, kiln_node(t->fn, branch)->region_first);
  kiln_value step = op2(t, KILN_OP_OR, t->y, number(t, 1));
  kiln_value loop = kiln_build_loop(&t->b, first, 2);
  kiln_value left[] = {kiln_node_add_result(t->fn, loop, t->type), kiln_node_add_result(t->fn, loop, t->type)};
  struct kiln_builder side = t->b;
  kiln_value yields[] = {one_of(&state, left, 2), pick(&state, 3) ? left[1] : step};
  kiln_build_yield(&side, yields, 2);
  side = kiln_builder_at_end(t->fn, kiln_node(t->fn, branch)->region_first + 1);
  kiln_value others[] = {one_of(&state, first, 2), pick(&state, 2) ? t->z : t->y};
  kiln_build_yield(&side, others, 2);
  t->b = kiln_builder_at_end(t->fn, kiln_node(t->fn, loop)->region_first);
  kiln_value i = kiln_node(t->fn, loop)->header.items[0], q = kiln_node(t->fn, loop)->header.items[1];
  expect(t, op2(t, KILN_OP_XOR, i, q));
  kiln_value next[] = {op2(t, KILN_OP_IADD, i, number(t, 1)), op2(t, KILN_OP_IMUL, q, step)};
  kiln_value carried[] = {i, q, next[0], next[1], start};
  kiln_value values[] = {one_of(&state, carried, 5), one_of(&state, carried, 5)};
  kiln_build_exit(&t->b, test_of(t, form_of_end, false, next[0], limit), 1, loop, values, 2);
  kiln_build_continue(&t->b, loop, next, 2);
  t->b = after;
  expect(t, results[0]);
  expect(t, results[1]);
}

// The test before the loop compares 32 bits, and that at its end 64, which may be another number.
static void widened(struct batch *t, unsigned state) {
  kiln_type i64 = kiln_scalar_type(KILN_I64);
  clear(t);
  bool is_signed = pick(&state, 2);
  enum kiln_op order = (is_signed ? KILN_OP_SLT : KILN_OP_ULT),
               extensions[] = {is_signed ? KILN_OP_SEXT : KILN_OP_ZEXT, is_signed ? KILN_OP_ZEXT : KILN_OP_SEXT};
  kiln_value start = op2(t, KILN_OP_ASHR, t->x, number(t, 28)), limit = op2(t, KILN_OP_ASHR, t->y, number(t, 28));
  if (!is_signed || pick(&state, 2)) // numbers that the wrong extension keeps far from one another would take long
    start = op2(t, KILN_OP_AND, start, number(t, 7));
  if (pick(&state, 2))
    limit = number(t, pick(&state, 9) - 1);
  if (!is_signed)
    limit = op2(t, KILN_OP_AND, limit, number(t, 7));
  kiln_value branch = kiln_build_if(&t->b, kiln_build2(&t->b, order, start, limit));
  kiln_value result = kiln_node_add_result(t->fn, branch, i64);
  struct kiln_builder after = t->b, other = kiln_builder_at_end(t->fn, kiln_node(t->fn, branch)->region_first + 1);
  t->b = kiln_builder_at_end(t->fn, kiln_node(t->fn, branch)->region_first);
  kiln_value first = kiln_build1(&t->b, extensions[pick(&state, 4) == 0], i64, start);
  kiln_build_yield(&other, (kiln_value[]){kiln_const(t->fn, i64, 3)}, 1);
  kiln_value loop = kiln_build_loop(&t->b, &first, 1), last = kiln_node_add_result(t->fn, loop, i64);
  kiln_build_yield(&t->b, &last, 1);
  t->b = kiln_builder_at_end(t->fn, kiln_node(t->fn, loop)->region_first);
  kiln_value i = kiln_node(t->fn, loop)->header.items[0], step = kiln_const(t->fn, i64, 1 + pick(&state, 3));
  expect(t, i);
  kiln_value next = kiln_build2(&t->b, KILN_OP_IADD, i, step), to = kiln_build1(&t->b, extensions[0], i64, limit);
  if (pick(&state, 4) == 0)
    to = kiln_build2(&t->b, KILN_OP_IADD, to, kiln_const(t->fn, i64, 1));
  kiln_build_exit(&t->b, kiln_build2(&t->b, order, next, to), 1, loop, pick(&state, 2) ? &next : &i, 1);
  kiln_build_continue(&t->b, loop, &next, 1);
  t->b = after;
  expect(t, result);
}

// What carries a condition: 0: itself, 1 and 2: a byte.
static kiln_value flag_of(struct batch *t, unsigned how, kiln_value condition) {
  return how ? convert(t, how == 1 ? KILN_OP_ZEXT : KILN_OP_SEXT, KILN_I8, condition, 0) : condition;
}

static void carried(struct batch *t, unsigned state) {
  clear(t);
  kiln_value start = start_of(t), limit = limit_of(t);
  unsigned form = pick(&state, 3), form_of_end = pick(&state, 4) ? form : pick(&state, 4), how = pick(&state, 3);
  bool ends = pick(&state, 2), inverted = how && pick(&state, 2); // the condition ends the loop; EQ instead of NE
  kiln_value first[] = {start, t->z, flag_of(t, how, test_of(t, form, ends, start, limit))};
  kiln_value loop = kiln_build_loop(&t->b, first, 3);
  kiln_value results[] = {kiln_node_add_result(t->fn, loop, t->type), kiln_node_add_result(t->fn, loop, t->type)};
  struct kiln_builder after = t->b;
  const kiln_value *header = kiln_node(t->fn, loop)->header.items;
  kiln_value i = header[0], q = header[1], flag = header[2];
  t->b = kiln_builder_at_end(t->fn, kiln_node(t->fn, loop)->region_first);
  kiln_value before = op2(t, KILN_OP_ISUB, q, i), values[2];
  if (pick(&state, 4) == 0)
    expect(t, before);
  kiln_value leaving[] = {t->x, t->z, limit, i, q, before};
  for (unsigned r = 0; r < 2; r++)
    values[r] = one_of(&state, leaving, pick(&state, 2) ? 6 : 3);
  bool by_one = pick(&state, 8) == 0; // the byte is compared with what it is where the condition holds
  kiln_value test = flag, other = kiln_const(t->fn, kiln_scalar_type(KILN_I8), !by_one ? 0 : how == 1 ? 1 : 0xff);
  if (how)
    test = kiln_build2(&t->b, inverted != by_one ? KILN_OP_EQ : KILN_OP_NE, flag, other);
  kiln_build_exit(&t->b, test, ends != inverted ? 0 : 1, loop, values, 2);
  expect(t, op2(t, KILN_OP_XOR, i, q));
  kiln_value step = op2(t, KILN_OP_IADD, i, number(t, 1)), product = op2(t, KILN_OP_IMUL, q, number(t, 3));
  kiln_value condition = test_of(t, form_of_end, ends, step, limit);
  // The condition, its opposite, and what is nearly that; another one cannot be i's, since the loop would not end.
  kiln_value opposite = test_of(t, form_of_end, !ends, step, limit);
  kiln_value near = test_of(t, form_of_end < 2 ? form_of_end : 5 - form_of_end, !ends, step, limit);
  kiln_value others[] = {condition, opposite, near, t->no}, by = one_of(&state, others, 4);
  kiln_value stays = ends ? opposite : condition;
  kiln_value next[] = {pick(&state, 4) == 0   ? step
                       : pick(&state, 2) == 0 ? choice(t, stays, step, start)
                                              : choice(t, stays == condition ? opposite : condition, start, step),
                       pick(&state, 2) ? choice(t, by, product, t->y) : choice(t, by, t->y, product),
                       flag_of(t, how, condition)};
  kiln_build_continue(&t->b, loop, next, 3);
  t->b = after;
  expect(t, results[0]);
  expect(t, results[1]);
}

// if (first < limit) do … while (--count != 0), or while (++count != end), with other values that move along. The loop
// ends after at most 260 iterations: in all other cases a limit is not larger than first, or numbers are wide enough.
static void counted(struct batch *t, unsigned state) {
  kiln_type i64 = kiln_scalar_type(KILN_I64);
  bool is_signed = pick(&state, 2), wide = pick(&state, 2), down = pick(&state, 2), leaves = pick(&state, 2);
  kiln_value zero = number(t, 0), first = pick(&state, 2) ? zero : op2(t, KILN_OP_AND, t->y, number(t, 63));
  kiln_value limit = op2(t, KILN_OP_ASHR, t->x, number(t, 24)); // from -128 to 127
  kiln_value guard;
  clear(t);
  if (!is_signed)
    limit = op2(t, KILN_OP_AND, limit, number(t, 255));
  unsigned form = pick(&state, 4);
  if (form == 0 && first == zero)
    guard = kiln_build2(&t->b, is_signed ? KILN_OP_SLE : KILN_OP_ULE, number(t, 1), limit);
  else if (form == 1 && first == zero && !is_signed)
    guard = kiln_build2(&t->b, KILN_OP_NE, limit, zero);
  else
    guard = kiln_build2(&t->b, is_signed ? KILN_OP_SLT : KILN_OP_ULT, first, limit);
  kiln_value branch = kiln_build_if(&t->b, guard), results[2];
  for (unsigned r = 0; r < 2; r++)
    results[r] = kiln_node_add_result(t->fn, branch, t->type);
  struct kiln_builder after = t->b;
  t->b = kiln_builder_at_end(t->fn, kiln_node(t->fn, branch)->region_first);
  kiln_value from = first, to = limit;
  enum kiln_op extension = is_signed && pick(&state, 4) ? KILN_OP_SEXT : KILN_OP_ZEXT;
  if (wide) {
    from = convert(t, extension, KILN_I64, first, 0);
    to = convert(t, extension, KILN_I64, limit, 0);
  }
  kiln_type type = wide ? i64 : t->type;
  if (down && first != zero && pick(&state, 2)) // as many iterations as upwards, but not of a form that is known
    to = kiln_build2(&t->b, KILN_OP_ISUB, to, from);
  kiln_value start[] = {down ? to : from, t->z, t->pointer, number(t, 5)};
  kiln_value loop = kiln_build_loop(&t->b, start, 4), sums[2];
  for (unsigned r = 0; r < 2; r++)
    sums[r] = kiln_node_add_result(t->fn, loop, t->type);
  kiln_build_yield(&t->b, sums, 2);
  struct kiln_builder other = kiln_builder_at_end(t->fn, kiln_node(t->fn, branch)->region_first + 1);
  kiln_build_yield(&other, (kiln_value[]){pick(&state, 2) ? start[1] : t->x, start[3]}, 2);
  t->b = kiln_builder_at_end(t->fn, kiln_node(t->fn, loop)->region_first);
  const kiln_value *h = kiln_node(t->fn, loop)->header.items;
  kiln_value c = h[0], q = h[1], p = h[2], sum = h[3], i32 = wide ? convert(t, KILN_OP_TRUNC, KILN_I32, c, 0) : c;
  kiln_value distance = convert(t, KILN_OP_TRUNC, KILN_I32, kiln_build1(&t->b, KILN_OP_PTOI, i64, p), 0);
  kiln_value total = op2(t, KILN_OP_IADD, op2(t, KILN_OP_IMUL, sum, number(t, 7)),
                         op2(t, KILN_OP_XOR, i32, op2(t, KILN_OP_IADD, q, distance)));
  kiln_value next[] = {
      kiln_build2(&t->b, KILN_OP_IADD, c, kiln_const(t->fn, type, down ? kiln_bits_mask(wide ? 64 : 32) : 1)),
      op2(t, KILN_OP_IADD, q, number(t, pick(&state, 3) ? pick(&state, 5) : 0xfffffffd)),
      kiln_build_padd(&t->b, p, kiln_const(t->fn, i64, pick(&state, 2) ? 3 : (uint64_t)-2), 4), total};
  kiln_value end = down ? kiln_const(t->fn, type, 0) : to, values[] = {pick(&state, 2) ? next[1] : q, total};
  bool swapped = pick(&state, 2);
  kiln_value test =
      kiln_build2(&t->b, leaves ? KILN_OP_EQ : KILN_OP_NE, swapped ? end : next[0], swapped ? next[0] : end);
  kiln_build_exit(&t->b, test, leaves ? 0 : 1, loop, values, 2);
  kiln_build_continue(&t->b, loop, next, 4);
  t->b = after;
  expect(t, results[0]);
  expect(t, results[1]);
}

static bool count_and_turn(struct kiln_function *fn) {
  bool changed = kiln_pass_loop_counters(fn);
  kiln_pass_loop_tests(fn);
  return changed;
}

// least: of 100 functions, that the pass must change.
static void check(void (*build)(struct batch *t, unsigned state), bool (*pass)(struct kiln_function *fn),
                  unsigned long least) {
  unsigned turns = part_of(600);
  struct batch t = {.pass = pass, .inputs = inputs, .type = kiln_scalar_type(KILN_I32)};
  t.input_count = fill_inputs(inputs, t.type, 10, 10);
  begin(&t);
  for (unsigned turn = 0; turn < turns; turn++) {
    build(&t, turn);
    end(&t);
    begin(&t);
  }
  end(&t);
  cr_assert_gt(t.changed, least * turns / 100, "%lu of %u functions", t.changed, turns);
}

Test(pass_loop_tests, turned, .timeout = 120) { check(turned, kiln_pass_loop_tests, 50); }
Test(pass_loop_tests, widened, .timeout = 120) { check(widened, kiln_pass_loop_tests, 30); }
Test(pass_loop_tests, carried, .timeout = 120) { check(carried, kiln_pass_loop_tests, 40); }
Test(pass_loop_tests, counted, .timeout = 120) { check(counted, count_and_turn, 40); }
