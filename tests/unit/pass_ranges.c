// What the analysis of ranges claims holds for every value: each operation on operands of known ranges over all bytes,
// and each way to count in a loop, from all kinds of starts by all kinds of steps.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "jit/pass/ranges.h"

enum { MAX_LEAVES = 24, MAX_LEVELS = 2 };

static kiln_type type_of(enum kiln_kind kind) { return kiln_scalar_type(kind); }

static struct kiln_function *new_function(struct kiln_builder *b, enum kiln_kind kind) {
  struct kiln_param params[] = {{.name = "x", .type_name = "", .type = type_of(kind)},
                                {.name = "y", .type_name = "", .type = type_of(kind)},
                                {.name = "c", .type_name = "", .type = type_of(KILN_BOOL)}};
  struct kiln_module *module = kiln_module_new();
  struct kiln_function *fn = kiln_module_add_function(module, "f", false, type_of(KILN_VOID), params, 3);
  *b = kiln_builder_at_end(fn, fn->body);
  return fn;
}

// ---- single operations ----------------------------------------------------------------------------------------------

// A value of which something is known: made from x (or y) by one operation with a constant.
struct leaf {
  enum kiln_op op; // PARAM: x itself; CONST: the constant itself
  int constant;
};
static const struct leaf leaves[] = {
    {KILN_OP_PARAM, 0}, {KILN_OP_AND, 7},      {KILN_OP_AND, 0x7f}, {KILN_OP_AND, 0x82},  {KILN_OP_SMAX, 0},
    {KILN_OP_SMAX, 5},  {KILN_OP_SMIN, -3},    {KILN_OP_SMIN, 100}, {KILN_OP_SMAX, -128}, {KILN_OP_LSHR, 1},
    {KILN_OP_ASHR, 3},  {KILN_OP_UREM, 10},    {KILN_OP_CONST, 0},  {KILN_OP_CONST, 1},   {KILN_OP_CONST, -1},
    {KILN_OP_CONST, 2}, {KILN_OP_CONST, -128}, {KILN_OP_CONST, 7},  {KILN_OP_CONST, 8},   {KILN_OP_CONST, 127},
    {KILN_OP_CONST, 6}, {KILN_OP_CONST, -2},
};
enum { LEAVES = sizeof leaves / sizeof *leaves };

static kiln_value build_leaf(struct kiln_builder *b, const struct leaf *leaf, kiln_value x) {
  kiln_value c = kiln_const(b->fn, kiln_value_type(b->fn, x), (uint64_t)leaf->constant & 0xff);
  return leaf->op == KILN_OP_PARAM ? x : leaf->op == KILN_OP_CONST ? c : kiln_build2(b, leaf->op, x, c);
}

static uint64_t compute(enum kiln_op op, kiln_type type, kiln_type from, uint64_t x, uint64_t y) {
  const union kiln_lanes a = {{x}}, b = {{y}};
  union kiln_lanes out = {{0}};
  bool known = kiln_eval(op, type, 0, 0, NULL, (kiln_type[]){from, from}, (const union kiln_lanes *const[]){&a, &b},
                         strlen(kiln_op_table[op].operands) == 1 ? 1 : 2, &out);
  cr_assert(known);
  return out.bits[0];
}

// The different values of a leaf.
static unsigned values_of(const struct leaf *leaf, uint8_t out[256]) {
  bool seen[256] = {false};
  unsigned count = 0;
  for (unsigned x = 0; x < 256; x++) {
    uint64_t c = (uint64_t)leaf->constant & 0xff;
    uint64_t v = leaf->op == KILN_OP_PARAM   ? x
                 : leaf->op == KILN_OP_CONST ? c
                                             : compute(leaf->op, type_of(KILN_I8), type_of(KILN_I8), x, c);
    if (!seen[v])
      out[count++] = (uint8_t)v;
    seen[v] = true;
  }
  return count;
}

