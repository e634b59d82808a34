// A whole program: sizes, arguments, functions, the kernel.
#include "tests/gen/inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gen_arg *argument(struct gen *g, const char *name, enum gen_arg_kind kind, uint8_t base, uint32_t count) {
  struct gen_arg *arg = &g->program->args[g->program->arg_count++];
  *arg = (struct gen_arg){
      .kind = kind, .base = base, .count = count, .fill = GEN_FILL_RAND, .seed = 1 + gen_below(g, 1000)};
  snprintf(arg->name, sizeof arg->name, "%s%u", name, g->program->arg_count - 1);
  return arg;
}

static uint32_t greatest_common_divisor(uint32_t a, uint32_t b) { return b ? greatest_common_divisor(b, a % b) : a; }

// Short rows, groups of one work-item, or of 1 x N, in a launch for which the CPU backend compiles kernels with
// barriers once more.
static void choose_many(struct gen *g) {
  struct gen_program *p = g->program;
  bool single = gen_below(g, 4) == 0, columns = !single && p->work_dim > 1 && gen_chance(g, 35);
  for (uint32_t d = 0; d < 3; d++) {
    p->local[d] = single || d >= p->work_dim || (columns && d == 0) ? 1
                  : d == 0                                          ? 1u << gen_below(g, 5)
                                                                    : 1 + gen_below(g, columns ? 16 : 6);
    p->global[d] = p->local[d] * (d < p->work_dim ? 2 + gen_below(g, 3) : 1);
    p->offset[d] = gen_has(g, GEN_OFFSETS) && d < p->work_dim ? gen_below(g, 20) : 0;
  }
  uint32_t slowest = p->work_dim - 1, longest = columns ? 0 : slowest;
  p->global[longest] += columns ? gen_below(g, 20) : 0;
  while (p->global[0] * p->global[1] * p->global[2] < 4096)
    p->global[longest] += p->local[longest];
  g->partial = gen_has(g, GEN_PARTIAL) && p->local[slowest] > 1;
  p->global[slowest] += g->partial ? 1 : 0;
  g->items = (uint32_t)(p->global[0] * p->global[1] * p->global[2]);
  g->group_items = (uint32_t)(p->local[0] * p->local[1] * p->local[2]);
  p->any_local = false;
  p->portable = !gen_has(g, GEN_INEXACT) && !gen_has(g, GEN_SUB_GROUPS) && !g->partial;
}

static void choose_sizes(struct gen *g) {
  struct gen_program *p = g->program;
  static const uint8_t locals[] = {1,  2,  3,  4,  5,  7,  8,  8,  8,  15, 16, 16, 16,
                                   17, 24, 31, 32, 32, 32, 32, 33, 40, 48, 64, 64};
  static const uint8_t rows[] = {4, 8, 16, 16, 32};
  p->work_dim = 1;
  if (gen_has(g, GEN_DIMENSIONS))
    p->work_dim = 2 + gen_below(g, 2);
  g->items = g->group_items = 1;
  if (gen_has(g, GEN_MANY)) {
    choose_many(g);
    return;
  }
  g->partial = gen_has(g, GEN_PARTIAL);
  bool columns = p->work_dim > 1 && gen_has(g, GEN_BARRIERS) && gen_chance(g, 15);
  for (uint32_t d = 0; d < 3; d++) {
    uint32_t local = 1, groups = 1, size;
    if (columns && d == 0) {
      groups = 1 + gen_below(g, 40);
    } else if (d < p->work_dim) {
      local = p->work_dim == 1 ? locals[gen_below(g, sizeof locals)] : 1 + gen_below(g, d == 0 ? 9 : 4);
      if (p->work_dim > 1 && d == 0 && gen_chance(g, 45)) // rows that are whole warps
        local = rows[gen_below(g, sizeof rows)];
      groups = 1 + gen_below(g, p->work_dim == 1 ? 4 : 2);
    }
    size = local * groups;
    if (g->partial && d < p->work_dim && local > 1 && gen_chance(g, 70))
      size -= gen_chance(g, 50) ? gen_below(g, local) : gen_below(g, local) / 16 * 16;
    p->local[d] = local, p->global[d] = size;
    p->offset[d] = gen_has(g, GEN_OFFSETS) && d < p->work_dim ? gen_below(g, 20) : 0;
    g->items *= size;
    g->group_items *= local;
  }
  // An OpenCL 1.2 device runs a group size that does not divide only if it may choose another one.
  p->any_local = !gen_has(g, GEN_BARRIERS) && gen_chance(g, 50) && !gen_has(g, GEN_SUB_GROUPS);
  p->portable = !gen_has(g, GEN_INEXACT) && !gen_has(g, GEN_SUB_GROUPS);
  for (uint32_t d = 0; d < 3; d++)
    if (p->global[d] % p->local[d] && !p->any_local)
      p->portable = false;
  g->grid_stride = p->work_dim == 1 && p->any_local && gen_chance(g, 30);
  if (g->grid_stride)
    g->items += gen_below(g, 3 * g->items);
}

