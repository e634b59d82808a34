// Passes that move and remove accesses change nothing that memory holds in the end, and leave volatile and atomic
// accesses as they are: all programs of three accesses from a table, in straight lines, under conditions and in loops,
// run before and after each pass, with buffers that overlap in every way.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "jit/pass/pass.h"
#include "tests/support/run_ir.h"

enum { MEMORY = 256, P_AT = 64, OUT_AT = 192, VARIABLE_BYTES = 16, COPIED_BYTES = 8 };
enum place { P, Q, V, W, LOCAL, GENERIC_V, GENERIC_P, PLACES };
enum what { LOAD, STORE, COPY, ATOMIC, BARRIER };

// One access: at place + offset, + 4 * index if indexed.
struct access {
  enum what what;
  enum place place;
  int offset;
  enum kiln_kind kind;
  bool indexed, is_volatile;
  enum place to;  // of a copy of eight bytes
  unsigned lanes; // 0: one
};

static const struct access in_buffers[] = {
    {LOAD, P, 0, KILN_I32},
    {LOAD, P, 2, KILN_I16},
    {LOAD, Q, 0, KILN_I32},
    {LOAD, P, 0, KILN_F32},
    {LOAD, P, 0, KILN_I32, true},
    {LOAD, P, -4, KILN_I32, true},
    {LOAD, P, 0, KILN_I32, false, true},
    {STORE, P, 0, KILN_I32},
    {STORE, P, 2, KILN_I16},
    {STORE, P, 1, KILN_I8},
    {STORE, P, -4, KILN_I64},
    {STORE, Q, 0, KILN_I32},
    {STORE, P, 0, KILN_I32, true},
    {STORE, P, 0, KILN_I32, false, true},
    {ATOMIC, P, 0, KILN_I32},
    {BARRIER, P, 0, KILN_I32},
    {STORE, P, 8, KILN_I32},
    {LOAD, P, 8, KILN_I32},
};

static const struct access in_variables[] = {
    {LOAD, V, 0, KILN_I32},
    {LOAD, V, 2, KILN_I16},
    {LOAD, V, 0, KILN_F32},
    {LOAD, W, 4, KILN_I32},
    {LOAD, V, 0, KILN_I32, true},
    {LOAD, V, 0, KILN_I32, false, true},
    {LOAD, GENERIC_V, 0, KILN_I32},
    {STORE, V, 0, KILN_I32},
    {STORE, V, 2, KILN_I16},
    {STORE, V, 1, KILN_I8},
    {STORE, V, 0, KILN_I64},
    {STORE, W, 4, KILN_I32},
    {STORE, V, 0, KILN_I32, true},
    {STORE, V, 0, KILN_I32, false, true},
    {STORE, GENERIC_V, 0, KILN_I32},
    {COPY, V, 0, KILN_VOID, .to = W},
    {COPY, P, 0, KILN_VOID, .to = V},
    {COPY, W, 0, KILN_VOID, .to = P},
    {STORE, V, 4, KILN_I16, .lanes = 2},
    {STORE, V, 0, KILN_I32, .lanes = 4},
    {LOAD, V, 4, KILN_I16, .lanes = 2},
    {LOAD, V, 8, KILN_I32, .lanes = 2},
};

static const struct access in_spaces[] = {
    {LOAD, P, 0, KILN_I32},          {LOAD, LOCAL, 0, KILN_I32},     {LOAD, GENERIC_P, 0, KILN_I32},
    {STORE, P, 0, KILN_I32},         {STORE, LOCAL, 0, KILN_I32},    {STORE, GENERIC_P, 0, KILN_I32},
    {LOAD, V, 0, KILN_I32},          {LOAD, GENERIC_V, 0, KILN_I32}, {STORE, V, 0, KILN_I32},
    {STORE, GENERIC_V, 4, KILN_I32}, {BARRIER, P, 0, KILN_I32},
};

// ---- programs -------------------------------------------------------------------------------------------------------

enum structure { STRAIGHT, IN_ONE_ARM, IN_BOTH_ARMS, ONE_IN_LOOP, TWO_IN_LOOP, THREE_IN_LOOP, STRUCTURES };