static void check_value(const struct kiln_range *range, kiln_type type, uint64_t bits, const char *what) {
  int64_t value = kiln_sign_extend(bits, kiln_kind_bits(kiln_type_kind(type)));
  if (value < range->low || value > range->high)
    cr_assert_fail("%s: %lld is not in [%lld, %lld]", what, (long long)value, (long long)range->low,
                   (long long)range->high);
}

static bool is_full(const struct kiln_range *range, kiln_type type) {
  unsigned bits = kiln_kind_bits(kiln_type_kind(type));
  return range->low <= -(int64_t)((uint64_t)1 << (bits - 1)) && range->high >= (int64_t)kiln_bits_mask(bits - 1);
}

// All operations on two leaves; how many ranges are narrower than the type.
static unsigned check_pair(const struct leaf *first, const struct leaf *second) {
  struct kiln_builder b;
  struct kiln_function *fn = new_function(&b, KILN_I8);
  struct kiln_arena arena;
  uint8_t xs[256], ys[256];
  unsigned x_count = values_of(first, xs), y_count = values_of(second, ys), known = 0;
  kiln_value x = build_leaf(&b, first, fn->params[0].value), y = build_leaf(&b, second, fn->params[1].value);
  kiln_value results[KILN_OP_ROTL + 1], chosen = kiln_build3(&b, KILN_OP_SELECT, fn->params[2].value, x, y);
  for (unsigned op = KILN_OP_IADD; op <= KILN_OP_ROTL; op++)
    results[op] = kiln_build2(&b, (enum kiln_op)op, x, y);
  kiln_build_return(&b, 0);
  kiln_arena_init(&arena, NULL);
  const struct kiln_range *ranges = kiln_ranges_find(fn, false, &arena);
  for (unsigned op = KILN_OP_IADD; op <= KILN_OP_ROTL; op++) {
    const struct kiln_range *range = &ranges[results[op]];
    char what[100];
    if (kiln_inst(fn, results[op])->op == KILN_OP_CONST || is_full(range, type_of(KILN_I8)))
      continue;
    known++;
    snprintf(what, sizeof what, "%s of (%s %d) and (%s %d)", kiln_op_table[op].name, kiln_op_table[first->op].name,
             first->constant, kiln_op_table[second->op].name, second->constant);
    for (unsigned i = 0; i < x_count; i++)
      for (unsigned k = 0; k < y_count; k++)
        check_value(range, type_of(KILN_I8),
                    compute((enum kiln_op)op, type_of(KILN_I8), type_of(KILN_I8), xs[i], ys[k]), what);
  }
  for (unsigned i = 0; i < x_count && kiln_inst(fn, chosen)->op == KILN_OP_SELECT; i++)
    check_value(&ranges[chosen], type_of(KILN_I8), xs[i], "the first of two that are selected");
  for (unsigned i = 0; i < y_count && kiln_inst(fn, chosen)->op == KILN_OP_SELECT; i++)
    check_value(&ranges[chosen], type_of(KILN_I8), ys[i], "the second of two that are selected");
  kiln_arena_free(&arena);
  kiln_module_free(fn->module);
  return known;
}

Test(pass_ranges, operations, .timeout = 120) {
  unsigned known = 0;
  for (unsigned i = 0; i < LEAVES; i++)
    for (unsigned k = 0; k < LEAVES; k++)
      known += check_pair(&leaves[i], &leaves[k]);
  cr_assert_gt(known, 1500, "%u ranges are narrower than their type", known);
}

