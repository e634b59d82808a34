// Passes over control flow change nothing that a function does: made-up functions of nested loops, branches, switches
// and early exits, all of which end, run before and after each pass.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "jit/pass/pass.h"
#include "tests/support/run_ir.h"

enum { MAX_VALUES = 200, MAX_DEPTH = 5, MEMORY = 160, WORDS = 16, OUT_AT = 128 };

struct target { // an enclosing node
  kiln_value node;
  kiln_value counter; // of a loop; what a continue gives it, less its step
  int step;
};

struct generator {
  struct kiln_module *module;
  struct kiln_function *fn;
  uint64_t state;
  kiln_value values[MAX_VALUES]; // i32, visible here
  kiln_value variables[2];
  unsigned count, budget, target_count;
  struct target targets[MAX_DEPTH + 1];
};

static unsigned pick(struct generator *g, unsigned count) {
  g->state = g->state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(g->state >> 33) % count;
}

static kiln_value number(struct generator *g, int n) {
  return kiln_const(g->fn, kiln_scalar_type(KILN_I32), (uint32_t)n);
}

static kiln_value some(struct generator *g) {
  return pick(g, 5) ? g->values[pick(g, g->count)] : number(g, (int)pick(g, 7) - 2);
}

static kiln_value condition(struct generator *g, struct kiln_builder *b) {
  kiln_value masked = kiln_build2(b, KILN_OP_AND, some(g), number(g, 3));
  kiln_value c = kiln_build2(b, (enum kiln_op)(KILN_OP_EQ + pick(g, 6)), masked, number(g, (int)pick(g, 4)));
  if (pick(g, 8) == 0)
    return kiln_const(g->fn, kiln_scalar_type(KILN_BOOL), pick(g, 2));
  return pick(g, 4) ? c : kiln_build1(b, KILN_OP_BNOT, 0, c);
}

static kiln_value element(struct generator *g, struct kiln_builder *b) {
  kiln_value index = kiln_build2(b, KILN_OP_AND, some(g), number(g, WORDS - 1));
  return kiln_build_padd(b, g->fn->params[0].value, kiln_build1(b, KILN_OP_ZEXT, kiln_scalar_type(KILN_I64), index), 4);
}

static void operation(struct generator *g, struct kiln_builder *b) {
  static const enum kiln_op ops[] = {KILN_OP_IADD, KILN_OP_ISUB, KILN_OP_IMUL, KILN_OP_XOR, KILN_OP_AND, KILN_OP_SMIN};
  kiln_value v, x = some(g), y = some(g);
  switch (pick(g, 9)) {
  case 0:
    kiln_build_store(b, element(g, b), x, 4, 0);
    return;
  case 1:
    v = kiln_build_load(b, kiln_scalar_type(KILN_I32), element(g, b), 4, 0);
    break;
  case 2:
    kiln_build_store(b, g->variables[pick(g, 2)], x, 4, 0);
    return;
  case 3:
    v = kiln_build_load(b, kiln_scalar_type(KILN_I32), g->variables[pick(g, 2)], 4, 0);
    break;
  case 4:
    v = kiln_build3(b, KILN_OP_SELECT, condition(g, b), x, y);
    break;
  default:
    v = kiln_build2(b, ops[pick(g, 6)], x, y);
    break;
  }
  g->values[g->count++] = v;
}

static kiln_value stepped(struct generator *g, struct kiln_builder *b, const struct target *t) {
  return kiln_build2(b, KILN_OP_IADD, t->counter, number(g, t->step));
}

// To the end of the region's own node, or out of an enclosing one, or on to the next iteration.
static void jump(struct generator *g, uint32_t region, bool leaves) {
  struct kiln_builder b = kiln_builder_at_end(g->fn, region);
  kiln_value owner = g->fn->regions[region].owner, values[8];
  for (unsigned i = 0; i < 8; i++)
    values[i] = some(g);
  const struct target *t = &g->targets[pick(g, g->target_count)];
  const struct kiln_node *node = kiln_node(g->fn, t->node);
  unsigned op = g->fn->insts[t->node].op;
  if (leaves && op == KILN_OP_LOOP && pick(g, 2)) {
    values[0] = stepped(g, &b, t);
    if (pick(g, 3) == 0)
      values[1] = node->header.items[node->header.count > 1]; // often one that stays
    kiln_build_continue(&b, t->node, values, node->header.count);
  } else if (leaves && op != KILN_OP_IF) {
    kiln_build_break(&b, t->node, values, node->results.count);
  } else {
    kiln_build_yield(&b, values, kiln_node(g->fn, owner)->results.count);
  }
}

static void fill(struct generator *g, uint32_t region, unsigned depth);

static void add_results(struct generator *g, kiln_value node) {
  for (unsigned i = pick(g, 3); i > 0; i--)
    kiln_node_add_result(g->fn, node, kiln_scalar_type(KILN_I32));
}