static void add_array(struct gen *g, const struct gen_arg *arg, const char *space) {
  struct gen_var *v = &g->vars[g->var_count++];
  *v = (struct gen_var){.kind = GEN_VAR_ARRAY,
                        .type = gen_scalar((uint8_t)arg->base),
                        .count = arg->count,
                        .space = space,
                        .readonly = true};
  snprintf(v->name, sizeof v->name, "%s", arg->name);
}

static void add_value(struct gen *g, const char *name, uint8_t base, wide lo, wide hi, bool uniform) {
  struct gen_var *v = &g->vars[g->var_count++];
  *v =
      (struct gen_var){.type = gen_scalar(base), .lo = lo, .hi = hi, .space = "", .readonly = true, .uniform = uniform};
  snprintf(v->name, sizeof v->name, "%s", name);
}

static void choose_outputs(struct gen *g) {
  g->output_count = 1 + (int)gen_below(g, 3);
  for (int i = 0; i < g->output_count; i++) {
    struct gen_output *o = &g->outputs[i];
    *o = (struct gen_output){.type = i ? gen_random_type(g) : gen_scalar(GEN_U32),
                             .slots = 1 + gen_below(g, 4),
                             .map = (int)gen_below(g, 4)};
    if (gen_has(g, GEN_INEXACT) && gen_is_float(o->type.base))
      o->type.base = GEN_I32; // the bits of a NaN are nobody's business
    do
      o->a = 1 + gen_below(g, g->items + 20);
    while (greatest_common_divisor(o->a, g->items) != 1);
    o->b = gen_below(g, 30);
    uint32_t memory_lanes = o->type.lanes == 3 ? 4 : o->type.lanes;
    struct gen_arg *arg = argument(g, "o", GEN_ARG_BUFFER, o->type.base, g->items * o->slots * memory_lanes);
    arg->output = true;
    arg->padded = o->type.lanes == 3;
    arg->fill = gen_is_float(o->type.base) ? GEN_FILL_ZERO : GEN_FILL_RAND;
    o->arg = (int)g->program->arg_count - 1;
  }
}

static void choose_records(struct gen *g) {
  uint8_t base = (uint8_t)gen_below(g, GEN_F32);
  if (gen_has(g, GEN_FLOATS) && gen_chance(g, 25))
    base = gen_has(g, GEN_DOUBLES) && gen_chance(g, 40) ? GEN_F64 : GEN_F32;
  g->record_elements = 2 + gen_below(g, 3);
  g->record_arg = (int)g->program->arg_count;
  struct gen_arg *arg = argument(g, "rc", GEN_ARG_BUFFER, base, g->items * g->record_elements);
  arg->output = true;
  arg->fill = gen_is_float(base) ? GEN_FILL_ZERO : GEN_FILL_RAND;
}

// A distance between work-items' elements, which is mostly one, as incx is in BLAS.
static void choose_stride(struct gen *g) {
  static const uint8_t bases[] = {GEN_I32, GEN_I32, GEN_U32, GEN_I64, GEN_U64};
  uint8_t base = bases[gen_below(g, 5)];
  uint64_t stride = gen_chance(g, 60) ? 1 : 2 + gen_below(g, GEN_MOST_STRIDE - 1);
  g->stride_arg = (int)g->program->arg_count;
  argument(g, "st", GEN_ARG_VALUE, base, 1)->seed = gen_is_signed(base) && gen_chance(g, 30) ? 0 - stride : stride;
  g->strided_arg = (int)g->program->arg_count;
  struct gen_arg *arg =
      argument(g, "so", GEN_ARG_BUFFER, (uint8_t)gen_below(g, GEN_F32), 2 * GEN_MOST_STRIDE * g->items);
  arg->output = true;
  arg->fill = GEN_FILL_RAND;
}