struct program {
  struct kiln_module *module;
  struct kiln_function *fn;
  kiln_value places[PLACES], index, sum, count, condition;
  unsigned stores;    // so far, for values that differ
  enum kiln_op order; // of the test of a loop
};

static kiln_value i32(struct program *g, uint64_t n) { return kiln_const(g->fn, kiln_scalar_type(KILN_I32), n); }
static kiln_value i64(struct program *g, uint64_t n) { return kiln_const(g->fn, kiln_scalar_type(KILN_I64), n); }

static kiln_value address(struct program *g, struct kiln_builder *b, const struct access *a) {
  kiln_value pointer = g->places[a->place];
  if (a->indexed)
    pointer = kiln_build_padd(b, pointer, kiln_build1(b, KILN_OP_SEXT, kiln_scalar_type(KILN_I64), g->index), 4);
  return a->offset ? kiln_build_padd(b, pointer, i64(g, (uint64_t)(int64_t)a->offset), 1) : pointer;
}

// What is loaded counts in the sum, which the program stores at its end.
static void count(struct program *g, struct kiln_builder *b, kiln_value v) {
  kiln_type type = kiln_scalar_type(KILN_I32);
  enum kiln_kind kind = kiln_type_kind(kiln_value_type(g->fn, v));
  unsigned bytes = kiln_type_bytes(kiln_value_type(g->fn, v));
  if (kiln_type_lanes(kiln_value_type(g->fn, v)) > 1) {
    kind = bytes == 4 ? KILN_I32 : KILN_I64;
    v = kiln_build1(b, KILN_OP_BITCAST, kiln_scalar_type(kind), v);
  }
  if (kind == KILN_F32)
    v = kiln_build1(b, KILN_OP_BITCAST, type, v);
  else if (kind != KILN_I32)
    v = kiln_build1(b, kind == KILN_I64 ? KILN_OP_TRUNC : KILN_OP_ZEXT, type, v);
  g->sum = kiln_build2(b, KILN_OP_IADD, kiln_build2(b, KILN_OP_IMUL, g->sum, i32(g, 31)), v);
}

static kiln_value last_lane(struct program *g, struct kiln_builder *b, const struct access *a) {
  kiln_value v = kiln_build2(b, KILN_OP_XOR, g->index, g->sum);
  return a->kind == KILN_I32 ? v : kiln_build1(b, KILN_OP_TRUNC, kiln_scalar_type(a->kind), v);
}

static void add(struct program *g, struct kiln_builder *b, const struct access *a) {
  kiln_type type = kiln_vec_type(a->kind, a->lanes ? a->lanes : 1);
  uint32_t align = kiln_kind_bits(a->kind) / 8;
  uint16_t flags = a->is_volatile ? KILN_MEM_VOLATILE : 0;
  if (a->what == LOAD) {
    count(g, b, kiln_build_load(b, type, address(g, b, a), a->place == Q ? 1 : align, flags));
  } else if (a->what == STORE) {
    kiln_value value = kiln_const(g->fn, type, 0x8192a3b4c5d6e7f9u * ++g->stores & kiln_bits_mask(align * 8));
    if (a->lanes) // another one in the last lane
      value = kiln_build3(b, KILN_OP_INSERT, value, last_lane(g, b, a), i32(g, a->lanes - 1));
    else if (a->kind == KILN_I32) // another one in each iteration
      value = kiln_build2(b, KILN_OP_XOR, kiln_build2(b, KILN_OP_IADD, g->index, g->sum), value);
    kiln_build_store(b, address(g, b, a), value, a->place == Q || a->offset % 2 ? 1 : align < 4 ? align : 4, flags);
  } else if (a->what == COPY) {
    kiln_value operands[] = {g->places[a->to], g->places[a->place]};
    kiln_build(b, KILN_OP_COPY, 0, operands, 2, COPIED_BYTES, 4, 0);
  } else if (a->what == ATOMIC) {
    kiln_value operands[] = {address(g, b, a), i32(g, 7)};
    count(g, b,
          kiln_build(b, KILN_OP_ATOMIC_RMW, 0, operands, 2, kiln_atomic(KILN_RELAXED, KILN_SCOPE_DEVICE), 0,
                     KILN_RMW_ADD));
  } else {
    kiln_build(b, KILN_OP_BARRIER, 0, NULL, 0, 0, KILN_FENCE_GLOBAL, 0);
  }
}

