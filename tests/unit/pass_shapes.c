// What the analysis of shapes claims, checked against what happens: runs kernels lane by lane over a memory that is
// made up from addresses, and compares each value with that of the other lanes at the same round of every loop, which
// is where a warp executes them together.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "jit/ir/internal.h"
#include "jit/lang/lang.h"
#include "jit/pass/pass.h"
#include "jit/pass/unit_strides.h"
#include "tests/support/part.h"
#include "tests/support/walk.h"

enum { LANES = 8, SLOTS = 1 << 14, MAX_STEPS = 1500 };

struct slot {
  unsigned lane;
  union kiln_lanes value;
};

struct machine {
  const char *what;
  struct kiln_function *fn;
  union kiln_lanes *values; // by value, of the lane at hand
  uint64_t seed, path, vars;
  unsigned lane, steps;
  uint64_t *keys; // of the slots; 0: free
  struct slot *slots;
  uint32_t used;
  unsigned long uniform, linear, varying; // values that were compared
  bool clamps;                            // minima or maxima are among the instructions
  struct kiln_unit_strides strides;
  bool units; // the strides are their units in this warp
};

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  return x ^ x >> 32;
}

static void check(struct machine *m, kiln_value id, const struct slot *first, const union kiln_lanes *value) {
  const struct kiln_shape *shape = &m->fn->shapes[id];
  kiln_type type = m->fn->insts[id].type;
  uint64_t mask = kiln_bits_mask(kiln_kind_bits(kiln_type_kind(type)));
  uint64_t distance = (uint64_t)m->lane - first->lane, stride = 0;
  switch ((enum kiln_shape_kind)shape->kind) {
  case KILN_SHAPE_VARYING:
    m->varying++;
    return;
  case KILN_SHAPE_UNIFORM:
    m->uniform++;
    break;
  case KILN_SHAPE_LINEAR:
    m->linear++;
    stride = (uint64_t)shape->stride;
    if (shape->guarded)
      // That much of an extension holds without its guard; of a minimum, and of a stride that is not its unit, nothing.
      mask = m->clamps || (m->strides.any && !m->units) ? 0 : 0xff;
    break;
  }
  for (unsigned i = 0; i < kiln_type_lanes(type); i++)
    cr_assert_eq((value->bits[i] - first->value.bits[i] - distance * stride) & mask, 0,
                 "%s: %s: value %u (%s): lane %u has 0x%llx, lane %u has 0x%llx", m->what, m->fn->name, id,
                 kiln_op_table[m->fn->insts[id].op].name, first->lane, (unsigned long long)first->value.bits[i],
                 m->lane, (unsigned long long)value->bits[i]);
}

static void record(struct machine *m, kiln_value id) {
  uint64_t key = mix(mix(m->path) + id) | 1;
  uint32_t at = (uint32_t)(key >> 20) % SLOTS;
  while (m->keys[at] && m->keys[at] != key)
    at = (at + 1) % SLOTS;
  if (m->keys[at]) {
    check(m, id, &m->slots[at], &m->values[id]);
  } else if (m->used < SLOTS / 2) {
    m->used++;
    m->keys[at] = key;
    m->slots[at] = (struct slot){m->lane, m->values[id]};
  }
}

static const union kiln_lanes *value_of(struct machine *m, kiln_value id) {
  const struct kiln_inst *inst = &m->fn->insts[id];
  union kiln_lanes *out = &m->values[id];
  if (kiln_type_lanes(inst->type) == 1 && inst->op == KILN_OP_CONST)
    out->bits[0] = inst->imm;
  else if (inst->op == KILN_OP_CONST_VEC)
    for (unsigned i = 0; i < inst->operand_count; i++)
      out->bits[i] = value_of(m, kiln_operands(m->fn, id)[i])->bits[0];
  else if (inst->op == KILN_OP_GLOBAL)
    out->bits[0] = 0x2000000 + inst->imm * 65536;
  else if (inst->op == KILN_OP_PARAM)
    for (unsigned i = 0; i < kiln_type_lanes(inst->type); i++)
      out->bits[i] =
          kiln_type_kind(inst->type) == KILN_PTR ? 65536 * (inst->imm + 1) : mix(m->seed + inst->imm * 16 + i) % 20;
  return out;
}