static void choose_arguments(struct gen *g) {
  choose_outputs(g);
  uint32_t inputs = 1 + gen_below(g, 3);
  for (uint32_t i = 0; i < inputs; i++) {
    uint32_t count = gen_chance(g, 60) ? 16u << gen_below(g, 5) : g->items + 8 + gen_below(g, 64);
    argument(g, "in", GEN_ARG_BUFFER, i == 0 ? GEN_I32 : gen_random_int(g), count);
  }
  if (gen_has(g, GEN_FLOATS))
    argument(g, "in", GEN_ARG_BUFFER, GEN_F32, 8 + gen_below(g, 200))->fill = GEN_FILL_IOTA;
  uint32_t values = 1 + gen_below(g, 3);
  for (uint32_t i = 0; i < values; i++) {
    struct gen_arg *arg = argument(g, "n", GEN_ARG_VALUE, gen_random_int(g), 1);
    arg->seed = gen_chance(g, 50) ? gen_below(g, 9) : gen_next(g);
  }
  g->atomic_arg[0] = g->atomic_arg[1] = g->atomic_arg[2] = -1;
  for (int i = 0; i < 3 && gen_has(g, GEN_ATOMICS); i++) {
    g->atomic_arg[i] = (int)g->program->arg_count;
    argument(g, "at", GEN_ARG_BUFFER, (uint8_t)(GEN_I32 + gen_below(g, 2)), 1u << gen_below(g, 5))->output = true;
  }
  g->record_arg = g->counter_arg = g->stride_arg = -1;
  if (gen_has(g, GEN_OWN_RECORDS))
    choose_records(g);
  if (gen_has(g, GEN_COUNTERS)) {
    bool is_wide = gen_has(g, GEN_WIDE) && gen_chance(g, 40);
    g->counter_arg = (int)g->program->arg_count;
    argument(g, "ct", GEN_ARG_BUFFER, is_wide ? GEN_U64 : GEN_U32, 8)->output = true;
    g->program->portable &= !is_wide; // an extension
  }
  if (gen_has(g, GEN_STRIDES))
    choose_stride(g);
  if (gen_has(g, GEN_BARRIERS)) {
    uint32_t groups = 1;
    for (int d = 0; d < 3; d++)
      groups *= (uint32_t)((g->program->global[d] + g->program->local[d] - 1) / g->program->local[d]);
    struct gen_arg *arg = argument(g, "gx", GEN_ARG_BUFFER, GEN_U32, groups * g->group_items);
    snprintf(arg->name, sizeof arg->name, "gx");
    arg->output = true;
    if (gen_chance(g, 40))
      argument(g, "lp", GEN_ARG_LOCAL, gen_chance(g, 60) ? GEN_U32 : gen_random_int(g), g->group_items);
  }
}

// ---- functions ------------------------------------------------------------------------------------------------------

static void function(struct gen *g) {
  struct gen_function *f = &g->functions[g->function_count];
  *f = (struct gen_function){.result = gen_random_type(g), .param_count = 1 + (int)gen_below(g, 3), .array_param = -1};
  snprintf(f->name, sizeof f->name, "fn%d", g->function_count & 7);
  if (gen_chance(g, 60))
    f->result = gen_scalar(gen_random_int(g));
  if (gen_has(g, GEN_POINTERS) && gen_chance(g, 40))
    f->array_param = 0, f->array_global = gen_chance(g, 60);
  const char *params = "";
  g->var_count = 0;
  gen_see_tables(g);
  for (int i = 0; i < f->param_count; i++) {
    if (i == f->array_param) {
      struct gen_var *v = gen_declare(g, "p", gen_scalar(GEN_I32));
      v->kind = GEN_VAR_ARRAY, v->count = 8, v->readonly = true, v->space = f->array_global ? "global const" : "const";
      params = gen_text(g, "%s%s%s int *%s", params, i ? ", " : "", v->space, v->name);
      continue;
    }
    f->params[i] = gen_random_type(g);
    const char *name = gen_declare(g, "p", f->params[i])->name;
    params = gen_text(g, "%s%s%s %s", params, i ? ", " : "", gen_type_name(g, f->params[i]), name);
  }
  static const char *const prefixes[] = {"", "", "inline ", "__attribute__((noinline)) ",
                                         "__attribute__((always_inline)) "};
  const char *prefix = prefixes[gen_below(g, 5)], *type = gen_type_name(g, f->result);
  if (prefix[0] != 'i')
    gen_line(g, "%s %s(%s);", type, f->name, params);
  gen_open(g, "%s%s%s %s(%s)", prefix[0] == 'i' ? "static " : "", prefix, type, f->name, params);
  g->in_function = true, g->result = f->result, g->work = 0, g->scale = 1, g->depth = 1;
  gen_block(g, 2 + (int)gen_below(g, 4));
  gen_line(g, "return %s;", gen_assignable(g, f->result, 3));
  gen_close(g);
  g->in_function = false;
  f->cost = g->work + 10;
  g->work = 0;
  g->var_count = 0;
  if (f->cost < 800)
    g->function_count++;
  else
    g->counter++; // the next one replaces it, under the same name: drop its text
}