static void add_if(struct program *g, struct kiln_builder *b, const struct access *yes, const struct access *no) {
  kiln_value node = kiln_build_if(b, g->condition), before = g->sum;
  kiln_value result = kiln_node_add_result(g->fn, node, kiln_scalar_type(KILN_I32));
  for (unsigned r = 0; r < 2; r++) {
    struct kiln_builder inner = kiln_builder_at_end(g->fn, kiln_node(g->fn, node)->region_first + r);
    g->sum = before;
    if (r ? no : yes)
      add(g, &inner, r ? no : yes);
    kiln_build_yield(&inner, &g->sum, 1);
  }
  g->sum = result;
}

// for (i = 0; i ORDER count; i++) …
static void add_loop(struct program *g, struct kiln_builder *b, const struct access *const *items, unsigned n) {
  kiln_value outer = g->index, initial[] = {i32(g, 0), g->sum}, loop = kiln_build_loop(b, initial, 2);
  kiln_value i = kiln_node(g->fn, loop)->header.items[0], sum = kiln_node(g->fn, loop)->header.items[1];
  kiln_value result = kiln_node_add_result(g->fn, loop, kiln_scalar_type(KILN_I32));
  struct kiln_builder body = kiln_builder_at_end(g->fn, kiln_node(g->fn, loop)->region_first);
  kiln_value test = kiln_build_if(&body, kiln_build2(&body, g->order, i, g->count));
  for (unsigned r = 0; r < 2; r++) {
    struct kiln_builder inner = kiln_builder_at_end(g->fn, kiln_node(g->fn, test)->region_first + r);
    if (r)
      kiln_build_break(&inner, loop, &sum, 1);
    else
      kiln_build_yield(&inner, NULL, 0);
  }
  g->sum = sum;
  g->index = i;
  for (unsigned k = 0; k < n; k++)
    add(g, &body, items[k]);
  kiln_build_continue(&body, loop, (kiln_value[]){kiln_build2(&body, KILN_OP_IADD, i, i32(g, 1)), g->sum}, 2);
  g->sum = result;
  g->index = outer;
}

// Variables begin with a known value, stored in parts of so many bytes.
static void begin_variables(struct program *g, struct kiln_builder *b, unsigned part) {
  static const enum kiln_kind kinds[] = {[2] = KILN_I16, [4] = KILN_I32, [8] = KILN_I64};
  for (unsigned place = V; place <= W; place++) {
    g->places[place] = kiln_build_var(b, VARIABLE_BYTES, 8, "");
    for (unsigned at = 0; at < VARIABLE_BYTES; at += part)
      kiln_build_store(b, kiln_build_padd(b, g->places[place], i64(g, at), 1),
                       kiln_const(g->fn, kiln_scalar_type(kinds[part]), 0x1234 + place * 16 + at), part, 0);
  }
}