// Small integers, so that loops end and conditions differ.
static void make_up(struct machine *m, kiln_value id, uint64_t seed) {
  kiln_type type = m->fn->insts[id].type;
  for (unsigned i = 0; i < kiln_type_lanes(type); i++) {
    uint64_t bits = mix(mix(seed + m->seed) + i);
    m->values[id].bits[i] = kiln_kind_is_float(kiln_type_kind(type))
                                ? kiln_float_round(kiln_type_kind(type), (double)(bits % 100) / 8, KILN_ROUND_EVEN)
                                : bits % 13 & kiln_bits_mask(kiln_kind_bits(kiln_type_kind(type)));
  }
}

static uint64_t query(const struct machine *m, unsigned op, uint64_t dimension) {
  if (op == KILN_OP_GLOBAL_ID)
    return dimension == 0 ? 13 + m->lane : 3 + dimension;
  if (op == KILN_OP_LOCAL_ID)
    return dimension == 0 ? 5 + m->lane : dimension;
  return 16 + op % 3 + dimension;
}

static void execute(struct machine *m, kiln_value id) {
  struct kiln_function *fn = m->fn;
  const struct kiln_inst *inst = &fn->insts[id];
  const union kiln_lanes *operands[16];
  kiln_type types[16];
  for (uint32_t i = 0; i < inst->operand_count && i < 16; i++) {
    operands[i] = value_of(m, kiln_operands(fn, id)[i]);
    types[i] = fn->insts[kiln_operands(fn, id)[i]].type;
  }
  if (kiln_type_kind(inst->type) == KILN_VOID)
    return;
  if (m->units && m->strides.sides[id])
    m->values[id].bits[0] =
        value_of(m, kiln_unit_product(fn, &m->strides, id))->bits[0] * kiln_unit_of_product(fn, &m->strides, id);
  else if (inst->op == KILN_OP_VAR)
    m->values[id].bits[0] = ((uint64_t)m->lane + 1) << 40 | m->vars++ << 20;
  else if (kiln_op_table[inst->op].effect == KILN_EFFECT_ITEM)
    m->values[id].bits[0] = query(m, inst->op, inst->imm);
  else if (inst->op == KILN_OP_PCAST)
    m->values[id].bits[0] = operands[0]->bits[0];
  else if (inst->op == KILN_OP_LOAD || inst->op == KILN_OP_PSPACE)
    make_up(m, id, operands[0]->bits[0]);
  else if (kiln_op_table[inst->op].effect != KILN_EFFECT_PURE)
    make_up(m, id, mix(m->lane + 100) + m->steps);
  else if (!kiln_eval((enum kiln_op)inst->op, inst->type, inst->imm, inst->flags,
                      inst->op == KILN_OP_SHUFFLE ? fn->shuffles[inst->node] : NULL, types, operands,
                      inst->operand_count, &m->values[id]))
    make_up(m, id, operands[0]->bits[0]);
  record(m, id);
}

// The values of a jump become those of phis.
static void give(struct machine *m, kiln_value from, const struct kiln_value_list *phis) {
  union kiln_lanes *copy = malloc((phis->count + 1) * sizeof *copy);
  for (uint32_t i = 0; i < phis->count; i++)
    copy[i] = *value_of(m, kiln_operands(m->fn, from)[i]);
  for (uint32_t i = 0; i < phis->count; i++) {
    m->values[phis->items[i]] = copy[i];
    record(m, phis->items[i]);
  }
  free(copy);
}

static kiln_value run_region(struct machine *m, uint32_t region);

// The jump that left the region, and goes beyond the node; 0: on behind the node.
static kiln_value run_loop(struct machine *m, kiln_value id, bool *stopped) {
  const struct kiln_node *node = kiln_node(m->fn, id);
  uint64_t path = m->path;
  kiln_value from = id;
  for (uint64_t round = 1;; round++) {
    m->path = mix(path + id * 1000003ul) + round;
    give(m, from, &node->header);
    from = run_region(m, node->region_first);
    *stopped = from == 0;
    if (*stopped || m->fn->insts[from].op != KILN_OP_CONTINUE || m->fn->insts[from].imm != id)
      break;
  }
  m->path = path;
  return from;
}

static uint32_t chosen_region(struct machine *m, kiln_value id) {
  const struct kiln_inst *inst = &m->fn->insts[id];
  const struct kiln_node *node = kiln_node(m->fn, id);
  uint64_t bits = inst->operand_count ? value_of(m, kiln_operands(m->fn, id)[0])->bits[0] : 0;
  if (inst->op == KILN_OP_IF)
    return node->region_first + !(bits & 1);
  for (uint32_t i = 1; i < node->region_count; i++)
    if (((uint64_t)node->cases[i - 1] ^ bits)
            << (64 - kiln_kind_bits(kiln_type_kind(m->fn->insts[kiln_operands(m->fn, id)[0]].type))) ==
        0)
      return node->region_first + i;
  return node->region_first;
}