static void functions(struct gen *g) {
  if (gen_has(g, GEN_CALLS) && gen_has(g, GEN_POINTERS))
    for (uint32_t i = gen_below(g, 3); i > 0; i--)
      gen_procedure(g);
  if (gen_has(g, GEN_CALLS) && g->record_count && gen_chance(g, 60))
    gen_transformer(g);
  uint32_t count = gen_has(g, GEN_CALLS) ? 1 + gen_below(g, 4) : 0;
  for (uint32_t i = 0; i < count; i++) {
    size_t size = g->code_size;
    int before = g->function_count;
    function(g);
    if (g->function_count == before)
      g->code_size = size, g->code[size] = 0;
  }
}

// ---- kernel ---------------------------------------------------------------------------------------------------------

static const char *parameter(struct gen *g, uint32_t at) {
  const struct gen_arg *arg = &g->program->args[at];
  const char *type = gen_type_name(g, gen_scalar((uint8_t)arg->base));
  for (int i = 0; i < g->output_count; i++)
    if (g->outputs[i].arg == (int)at)
      type = gen_type_name(g, g->outputs[i].type);
  if (arg->kind == GEN_ARG_LOCAL)
    return gen_text(g, "local %s *%s", type, arg->name);
  if (arg->kind == GEN_ARG_VALUE)
    return gen_text(g, "%s %s", type, arg->name);
  if (arg->output)
    return gen_text(g, "global %s *%s%s", type, gen_chance(g, 30) ? "restrict " : "", arg->name);
  return gen_text(g, "%s %s *%s", arg->seed & 1 && gen_is_float((uint8_t)arg->base) ? "constant" : "global const", type,
                  arg->name);
}

static void header(struct gen *g) {
  const char *params = "";
  for (uint32_t i = 0; i < g->program->arg_count; i++) {
    const struct gen_arg *arg = &g->program->args[i];
    params = gen_text(g, "%s%s%s", params, i ? ", " : "", parameter(g, i));
    if (arg->kind == GEN_ARG_BUFFER && !arg->output)
      add_array(g, arg, gen_is_float((uint8_t)arg->base) && arg->seed & 1 ? "constant" : "global const");
    if (arg->kind == GEN_ARG_VALUE && g->stride_arg != (int)i) {
      wide mask = gen_max(gen_unsigned_of((uint8_t)arg->base)), value = (wide)arg->seed & mask;
      if (value > gen_max((uint8_t)arg->base))
        value -= mask + 1;
      add_value(g, arg->name, (uint8_t)arg->base, value, value, true);
    }
    if (arg->kind == GEN_ARG_LOCAL) {
      add_array(g, arg, "local");
      g->vars[g->var_count - 1].kind = GEN_VAR_HIDDEN;
      g->vars[g->var_count - 1].limit = g->partial ? "lsz" : NULL;
    }
  }
  gen_open(g, "kernel void k(%s)", params);
}