// for (i = first; i ORDER limit; i += step), of at most eight iterations, tested before or after the body.
static void loop(struct generator *g, struct kiln_builder *b, unsigned depth) {
  static const int steps[] = {1, 2, 3, -1, -2};
  int step = steps[pick(g, 5)], first = (int)pick(g, 4) - 1, range = (int)pick(g, 8);
  kiln_value limit = number(g, first + (step < 0 ? -range : range)), initial[] = {number(g, first), some(g), some(g)};
  if (pick(g, 3) == 0) { // not known
    kiln_value bits = kiln_build2(b, KILN_OP_AND, some(g), number(g, 7));
    limit = kiln_build2(b, step < 0 ? KILN_OP_ISUB : KILN_OP_IADD, initial[0], bits);
  }
  kiln_value node = kiln_build_loop(b, initial, 1 + pick(g, 3));
  add_results(g, node);
  uint32_t body = kiln_node(g->fn, node)->region_first;
  struct target *t = &g->targets[g->target_count++];
  *t = (struct target){node, kiln_node(g->fn, node)->header.items[0], step};
  unsigned count = g->count;
  for (uint32_t i = 0; i < kiln_node(g->fn, node)->header.count; i++)
    g->values[g->count++] = kiln_node(g->fn, node)->header.items[i];
  struct kiln_builder in = kiln_builder_at_end(g->fn, body);
  if (pick(g, 2))
    operation(g, &in);
  enum kiln_op order = pick(g, 2) ? KILN_OP_SLT : KILN_OP_SLE;
  bool leaves_if_true = pick(g, 2);
  kiln_value x = step < 0 ? limit : t->counter, y = step < 0 ? t->counter : limit;
  kiln_value test = leaves_if_true ? kiln_build2(&in, order, y, x) : kiln_build2(&in, order, x, y);
  kiln_value branch = kiln_build_if(&in, test);
  kiln_value values[8] = {t->counter, some(g), some(g), some(g)};
  for (unsigned r = 0; r < 2; r++) {
    struct kiln_builder side = kiln_builder_at_end(g->fn, kiln_node(g->fn, branch)->region_first + r);
    if (r == !leaves_if_true)
      kiln_build_break(&side, node, values, kiln_node(g->fn, node)->results.count);
    else
      kiln_build_yield(&side, NULL, 0);
  }
  fill(g, body, depth + 1);
  in = kiln_builder_at_end(g->fn, body);
  kiln_value next[] = {stepped(g, &in, t), some(g), pick(g, 3) ? some(g) : initial[2]};
  kiln_build_continue(&in, node, next, kiln_node(g->fn, node)->header.count);
  g->count = count;
  g->target_count--;
  for (uint32_t i = 0; i < kiln_node(g->fn, node)->results.count; i++)
    g->values[g->count++] = kiln_node(g->fn, node)->results.items[i];
}

// A block, if or switch, whose regions end by jumps to anywhere.
static void branch(struct generator *g, struct kiln_builder *b, unsigned depth) {
  static const int64_t cases[] = {1, -1, -128, 0};
  kiln_value node, byte;
  switch (pick(g, 4)) {
  case 0:
    node = kiln_build_block(b);
    break;
  case 1:
    byte = kiln_build1(b, KILN_OP_TRUNC, kiln_scalar_type(KILN_I8),
                       pick(g, 4) ? some(g) : number(g, (int)pick(g, 2) * 128 + 127));
    node = kiln_build_switch(b, byte, cases, pick(g, 5));
    break;
  default:
    node = kiln_build_if(b, condition(g, b));
    break;
  }
  add_results(g, node);
  g->targets[g->target_count++] = (struct target){.node = node};
  unsigned count = g->count;
  for (uint32_t r = 0; r < kiln_node(g->fn, node)->region_count; r++) {
    if (pick(g, 3))
      fill(g, kiln_node(g->fn, node)->region_first + r, depth + 1);
    jump(g, kiln_node(g->fn, node)->region_first + r, pick(g, 3) == 0);
    g->count = count;
  }
  g->target_count--;
  for (uint32_t i = 0; i < kiln_node(g->fn, node)->results.count; i++)
    g->values[g->count++] = kiln_node(g->fn, node)->results.items[i];
}

static void fill(struct generator *g, uint32_t region, unsigned depth) {
  for (unsigned i = 1 + pick(g, 4); i > 0 && g->budget > 0; i--) {
    struct kiln_builder b = kiln_builder_at_end(g->fn, region);
    if (g->count + 16 > MAX_VALUES)
      return;
    g->budget--;
    unsigned what = depth < MAX_DEPTH ? pick(g, 5) : 4;
    if (what == 0)
      loop(g, &b, depth);
    else if (what == 1)
      branch(g, &b, depth);
    else
      operation(g, &b);
  }
}