static kiln_value run_node(struct machine *m, kiln_value id, bool *stopped) {
  kiln_value jump;
  if (m->fn->insts[id].op == KILN_OP_LOOP) {
    jump = run_loop(m, id, stopped);
  } else {
    jump = run_region(m, chosen_region(m, id));
    *stopped = jump == 0;
  }
  if (*stopped)
    return 0;
  unsigned op = m->fn->insts[jump].op;
  bool here = (op == KILN_OP_BREAK && m->fn->insts[jump].imm == id) ||
              (op == KILN_OP_YIELD && m->fn->regions[m->fn->insts[jump].region].owner == id);
  if (!here)
    return jump;
  give(m, jump, &kiln_node(m->fn, id)->results);
  return 0;
}

static kiln_value run_region(struct machine *m, uint32_t region) {
  for (kiln_value id = m->fn->regions[region].first; id; id = m->fn->insts[id].next) {
    if (++m->steps > MAX_STEPS || m->fn->insts[id].op == KILN_OP_UNREACHABLE)
      return 0;
    if (kiln_op_is_jump(m->fn->insts[id].op))
      return id;
    if (!kiln_op_is_node(m->fn->insts[id].op)) {
      execute(m, id);
      continue;
    }
    bool stopped = false;
    kiln_value jump = run_node(m, id, &stopped);
    if (jump || stopped)
      return jump;
  }
  return 0;
}

static void run_function(struct machine *m, struct kiln_function *fn, unsigned warps) {
  m->fn = fn;
  struct kiln_arena arena;
  kiln_arena_init(&arena, NULL);
  m->strides = kiln_unit_strides_find(fn, &arena);
  m->clamps = false;
  for (kiln_value id = 1; id < fn->inst_count; id++)
    m->clamps |= fn->insts[id].op >= KILN_OP_SMIN && fn->insts[id].op <= KILN_OP_UMAX;
  m->values = calloc(fn->inst_count, sizeof *m->values);
  m->keys = malloc(SLOTS * sizeof *m->keys);
  m->slots = malloc(SLOTS * sizeof *m->slots);
  for (unsigned warp = 0; warp < warps; warp++) {
    memset(m->keys, 0, SLOTS * sizeof *m->keys);
    m->used = 0;
    m->seed = mix(warp + 77);
    m->units = m->strides.any && warp % 2;
    for (unsigned k = 0; k < LANES; k++) {
      m->lane = (k * 5 + 2) % LANES; // any of them may be the first
      m->steps = 0;
      m->vars = 1;
      m->path = 1;
      run_region(m, fn->body);
    }
  }
  free(m->keys);
  free(m->slots);
  free(m->values);
  kiln_arena_free(&arena);
}

// ---- kernels from source --------------------------------------------------------------------------------------------

static bool compile(const char *path, struct kiln_module **out) {
  char *text;
  size_t size;
  if (kiln_file_read(path, &text, &size) != 0)
    return false;
  struct kiln_lang_input input = {.source = text, .size = size, .name = path};
  input.options =
      (struct kiln_lang_options){.std = 200, .fp16 = true, .fp64 = true, .int64_atomics = true, .generic_space = true};
  struct kiln_lang_output output;
  enum kiln_status status = kiln_lang_compile(&input, &output);
  *out = output.module;
  kiln_lang_output_free(&output);
  free(text);
  return status == KILN_OK;
}

struct walk {
  struct machine *m;
  unsigned files, kernels;
};

static void check_file(void *user, const char *path, const char *name) {
  struct walk *w = user;
  unsigned i = w->files++;
  char message[512];
  struct kiln_module *module;
  struct kiln_caps caps = {.fma = true, .fp16 = true, .fp64 = true, .analyse = true, .scalarise = i % 2};
  struct kiln_options options = {.optimize = i % 3 ? 2 : 0};
  w->m->what = name;
  if (!strstr(name, ".cl") || !compile(path, &module))
    return;
  enum kiln_status status = kiln_passes_run(module, &caps, &options, NULL, NULL, message, sizeof message);
  cr_assert_eq(status, KILN_OK, "%s: %s", name, message);
  for (uint32_t f = 0; f < module->function_count; f++)
    if (module->functions[f]->is_kernel) {
      run_function(w->m, module->functions[f], 3);
      w->kernels++;
    }
  kiln_module_free(module);
}