static void ids(struct gen *g) {
  const struct gen_program *p = g->program;
  const char *id = "0", *local = "0", *group = "0", *size = "1";
  for (int i = (int)p->work_dim - 1; i >= 0; i--) { // the fastest last: dimension 0, or the last one
    int d = gen_has(g, GEN_COLUMNS) ? (int)p->work_dim - 1 - i : i;
    const char *sub = p->offset[d] || gen_chance(g, 10) ? gen_text(g, " - get_global_offset(%d)", d) : "";
    id = gen_text(g, "((%s) * get_global_size(%d) + (get_global_id(%d)%s))", id, d, d, sub);
    local = gen_text(g, "((%s) * get_local_size(%d) + get_local_id(%d))", local, d, d);
    group = gen_text(g, "((%s) * get_num_groups(%d) + get_group_id(%d))", group, d, d);
    size = gen_text(g, "%s * get_local_size(%d)", size, d);
  }
  if (p->work_dim == 1 && !p->offset[0])
    id = "get_global_id(0)", local = "get_local_id(0)", group = "get_group_id(0)";
  if (p->work_dim == 1 && !g->partial && gen_chance(g, 15))
    id = "get_group_id(0) * get_local_size(0) + get_local_id(0)";
  wide items = (wide)g->items - 1;
  if (g->grid_stride) {
    static const char *const types[] = {"int", "uint", "long", "size_t"};
    const char *type = types[gen_below(g, 4)], *step = gen_chance(g, 50) ? gen_text(g, "(%s)", type) : "";
    bool reaches = gen_chance(g, 20);
    gen_open(g, "for (%s at = %s; at %s %u; at += %sget_global_size(0))", type, id, reaches ? "<=" : "<",
             g->items - reaches, step);
    id = "at";
  }
  gen_line(g, "const size_t gz = %s;", id);
  gen_line(g, "const uint gid = %s;", gen_chance(g, 50) ? id : "(uint)gz");
  gen_line(g, "const int gi = %s;", gen_chance(g, 50) ? id : "gid");
  add_value(g, "gid", GEN_U32, 0, items, false);
  add_value(g, "gid", GEN_U32, 0, items, false);
  add_value(g, "gi", GEN_I32, 0, items, false);
  add_value(g, "gz", GEN_U64, 0, items, false);
  if (p->any_local)
    return;
  gen_line(g, "const uint lid = %s, lsz = %s, grp = %s;", local, size, group);
  add_value(g, "lid", GEN_U32, 0, (wide)g->group_items - 1, false);
  add_value(g, "lsz", GEN_U32, 1, (wide)g->group_items, true);
  add_value(g, "grp", GEN_U32, 0, items, true);
}

static void local_arrays(struct gen *g) {
  uint32_t count = 1 + gen_below(g, 3);
  for (uint32_t i = 0; i < count; i++) {
    struct gen_type type = i == 0 ? gen_scalar(GEN_U32) : gen_random_type(g);
    struct gen_var *v = gen_declare(g, "lm", type);
    v->kind = GEN_VAR_HIDDEN, v->count = g->group_items, v->space = "local", v->readonly = true;
    v->limit = g->partial ? "lsz" : NULL;
    gen_line(g, "local %s %s[%u];", gen_type_name(g, type), v->name, g->group_items);
  }
}

// Folds a variable into the hash h.
static void fold(struct gen *g, const struct gen_var *v) {
  uint8_t base = v->type.base;
  const char *name = v->kind == GEN_VAR_REFERENCE ? gen_text(g, "(*%s)", v->name) : v->name;
  if (v->kind == GEN_VAR_ARRAY)
    name = gen_text(g, "%s[%s]", name, gen_index(g, v->count, 0));
  const char *text = "h";
  for (uint32_t i = 0; i < v->type.lanes; i++) {
    const char *lane = v->type.lanes > 1 ? gen_text(g, "%s.s%x", name, i) : name;
    if (gen_is_float(base) && gen_has(g, GEN_INEXACT))
      lane = gen_text(g, "(isnan(%s) ? 0 : as_%s(%s))", lane, base == GEN_F32 ? "uint" : "ulong", lane);
    else if (gen_is_float(base))
      lane = gen_text(g, "as_%s(%s + 0)", base == GEN_F32 ? "uint" : "ulong", lane);
    if (gen_base_size(base) == 8)
      lane = gen_text(g, "(uint)(%s ^ (ulong)%s >> 32)", lane, lane);
    else
      lane = gen_text(g, "(uint)%s", lane);
    text = gen_text(g, "(%s ^ %s) * 16777619u", text, lane);
  }
  gen_line(g, "h = %s;", text);
}