static void make(struct program *g, const struct access *const items[3], enum structure structure, unsigned part,
                 enum kiln_op order) {
  kiln_type pointer = kiln_ptr_type(KILN_GLOBAL), number = kiln_scalar_type(KILN_I32);
  struct kiln_param params[] = {
      {.name = "p", .type_name = "int*", .type = pointer},   {.name = "q", .type_name = "int*", .type = pointer},
      {.name = "out", .type_name = "int*", .type = pointer}, {.name = "index", .type_name = "int", .type = number},
      {.name = "count", .type_name = "int", .type = number}, {.name = "which", .type_name = "int", .type = number}};
  g->module = kiln_module_new();
  g->fn = kiln_module_add_function(g->module, "k", true, kiln_scalar_type(KILN_VOID), params, 6);
  struct kiln_builder b = kiln_builder_at_end(g->fn, g->fn->body);
  struct kiln_global local = {.name = "l", .space = KILN_LOCAL, .size = VARIABLE_BYTES, .align = 8};
  kiln_module_add_global(g->module, &local);
  g->places[P] = g->fn->params[0].value;
  g->places[Q] = g->fn->params[1].value;
  g->places[LOCAL] = kiln_global_address(g->fn, 0);
  g->index = g->fn->params[3].value;
  g->count = g->fn->params[4].value;
  g->sum = i32(g, 1);
  g->order = order;
  begin_variables(g, &b, part);
  bool generic = false;
  for (unsigned i = 0; i < 3; i++)
    generic |= items[i]->place >= GENERIC_V;
  if (generic) { // else the variable would escape
    g->places[GENERIC_V] = kiln_build1(&b, KILN_OP_PCAST, kiln_ptr_type(KILN_GENERIC), g->places[V]);
    g->places[GENERIC_P] = kiln_build1(&b, KILN_OP_PCAST, kiln_ptr_type(KILN_GENERIC), g->places[P]);
  }
  g->condition = kiln_build2(&b, KILN_OP_NE, g->fn->params[5].value, i32(g, 0));
  if (structure == IN_BOTH_ARMS) {
    add_if(g, &b, items[0], items[1]);
    add(g, &b, items[2]);
  } else if (structure == THREE_IN_LOOP) {
    add_loop(g, &b, items, 3);
  } else {
    add(g, &b, items[0]);
    if (structure == IN_ONE_ARM)
      add_if(g, &b, items[1], NULL);
    else if (structure == STRAIGHT)
      add(g, &b, items[1]);
    else
      add_loop(g, &b, items + 1, structure == TWO_IN_LOOP ? 2 : 1);
    if (structure != TWO_IN_LOOP)
      add(g, &b, items[2]);
  }
  kiln_build_store(&b, g->fn->params[2].value, g->sum, 4, 0);
  kiln_build_return(&b, 0);
}

// ---- runs -----------------------------------------------------------------------------------------------------------

static const struct {
  int distance; // of q from p
  unsigned index, count, which;
} runs[] = {{0, 0, 2, 1}, {4, 1, 3, 0}, {2, 0, 1, 1}, {-4, 1, 0, 0}, {64, 0, 3, 1}};
enum { RUNS = sizeof runs / sizeof *runs };

struct outcome {
  unsigned char memory[MEMORY];
  uint64_t trace;
};

static void run_all(const struct program *g, struct run_ir *run, struct outcome out[RUNS], const char *what) {
  for (unsigned i = 0; i < RUNS; i++) {
    union kiln_lanes params[] = {{{RUN_IR_BASE + P_AT}},   {{RUN_IR_BASE + P_AT + (uint64_t)runs[i].distance}},
                                 {{RUN_IR_BASE + OUT_AT}}, {{runs[i].index}},
                                 {{runs[i].count}},        {{runs[i].which}}};
    for (unsigned k = 0; k < MEMORY; k++)
      out[i].memory[k] = (unsigned char)(k * 37 + 11);
    run->memory = out[i].memory;
    run->size = MEMORY;
    run->params = params;
    run->noalias = runs[i].distance == 64;
    bool ended = run_ir(g->fn, run);
    cr_assert(ended, "%s: %s", what, run->fault);
    out[i].trace = run->trace;
  }
}

static bool pipeline(struct kiln_module *module, bool all, char *message, size_t size) {
  struct kiln_caps caps = {.fp16 = true, .fp64 = true, .int64_atomics = true, .generic_space = true};
  struct kiln_options options = {.optimize = 2};
  if (all)
    caps.unroll = caps.scalar_replacement = caps.unroll_transpose = caps.scalarise = caps.widen = caps.narrow = true;
  return kiln_passes_run(module, &caps, &options, NULL, NULL, message, size) == KILN_OK;
}

enum pass { FORWARD, PROMOTE, SCALAR_REPLACEMENT, DCE, SPACES, PIPELINE, PASSES };