// Extensions and truncations of bytes and conditions, and of what they give.
Test(pass_ranges, conversions, .timeout = 120) {
  static const enum kiln_op ops[] = {KILN_OP_ZEXT, KILN_OP_SEXT, KILN_OP_TRUNC};
  unsigned known = 0;
  for (unsigned i = 0; i < (LEAVES + 1) * 9 * 9; i++) {
    const struct leaf *leaf = &leaves[i / 81 % LEAVES];
    bool condition = i / 81 == LEAVES;
    enum kiln_op first = ops[i % 3], second = ops[i / 9 % 3];
    enum kiln_kind middle = (enum kiln_kind)(KILN_I16 + i / 3 % 3), end = (enum kiln_kind)(KILN_I8 + i / 27 % 3);
    enum kiln_kind from = condition ? KILN_BOOL : KILN_I8;
    if (first == KILN_OP_TRUNC || (second == KILN_OP_TRUNC ? end >= middle : end <= middle) ||
        (!condition && leaf->op == KILN_OP_CONST))
      continue;
    struct kiln_builder b;
    struct kiln_function *fn = new_function(&b, KILN_I8);
    struct kiln_arena arena;
    uint8_t values[256] = {0, 1};
    unsigned count = condition ? 2 : values_of(leaf, values);
    kiln_value x = condition ? fn->params[2].value : build_leaf(&b, leaf, fn->params[0].value);
    kiln_value wide = kiln_build1(&b, first, type_of(middle), x), last = kiln_build1(&b, second, type_of(end), wide);
    kiln_build_return(&b, 0);
    kiln_arena_init(&arena, NULL);
    const struct kiln_range *ranges = kiln_ranges_find(fn, false, &arena);
    for (unsigned k = 0; k < count; k++) {
      uint64_t once = compute(first, type_of(middle), type_of(from), values[k], 0);
      check_value(&ranges[wide], type_of(middle), once, kiln_op_table[first].name);
      check_value(&ranges[last], type_of(end), compute(second, type_of(end), type_of(middle), once, 0),
                  kiln_op_table[second].name);
    }
    known += !is_full(&ranges[last], type_of(end));
    kiln_arena_free(&arena);
    kiln_module_free(fn->module);
  }
  cr_assert_gt(known, 150, "%u ranges are narrower than their type", known);
}

// ---- loops ----------------------------------------------------------------------------------------------------------

// for (i = first; i ORDER limit; i = i OP step), with the operands of the test in either order, and the side of it that
// leaves the loop; `other` tells where the limit comes from: a constant, or a value of at most that.
struct count {
  uint8_t first, limit;
  enum kiln_op order, op;
  uint8_t step;
  bool swapped, leaves_if_true, known_limit;
};

struct counter {
  kiln_value phi, next, after;
};

static struct counter build_count(struct kiln_builder *b, const struct count *c) {
  struct kiln_function *fn = b->fn;
  kiln_type type = type_of(KILN_I8);
  kiln_value limit = kiln_const(fn, type, c->limit);
  if (!c->known_limit)
    limit = kiln_build2(b, KILN_OP_AND, fn->params[0].value, limit);
  kiln_value start = kiln_const(fn, type, c->first), loop = kiln_build_loop(b, &start, 1);
  struct counter out = {.phi = kiln_node(fn, loop)->header.items[0], .after = kiln_node_add_result(fn, loop, type)};
  struct kiln_builder body = kiln_builder_at_end(fn, kiln_node(fn, loop)->region_first);
  kiln_value x = c->swapped ? limit : out.phi, y = c->swapped ? out.phi : limit;
  kiln_value test = kiln_build_if(&body, kiln_build2(&body, c->order, x, y));
  for (unsigned r = 0; r < 2; r++) {
    struct kiln_builder inner = kiln_builder_at_end(fn, kiln_node(fn, test)->region_first + r);
    if (r == !c->leaves_if_true)
      kiln_build_break(&inner, loop, &out.phi, 1);
    else
      kiln_build_yield(&inner, NULL, 0);
  }
  out.next = kiln_build2(&body, c->op, out.phi, kiln_const(fn, type, c->step));
  kiln_build_continue(&body, loop, &out.next, 1);
  return out;
}

static bool compares(enum kiln_op op, uint8_t x, uint8_t y) {
  int8_t sx = (int8_t)x, sy = (int8_t)y;
  return op == KILN_OP_SLT ? sx < sy : op == KILN_OP_SLE ? sx <= sy : op == KILN_OP_ULT ? x < y : x <= y;
}