Test(pass_shapes, execution_cases, .timeout = 120) {
  struct machine m = {0};
  struct walk w = {.m = &m};
  walk_files(KILN_SOURCE_DIR "/tests/exec", check_file, &w);
  walk_files(KILN_SOURCE_DIR "/bench/kernels", check_file, &w);
  cr_assert_geq(w.kernels, 150, "%u kernels", w.kernels);
  cr_assert(m.uniform > 20000 && m.linear > 20000 && m.varying > 20000, "%lu uniform, %lu linear, %lu varying",
            m.uniform, m.linear, m.varying);
}

// ---- made-up control flow -------------------------------------------------------------------------------------------

enum { MAX_VALUES = 400, MAX_TARGETS = 8 };

struct generator {
  struct kiln_function *fn;
  uint64_t state;
  kiln_value values[MAX_VALUES]; // i64, visible here
  unsigned count, budget;
  kiln_value targets[MAX_TARGETS]; // enclosing nodes
  unsigned target_count;
};

static unsigned pick(struct generator *g, unsigned count) {
  g->state = g->state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(g->state >> 33) % count;
}

// Ids and counters of loops decide most.
static kiln_value some(struct generator *g) {
  kiln_type i64 = kiln_scalar_type(KILN_I64);
  kiln_value around = g->target_count ? g->targets[pick(g, g->target_count)] : 0;
  if (around && kiln_node(g->fn, around)->header.count && pick(g, 2))
    return kiln_node(g->fn, around)->header.items[0];
  if (pick(g, 6) == 0)
    return g->values[0];
  unsigned at = pick(g, g->count + 3);
  return at < g->count ? g->values[at] : kiln_const(g->fn, i64, at - g->count);
}

static kiln_value condition(struct generator *g, struct kiln_builder *b) {
  kiln_value masked = kiln_build2(b, KILN_OP_AND, some(g), kiln_const(g->fn, kiln_scalar_type(KILN_I64), 3));
  return kiln_build2(b, pick(g, 2) ? KILN_OP_EQ : KILN_OP_ULT, masked,
                     kiln_const(g->fn, kiln_scalar_type(KILN_I64), 1 + pick(g, 2)));
}

static kiln_value operation(struct generator *g, struct kiln_builder *b) {
  kiln_type i64 = kiln_scalar_type(KILN_I64), narrow = kiln_scalar_type(pick(g, 2) ? KILN_I32 : KILN_I8);
  kiln_value x = some(g), y = some(g);
  switch (pick(g, 9)) {
  case 0:
    return kiln_build2(b, KILN_OP_ISUB, x, y);
  case 1:
    return kiln_build2(b, KILN_OP_IMUL, x, kiln_const(g->fn, i64, pick(g, 5)));
  case 2:
    return kiln_build2(b, KILN_OP_SHL, x, kiln_const(g->fn, i64, pick(g, 4)));
  case 3:
    return kiln_build2(b, KILN_OP_XOR, x, y);
  case 4:
    return kiln_build1(b, pick(g, 2) ? KILN_OP_ZEXT : KILN_OP_SEXT, i64, kiln_build1(b, KILN_OP_TRUNC, narrow, x));
  case 5:
    return kiln_build_load(b, i64, kiln_build_padd(b, g->fn->params[0].value, x, 8), 8, 0);
  case 6:
    return kiln_build3(b, KILN_OP_SELECT, condition(g, b), x, y);
  default:
    return kiln_build2(b, KILN_OP_IADD, x, y);
  }
}

static void jump(struct generator *g, uint32_t region) {
  struct kiln_builder b = kiln_builder_at_end(g->fn, region);
  kiln_type i64 = kiln_scalar_type(KILN_I64);
  kiln_value owner = g->fn->regions[region].owner, values[8];
  for (unsigned i = 0; i < 8; i++)
    values[i] = some(g);
  for (;;) {
    if (g->fn->insts[owner].op != KILN_OP_LOOP && pick(g, 4)) {
      kiln_build_yield(&b, values, kiln_node(g->fn, owner)->results.count);
      return;
    }
    kiln_value target = g->targets[pick(g, g->target_count)];
    const struct kiln_node *node = kiln_node(g->fn, target);
    if (g->fn->insts[target].op == KILN_OP_LOOP && pick(g, 2)) {
      if (node->header.count && pick(g, 4))
        values[0] = kiln_build2(&b, KILN_OP_IADD, node->header.items[0], kiln_const(g->fn, i64, 1));
      kiln_build_continue(&b, target, values, node->header.count);
      return;
    }
    if (g->fn->insts[target].op != KILN_OP_IF) {
      kiln_build_break(&b, target, values, node->results.count);
      return;
    }
  }
}