static void finish(struct gen *g) {
  gen_line(g, "uint h = 2166136261u;");
  for (int i = 0; i < g->var_count; i++) {
    const struct gen_var *v = &g->vars[i];
    if ((v->kind == GEN_VAR_VALUE && !v->uniform && v->name[0] != 'g') || v->kind == GEN_VAR_REFERENCE ||
        (v->kind == GEN_VAR_ARRAY && !v->bias && !v->space[0]))
      fold(g, v);
  }
  const struct gen_output *o = &g->outputs[0];
  struct gen_output first = *o;
  gen_line(g, "%s ^= h;", gen_own(g, &first));
}

static void kernel(struct gen *g) {
  gen_see_tables(g);
  header(g);
  ids(g);
  if (gen_has(g, GEN_BARRIERS))
    local_arrays(g);
  g->work = gen_has(g, GEN_MANY) ? 2000 : 0; // which work-items of a large launch have less of
  g->scale = 1, g->depth = 1;
  for (uint32_t i = 2 + gen_below(g, 4); i > 0; i--)
    gen_declaration(g);
  int phases = gen_has(g, GEN_BARRIERS) ? 1 + (int)gen_below(g, 4) : 0;
  for (int i = 0; i <= phases; i++) {
    for (uint32_t k = gen_below(g, 3); k > 0; k--)
      gen_declaration(g);
    for (uint32_t k = gen_below(g, i ? 2 : 4); k > 0; k--)
      gen_rare_shape(g);
    gen_block(g, (phases ? 1 : 4) + (int)gen_below(g, phases ? 4 : 8));
    if (i < phases)
      gen_phase(g);
  }
  finish(g);
  if (g->grid_stride)
    gen_close(g);
  gen_close(g);
}

// Macros that are formulas of their parameters, and others whose uses of them have expressions for arguments.
static const char *const formulas[] = {
    "ROT(x, n) (((x) << (n)) | ((x) >> (32 - (n))))",
    "CHO(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))",
    "FOL(a, b) (((a) ^ ((b) >> 3)) & ~((a) & (b)))",
    "LES(x, y) ((x) + 3 < (y) - 7 == 1)",
    "AVE(a, b) (((a) + (b)) / 2)",
    "LIN(x, y) (-(x) * 5 + ((y) - 300))",
    "MID(x, y) ((x) % 9 + (y) / 7)",
    "FOX(a, b) FOL((a) & 0x7f, b ^ (a))",
    "SIG(x) (ROT(x, 2) ^ ROT((x) + 1U, 13) ^ ROT(~x, 22))",
    "ALL(x, y, i) (LIN(x[i], y) + MID(x[(i) + 1], -(y)) * LES(y, x[i]) + AVE((y) * 3, x[(i) & 1]))",
    "UPD(a, b, c, d) { a += SIG(b) + CHO(b, c, d) + ROT(d ^ c, 30); d = FOX(a, d) + CHO(a & b, ~c, (d) >> 2); }",
};