static void make(struct generator *g, unsigned seed) {
  kiln_type i32 = kiln_scalar_type(KILN_I32);
  struct kiln_param params[] = {{.name = "p", .type_name = "int*", .type = kiln_ptr_type(KILN_GLOBAL)},
                                {.name = "x", .type_name = "int", .type = i32},
                                {.name = "y", .type_name = "int", .type = i32}};
  *g = (struct generator){.state = seed * 2654435761u + 1, .budget = 40};
  g->module = kiln_module_new();
  g->fn = kiln_module_add_function(g->module, "k", true, kiln_scalar_type(KILN_VOID), params, 3);
  struct kiln_builder b = kiln_builder_at_end(g->fn, g->fn->body);
  for (unsigned i = 0; i < 2; i++) {
    g->values[g->count++] = g->fn->params[1 + i].value;
    g->variables[i] = kiln_build_var(&b, 4, 4, "");
    kiln_build_store(&b, g->variables[i], number(g, (int)i), 4, 0);
  }
  while (g->budget)
    fill(g, g->fn->body, 0);
  b = kiln_builder_at_end(g->fn, g->fn->body);
  kiln_value sum = number(g, 0);
  for (unsigned i = 0; i < g->count; i++)
    sum = kiln_build2(&b, KILN_OP_IADD, kiln_build2(&b, KILN_OP_IMUL, sum, number(g, 3)), g->values[i]);
  kiln_value at = kiln_const(g->fn, kiln_scalar_type(KILN_I64), OUT_AT);
  kiln_build_store(&b, kiln_build_padd(&b, g->fn->params[0].value, at, 1), sum, 4, 0);
  kiln_build_return(&b, 0);
}

// ---- runs -----------------------------------------------------------------------------------------------------------

enum { RUNS = 4 };

static void run_all(const struct generator *g, unsigned char memory[RUNS][MEMORY], const char *what) {
  static const int arguments[RUNS][2] = {{0, 1}, {-1, 2}, {5, 127}, {-128, 3}};
  struct run_ir run = {.size = MEMORY};
  for (unsigned i = 0; i < RUNS; i++) {
    union kiln_lanes params[] = {{{RUN_IR_BASE}}, {{(uint32_t)arguments[i][0]}}, {{(uint32_t)arguments[i][1]}}};
    for (unsigned k = 0; k < MEMORY; k++)
      memory[i][k] = (unsigned char)(k * 7 + i);
    run.memory = memory[i];
    run.params = params;
    bool ended = run_ir(g->fn, &run);
    cr_assert(ended, "%s: %s", what, run.fault);
  }
  run_ir_free(&run);
}

static bool structure_flat(struct kiln_function *fn) {
  bool changed = kiln_pass_promote(fn);
  changed |= kiln_pass_structure(fn);
  return changed;
}

static bool unroll_promoted(struct kiln_function *fn) {
  kiln_pass_promote(fn);
  kiln_pass_simplify(fn);
  return kiln_pass_unroll(fn);
}

static bool simplify_twice(struct kiln_function *fn) {
  kiln_pass_promote(fn);
  bool changed = kiln_pass_simplify(fn);
  return kiln_pass_simplify(fn) || changed;
}

static bool pipeline(struct kiln_function *fn) {
  char message[300];
  struct kiln_caps caps = {.fp64 = true,
                           .unroll = true,
                           .scalar_replacement = true,
                           .unroll_transpose = true,
                           .scalarise = true,
                           .widen = true,
                           .narrow = true,
                           .small_masks = 8};
  struct kiln_options options = {.optimize = 2};
  cr_assert_eq(kiln_passes_run(fn->module, &caps, &options, NULL, NULL, message, sizeof message), KILN_OK, "%s",
               message);
  return true;
}

static const struct {
  const char *name;
  bool (*run)(struct kiln_function *fn);
  unsigned every; // of how many functions one
} passes[] = {{"simplify", kiln_pass_simplify, 1}, {"dce", kiln_pass_dce, 2},
              {"promote", kiln_pass_promote, 1},   {"structure", kiln_pass_structure, 1},
              {"structure", structure_flat, 1},    {"forward", kiln_pass_forward, 2},
              {"unroll", kiln_pass_unroll, 1},     {"unroll", unroll_promoted, 1},
              {"simplify", simplify_twice, 1},     {"pipeline", pipeline, 4}};
enum { PASSES = sizeof passes / sizeof *passes };

Test(pass_flow, made_up_functions, .timeout = 120) {
  static unsigned char before[RUNS][MEMORY], after[RUNS][MEMORY];
  unsigned changed[PASSES] = {0};
  for (unsigned seed = 0; seed < 1200; seed++)
    for (unsigned p = 0; p < PASSES; p++) {
      struct generator g;
      char what[64], message[512];
      if (p && seed % passes[p].every)
        continue;
      make(&g, seed);
      snprintf(what, sizeof what, "%s of function %u", passes[p].name, seed);
      if (p == 0) {
        cr_assert(kiln_module_verify(g.module, message, sizeof message), "%s: %s", what, message);
        run_all(&g, before, what);
      }
      changed[p] += passes[p].run(g.fn);
      cr_assert(kiln_module_verify(g.module, message, sizeof message), "%s: %s", what, message);
      run_all(&g, after, what);
      cr_assert_eq(memcmp(before, after, sizeof after), 0, "%s: memory differs", what);
      kiln_module_free(g.module);
    }
  for (unsigned p = 0; p < PASSES; p++)
    cr_assert_gt(changed[p], 100, "%s has changed %u functions", passes[p].name, changed[p]);
}