static void fill(struct generator *g, uint32_t region, unsigned depth);

static void node(struct generator *g, struct kiln_builder *b, unsigned depth) {
  static const int64_t cases[] = {0, 1, 2};
  kiln_value id, initial[] = {some(g), some(g)};
  switch (pick(g, 5)) {
  case 0:
    id = kiln_build_block(b);
    break;
  case 1:
    id = kiln_build_loop(b, initial, pick(g, 3));
    break;
  case 2:
    id = kiln_build_switch(b, some(g), cases, pick(g, 4));
    break;
  default:
    id = kiln_build_if(b, condition(g, b));
    break;
  }
  for (unsigned i = pick(g, 3); i > 0; i--)
    kiln_node_add_result(g->fn, id, kiln_scalar_type(KILN_I64));
  g->targets[g->target_count++] = id;
  unsigned count = g->count;
  for (uint32_t i = 0; i < kiln_node(g->fn, id)->header.count; i++)
    g->values[g->count++] = kiln_node(g->fn, id)->header.items[i];
  for (uint32_t r = 0; r < kiln_node(g->fn, id)->region_count; r++)
    fill(g, kiln_node(g->fn, id)->region_first + r, depth + 1);
  g->count = count;
  g->target_count--;
  for (uint32_t i = 0; i < kiln_node(g->fn, id)->results.count; i++)
    g->values[g->count++] = kiln_node(g->fn, id)->results.items[i];
}

static void fill(struct generator *g, uint32_t region, unsigned depth) {
  unsigned count = g->count;
  for (unsigned i = 1 + pick(g, 4); i > 0; i--) {
    struct kiln_builder b = kiln_builder_at_end(g->fn, region);
    if (g->count + 8 > MAX_VALUES || g->budget == 0)
      break;
    g->budget--;
    if (depth < MAX_TARGETS - 1 && pick(g, 2))
      node(g, &b, depth);
    else if (g->count == 2 || pick(g, 2)) {
      kiln_value value = operation(g, &b);
      g->values[g->count++] = value;
    }
  }
  if (depth == 0)
    return;
  jump(g, region);
  g->count = count;
}

Test(pass_shapes, made_up_control_flow, .timeout = 120) {
  unsigned functions = part_of(4000);
  struct machine m = {0};
  unsigned divergent = 0;
  for (unsigned i = 0; i < functions; i++) {
    char what[32], message[512];
    struct kiln_module *module = kiln_module_new();
    struct kiln_param params[] = {{.name = "p", .type_name = "long*", .type = kiln_ptr_type(KILN_GLOBAL)},
                                  {.name = "n", .type_name = "long", .type = kiln_scalar_type(KILN_I64)}};
    struct kiln_function *fn = kiln_module_add_function(module, "k", true, kiln_scalar_type(KILN_VOID), params, 2);
    struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
    struct generator g = {.fn = fn, .state = mix(i + 1), .budget = 60};
    g.values[g.count++] = kiln_build_item(&b, KILN_OP_GLOBAL_ID, 0);
    g.values[g.count++] = fn->params[1].value;
    while (g.budget)
      fill(&g, fn->body, 0);
    b = kiln_builder_at_end(fn, fn->body);
    kiln_build_return(&b, 0);
    snprintf(what, sizeof what, "made-up function %u", i);
    m.what = what;
    cr_assert(kiln_module_verify(module, message, sizeof message), "%s: %s", what, message);
    kiln_function_analyse(fn);
    for (uint32_t n = 1; n < fn->node_count; n++)
      divergent += fn->nodes[n].divergent;
    run_function(&m, fn, 3);
    kiln_module_free(module);
  }
  cr_assert(m.uniform > 25 * functions && m.linear > 12 * functions && m.varying > 25 * functions &&
                divergent > functions,
            "%lu uniform, %lu linear, %lu varying, %u nodes", m.uniform, m.linear, m.varying, divergent);
}