static void run_count(const struct count *c, const struct counter *at, const struct kiln_range *ranges, uint8_t limit,
                      uint8_t next_of[256]) {
  kiln_type type = type_of(KILN_I8);
  char what[120];
  snprintf(what, sizeof what, "i = %d; %s i %s %d%s; i = i %s %d", (int8_t)c->first, c->leaves_if_true ? "not" : "",
           kiln_op_table[c->order].name, (int8_t)limit, c->swapped ? " swapped" : "", kiln_op_table[c->op].name,
           (int8_t)c->step);
  uint8_t i = c->first;
  for (unsigned round = 0; round <= 256; round++) {
    check_value(&ranges[at->phi], type, i, what);
    if (compares(c->order, c->swapped ? limit : i, c->swapped ? i : limit) == c->leaves_if_true) {
      check_value(&ranges[at->after], type, i, what);
      return;
    }
    i = next_of[i];
    check_value(&ranges[at->next], type, i, what);
  }
}

// All orders, starts and limits for one way to count.
static unsigned check_counts(enum kiln_op op, uint8_t step) {
  static const uint8_t ends[] = {0, 1, 2, 7, 8, 63, 64, 100, 126, 127, 128, 129, 200, 254, 255};
  enum { ENDS = sizeof ends };
  uint8_t next_of[256];
  unsigned known = 0;
  for (unsigned i = 0; i < 256; i++)
    next_of[i] = (uint8_t)compute(op, type_of(KILN_I8), type_of(KILN_I8), i, step);
  for (unsigned f = 0; f < ENDS; f++) {
    struct kiln_builder b;
    struct kiln_function *fn = new_function(&b, KILN_I8);
    struct kiln_arena arena;
    struct count counts[ENDS * 32];
    struct counter at[ENDS * 32];
    for (unsigned i = 0; i < ENDS * 32; i++) {
      counts[i] = (struct count){.first = ends[f],
                                 .limit = ends[i / 32],
                                 .op = op,
                                 .step = step,
                                 .order = (enum kiln_op)(KILN_OP_SLT + i % 4),
                                 .swapped = i & 4,
                                 .leaves_if_true = i & 8,
                                 .known_limit = i & 16};
      at[i] = build_count(&b, &counts[i]);
    }
    kiln_build_return(&b, 0);
    kiln_arena_init(&arena, NULL);
    const struct kiln_range *ranges = kiln_ranges_find(fn, false, &arena);
    for (unsigned i = 0; i < ENDS * 32; i++) {
      known += !is_full(&ranges[at[i].phi], type_of(KILN_I8));
      run_count(&counts[i], &at[i], ranges, counts[i].limit, next_of);
      for (unsigned x = 1; x < 256 && !counts[i].known_limit; x += 50) // limits that are smaller
        run_count(&counts[i], &at[i], ranges, counts[i].limit & x, next_of);
    }
    kiln_arena_free(&arena);
    kiln_module_free(fn->module);
  }
  return known;
}

Test(pass_ranges, counters, .timeout = 120) {
  static const uint8_t steps[] = {1, 2, 3, 7, 64, 100, 127, 128, 156, 253, 254, 255, 0};
  static const struct count others[] = {
      {.op = KILN_OP_SHL, .step = 1},    {.op = KILN_OP_SHL, .step = 3},  {.op = KILN_OP_SHL, .step = 9},
      {.op = KILN_OP_LSHR, .step = 1},   {.op = KILN_OP_ASHR, .step = 1}, {.op = KILN_OP_ISUB, .step = 1},
      {.op = KILN_OP_ISUB, .step = 5},   {.op = KILN_OP_SDIV, .step = 2}, {.op = KILN_OP_UDIV, .step = 3},
      {.op = KILN_OP_AND, .step = 0x5a}, {.op = KILN_OP_SREM, .step = 5}, {.op = KILN_OP_IMUL, .step = 2},
      {.op = KILN_OP_XOR, .step = 1}};
  unsigned known = 0, divided = 0;
  for (unsigned i = 0; i < sizeof steps; i++)
    known += check_counts(KILN_OP_IADD, steps[i]);
  for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
    divided += check_counts(others[i].op, others[i].step);
  cr_assert(known > 2000 && divided > 2000, "%u and %u ranges are narrower than their type", known, divided);
}