static void run_pass(struct program *g, enum pass pass, const char *what) {
  char message[512];
  if (pass == PROMOTE)
    kiln_pass_promote(g->fn);
  if (pass == SPACES)
    kiln_pass_spaces(g->fn);
  if (pass == FORWARD || pass == SCALAR_REPLACEMENT)
    kiln_pass_simplify(g->fn);
  if (pass == FORWARD)
    kiln_pass_forward(g->fn);
  if (pass == SCALAR_REPLACEMENT)
    kiln_pass_scalar_replacement(g->module);
  if (pass == PIPELINE)
    cr_assert(pipeline(g->module, true, message, sizeof message), "%s: %s", what, message);
  else
    kiln_pass_dce(g->fn);
  cr_assert(kiln_module_verify(g->module, message, sizeof message), "%s: %s", what, message);
}

static size_t describe(const struct access *a, char *out, size_t size) {
  static const char *const whats[] = {"load", "store", "copy", "atomic", "barrier"};
  static const char *const places[] = {"p", "q", "v", "w", "local", "(generic)v", "(generic)p"};
  return (size_t)snprintf(out, size, "%s%s %ux%u bits of %s%+d%s; ", a->is_volatile ? "volatile " : "", whats[a->what],
                          a->lanes ? a->lanes : 1, kiln_kind_bits(a->kind), places[a->place], a->offset,
                          a->indexed ? "[i]" : "");
}

static void check(const struct access *const items[3], enum structure structure, unsigned part, enum kiln_op order,
                  const enum pass *passes) {
  struct outcome before[RUNS], after[RUNS];
  char what[300];
  size_t used = (size_t)snprintf(what, sizeof what, "structure %d: ", structure);
  for (unsigned i = 0; i < 3; i++)
    used += describe(items[i], what + used, sizeof what - used);
  struct program g = {0};
  struct run_ir run = {0};
  make(&g, items, structure, part, order);
  run_all(&g, &run, before, what);
  for (; *passes != PASSES; passes++) {
    if (g.module == NULL) {
      g = (struct program){0};
      make(&g, items, structure, part, order);
    }
    run_pass(&g, *passes, what);
    run_all(&g, &run, after, what);
    for (unsigned i = 0; i < RUNS; i++) {
      cr_assert_eq(memcmp(before[i].memory, after[i].memory, MEMORY), 0, "%spass %d, run %u: memory differs", what,
                   *passes, i);
      cr_assert_eq(before[i].trace, after[i].trace, "%spass %d, run %u: other volatile accesses", what, *passes, i);
    }
    kiln_module_free(g.module);
    g.module = NULL;
  }
  run_ir_free(&run);
}

// Every step-th program of three rows of a table, in each structure.
static void check_all(const struct access *table, unsigned size, unsigned step, const enum pass *passes) {
  for (unsigned i = 0; i < size * size * size * STRUCTURES; i += step) {
    unsigned k = i / STRUCTURES;
    const struct access *items[] = {&table[k % size], &table[k / size % size], &table[k / size / size]};
    check(items, (enum structure)(i % STRUCTURES), 2u << i / 7 % 3, (enum kiln_op)(KILN_OP_SLT + i / 11 % 4), passes);
  }
}

#define ROWS(table) table, sizeof table / sizeof *table

Test(pass_memory, buffers, .timeout = 120) {
  check_all(ROWS(in_buffers), 5, (enum pass[]){FORWARD, SCALAR_REPLACEMENT, PASSES});
}
Test(pass_memory, variables, .timeout = 120) { check_all(ROWS(in_variables), 5, (enum pass[]){PROMOTE, DCE, PASSES}); }
Test(pass_memory, spaces, .timeout = 120) { check_all(ROWS(in_spaces), 1, (enum pass[]){SPACES, FORWARD, PASSES}); }
Test(pass_memory, all_passes, .timeout = 120) {
  check_all(ROWS(in_buffers), 11, (enum pass[]){PIPELINE, PASSES});
  check_all(ROWS(in_variables), 23, (enum pass[]){PIPELINE, PASSES});
}