static void prologue(struct gen *g) {
  if (gen_has(g, GEN_FLOATS) && gen_has(g, GEN_DOUBLES))
    gen_line(g, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable");
  gen_line(g, "#pragma OPENCL FP_CONTRACT %s", gen_chance(g, 50) ? "ON" : "OFF");
  if (gen_has(g, GEN_MACROS)) {
    gen_line(g, "#define PICK(a, b) ((a) > (b) ? (a) : (b))");
    gen_line(g, "#define MASKED(x, ...) ((x) & (__VA_ARGS__))");
    gen_line(g, "#define JOIN(a, b) a##b");
    gen_line(g, "#define MIX(a, b) (MASKED(a, 0x55) | JOIN(PI, CK)(MASKED((b), 0x2a), 3))");
    for (uint32_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
      gen_line(g, "#define %s", formulas[i]);
  }
  if (g->record_arg >= 0) {
    const char *type = gen_type_name(g, gen_scalar((uint8_t)g->program->args[g->record_arg].base));
    const char *fields = "";
    for (uint32_t i = 0; i < g->record_elements; i++)
      fields = gen_text(g, "%s %s f%u;", fields, type, i);
    gen_line(g, "struct own {%s };", fields);
  }
}

// Options with which a program that may have them means the same.
static void choose_options(struct gen *g) {
  static const char *const options[] = {"-cl-std=CL2.0", "-cl-std=CL3.0", "-cl-opt-disable", "-g", "-cl-mad-enable"};
  uint32_t kind = gen_below(g, 20);
  g->program->options = kind < 5 && !(kind == 4 && gen_has(g, GEN_INEXACT)) ? options[kind] : "";
}

void gen_make(uint64_t seed, uint32_t features, struct gen_program *out) {
  static const uint8_t chances[] = {
#define X(name, text, chance) chance,
      GEN_FEATURES(X)
#undef X
  };
  *out = (struct gen_program){0};
  struct gen *g = calloc(1, sizeof *g);
  if (!g)
    exit(3);
  g->state = seed * 0x632be59bd9b4e019u + 1;
  g->program = out;
  for (int i = 0; i < GEN_SUB_GROUPS; i++)
    if (gen_chance(g, chances[i]))
      g->features |= 1u << i;
  uint64_t state = g->state; // seeds from before there were these features mean what they meant without them
  for (int i = GEN_SUB_GROUPS; i < GEN_FEATURE_COUNT; i++)
    if (gen_chance(g, chances[i]))
      g->features |= 1u << i;
  choose_options(g);
  g->state = state;
  if (gen_has(g, GEN_MANY)) // else there is nothing about them
    g->features |= 1u << GEN_BARRIERS;
  g->features &= features;
  if (!gen_has(g, GEN_FLOATS))
    g->features &= ~(1u << GEN_INEXACT | 1u << GEN_DOUBLES);
  out->features = g->features;
  choose_sizes(g);
  choose_arguments(g);
  prologue(g);
  if (gen_has(g, GEN_STRUCTS))
    gen_records(g);
  if (gen_has(g, GEN_MACROS) || gen_has(g, GEN_NARROW))
    gen_tables(g);
  functions(g);
  kernel(g);
  out->source = g->code;
  gen_free_text(g);
  free(g);
}

// ---- as a case of tests/exec ----------------------------------------------------------------------------------------

char *gen_exec_case(const struct gen_program *p, const char *comment) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    exit(3);
  fprintf(out, "// %s\n// run: -g %llu", comment, (unsigned long long)p->global[0]);
  for (uint32_t d = 1; d < p->work_dim; d++)
    fprintf(out, ",%llu", (unsigned long long)p->global[d]);
  fprintf(out, " -l %llu", (unsigned long long)p->local[0]);
  for (uint32_t d = 1; d < p->work_dim; d++)
    fprintf(out, ",%llu", (unsigned long long)p->local[d]);
  if (p->offset[0] || p->offset[1] || p->offset[2]) {
    fprintf(out, " --offset %llu", (unsigned long long)p->offset[0]);
    for (uint32_t d = 1; d < p->work_dim; d++)
      fprintf(out, ",%llu", (unsigned long long)p->offset[d]);
  }
  if (p->options[0])
    fprintf(out, " --options=%s", p->options);
  if (p->native_options && p->native_options[0])
    fprintf(out, " --options=%s", p->native_options);
  for (uint32_t i = 0; i < p->arg_count; i++)
    if (p->args[i].output)
      fprintf(out, " -p %u:%s", i, gen_base_name(p->args[i].base));
  for (uint32_t i = 0; i < p->arg_count; i++) {
    const struct gen_arg *arg = &p->args[i];
    const char *base = gen_base_name(arg->base);
    if (arg->is_alias)
      fprintf(out, " same:0"); // past its beginning, where it is shifted
    else if (arg->kind == GEN_ARG_LOCAL)
      fprintf(out, " local:%u", arg->count * gen_base_size(arg->base));
    else if (arg->kind == GEN_ARG_VALUE) {
      fprintf(out, " bytes:");
      for (uint32_t k = 0; k < gen_base_size(arg->base); k++)
        fprintf(out, "%02x", (unsigned)(arg->seed >> (8 * k) & 255));
    } else if (arg->fill == GEN_FILL_RAND)
      fprintf(out, " rand:%s:%u:%llu", base, arg->count, (unsigned long long)arg->seed);
    else
      fprintf(out, " %s:%s:%u", arg->fill == GEN_FILL_ZERO ? "zero" : "iota", base, arg->count);
  }
  fprintf(out, "\n%s", p->source);
  fclose(out);
  return text;
}
