// What each rule of the analysis of shapes claims holds in every warp: each operation on linear, uniform and varying
// bytes, on whatever id the warp begins, and on ids of warps that begin at multiples of their lanes.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "jit/pass/pass.h"
#include "tests/support/run_ir.h"

enum { LANES = 8, MAX_IDS = 640, MEMORY = 1024, LOCAL_WIDTH = 3, GROUPS = 40 };

enum mode { ROWS, PACKED, MERGED };

// A run of each work-item, side by side: the values of item k are at k * fn->inst_count.
struct items {
  const struct kiln_function *fn;
  union kiln_lanes *values;
};

static kiln_type type_of(enum kiln_kind kind) { return kiln_scalar_type(kind); }
static unsigned bits_of(const struct kiln_function *fn, kiln_value v) {
  return kiln_kind_bits(kiln_type_kind(kiln_value_type(fn, v)));
}

static uint64_t value_at(const struct items *m, unsigned item, kiln_value v) {
  return m->values[(size_t)item * m->fn->inst_count + v].bits[0] & kiln_bits_mask(bits_of(m->fn, v));
}

// Whether the lanes from `first` on differ by the stride; exactly: read in that way, not modulo the width.
static bool differ_by(const struct items *m, unsigned first, unsigned lanes, kiln_value v, int64_t stride) {
  uint64_t mask = kiln_bits_mask(bits_of(m->fn, v));
  for (unsigned k = 1; k < lanes; k++)
    if ((value_at(m, first + k, v) - value_at(m, first, v) - k * (uint64_t)stride) & mask)
      return false;
  return true;
}

static int64_t extended(const struct items *m, unsigned item, kiln_value extension, kiln_value v) {
  uint64_t bits = value_at(m, item, v);
  return m->fn->insts[extension].op == KILN_OP_SEXT ? kiln_sign_extend(bits, bits_of(m->fn, v)) : (int64_t)bits;
}

// Whether what a guard tests before a warp runs is so: the operand of an extension does not wrap, no lane takes the
// uniform operand of a minimum or maximum, lanes agree on a comparison or division.
static bool guard_holds(const struct items *m, const struct kiln_shape *shapes, unsigned first, unsigned lanes,
                        kiln_value id) {
  const kiln_value *x = kiln_operands(m->fn, id);
  enum kiln_op op = kiln_op_of(&m->fn->insts[id]);
  if (op == KILN_OP_ZEXT || op == KILN_OP_SEXT) {
    for (unsigned k = 1; k < lanes; k++)
      if (extended(m, first + k, id, x[0]) != extended(m, first, id, x[0]) + (int64_t)k * shapes[x[0]].stride)
        return false;
  } else if (op >= KILN_OP_SMIN && op <= KILN_OP_UMAX) {
    kiln_value linear = shapes[x[0]].kind == KILN_SHAPE_LINEAR ? x[0] : x[1];
    for (unsigned k = 0; k < lanes; k++)
      if (value_at(m, first + k, id) != value_at(m, first + k, linear))
        return false;
  } else if (kiln_op_is_division(op) || (op >= KILN_OP_EQ && op <= KILN_OP_ULE)) {
    return differ_by(m, first, lanes, id, shapes[id].kind == KILN_SHAPE_LINEAR ? shapes[id].stride : 0);
  }
  return true;
}

// Checks all claims for one warp. counts: by kind of shape, how many were checked.
static void check_warp(const struct items *m, const struct kiln_shape *shapes, unsigned first, unsigned lanes,
                       unsigned long counts[3], const char *what) {
  const struct kiln_function *fn = m->fn;
  bool *held = malloc(fn->inst_count * sizeof *held);
  for (kiln_value id = 0; id < fn->inst_count; id++)
    held[id] = true;
  for (kiln_value id = fn->regions[fn->body].first; id; id = fn->insts[id].next) {
    const struct kiln_shape *shape = &shapes[id];
    if (kiln_type_kind(kiln_value_type(fn, id)) == KILN_VOID)
      continue;
    for (uint32_t i = 0; i < fn->insts[id].operand_count; i++)
      held[id] &= held[kiln_operands(fn, id)[i]];
    if (shape->guarded)
      held[id] &= guard_holds(m, shapes, first, lanes, id);
    counts[shape->kind] += held[id];
    if (shape->kind == KILN_SHAPE_VARYING || (shape->guarded && !held[id]))
      continue;
    bool depends = shapes == fn->assumed_shapes; // a uniform value may be so since a comparison is
    int64_t stride = shape->kind == KILN_SHAPE_LINEAR ? shape->stride : 0;
    if ((!depends || held[id]) && !differ_by(m, first, lanes, id, stride)) {
      char text[300];
      run_ir_describe(fn, id, text, sizeof text);
      cr_assert_fail("%s: %u lanes from item %u on: %s is not linear by %lld%s: 0x%llx, 0x%llx, …", what, lanes, first,
                     text, (long long)stride, shape->guarded ? " (guarded)" : "",
                     (unsigned long long)value_at(m, first, id), (unsigned long long)value_at(m, first + 1, id));
    }
  }
  free(held);
}

// ---- work-items -----------------------------------------------------------------------------------------------------

// The launch: a group of long rows, a group of rows of three, whose warps follow the linear local id, or groups of 1 x
// 2 side by side. ids[0] of the state is the item, ids[1] the mode, ids[2] how far ids are moved.
static uint64_t query(const struct run_ir *state, enum kiln_op op, uint64_t dimension) {
  uint64_t item = state->ids[0], shift = state->ids[2];
  enum mode mode = (enum mode)state->ids[1];
  uint64_t width = mode == PACKED ? LOCAL_WIDTH : mode == MERGED ? 1 : MAX_IDS;
  uint64_t group = mode == MERGED ? item : 0, x = mode == MERGED ? 0 : item % width, y = item / width % 100;
  if (dimension > 0)
    return op == KILN_OP_LOCAL_ID || op == KILN_OP_GLOBAL_ID ? (mode == PACKED ? y : 1)
                                                             : (uint64_t)(op == KILN_OP_GLOBAL_OFFSET ? 0 : 2);
  if (op == KILN_OP_LOCAL_ID)
    return x;
  if (op == KILN_OP_GROUP_ID)
    return group;
  if (op == KILN_OP_GLOBAL_ID)
    return group * width + x + shift;
  return op == KILN_OP_GLOBAL_OFFSET ? shift : op == KILN_OP_NUM_GROUPS ? GROUPS : width;
}

static void run_items(struct items *m, unsigned first, unsigned count, enum mode mode, const uint64_t *shifts,
                      const uint64_t *numbers) {
  unsigned char memory[MEMORY];
  struct run_ir run = {.memory = memory, .size = sizeof memory, .query = query};
  for (unsigned i = 0; i < MEMORY; i++)
    memory[i] = (unsigned char)(i * 73 + i / 256);
  m->values = realloc(m->values, (size_t)count * m->fn->inst_count * sizeof *m->values);
  for (unsigned i = 0; i < count; i++) {
    union kiln_lanes params[] = {{{RUN_IR_BASE}}, {{numbers[0]}}, {{numbers[1]}}};
    run.params = params;
    run.ids[0] = first + i;
    run.ids[1] = mode;
    run.ids[2] = *shifts;
    run.variable_byte = (unsigned char)(first + i);
    run.local_byte = mode == MERGED ? (unsigned char)(first + i) : 0;
    bool ended = run_ir(m->fn, &run);
    cr_assert(ended, "%s", run.fault);
    memcpy(m->values + (size_t)i * m->fn->inst_count, run.values, m->fn->inst_count * sizeof *run.values);
  }
  run_ir_free(&run);
}

static struct kiln_function *new_kernel(struct kiln_builder *b, enum kiln_kind kind) {
  struct kiln_param params[] = {{.name = "p", .type_name = "char*", .type = kiln_ptr_type(KILN_GLOBAL)},
                                {.name = "n", .type_name = "char", .type = type_of(kind)},
                                {.name = "m", .type_name = "char", .type = type_of(kind)}};
  struct kiln_module *module = kiln_module_new();
  struct kiln_function *fn = kiln_module_add_function(module, "k", true, type_of(KILN_VOID), params, 3);
  *b = kiln_builder_at_end(fn, fn->body);
  return fn;
}

// ---- every operation on every shape ---------------------------------------------------------------------------------

enum { LEAVES = 13 };

// Linear with several strides, uniform, constant and varying.
static kiln_value leaf(struct kiln_builder *b, unsigned which) {
  kiln_type type = type_of(KILN_I8);
  static const uint8_t constants[] = {3, 0xff, 0x80, 2};
  kiln_value n = b->fn->params[1].value;
  if (which == 0 || (which >= 9 && which < LEAVES))
    return which ? kiln_const(b->fn, type, constants[which - 9]) : n;
  kiln_value id = kiln_build1(b, KILN_OP_TRUNC, type, kiln_build_item(b, KILN_OP_GLOBAL_ID, 0));
  kiln_value local = kiln_build1(b, KILN_OP_TRUNC, type, kiln_build_item(b, KILN_OP_LOCAL_ID, 0));
  switch (which) {
  case 1:
    return id;
  case 2:
    return kiln_build2(b, KILN_OP_ISUB, n, id);
  case 3:
    return kiln_build2(b, KILN_OP_IMUL, id, kiln_const(b->fn, type, 5));
  case 4:
    return kiln_build2(b, KILN_OP_SHL, id, kiln_const(b->fn, type, 7));
  case 5:
    return kiln_build2(b, KILN_OP_IADD, local, b->fn->params[2].value);
  case 6:
    return kiln_build2(b, KILN_OP_XOR, id, n);
  case 7:
    return kiln_build1(b, KILN_OP_TRUNC, type, kiln_build_item(b, KILN_OP_GROUP_ID, 0));
  }
  return kiln_build1(b, KILN_OP_TRUNC, type, kiln_build_item(b, KILN_OP_GLOBAL_ID, 1));
}

// What extensions and truncations make of a value, and sums and products make of these.
static void extend(struct kiln_builder *b, kiln_value v) {
  kiln_type type = type_of(KILN_I16);
  kiln_value id = kiln_build1(b, KILN_OP_TRUNC, type, kiln_build_item(b, KILN_OP_GLOBAL_ID, 0));
  for (unsigned op = KILN_OP_ZEXT; op <= KILN_OP_SEXT; op++) {
    kiln_value wide = kiln_build1(b, (enum kiln_op)op, type, v);
    kiln_value sum = kiln_build2(b, KILN_OP_IADD, wide, id);
    kiln_value product = kiln_build2(b, KILN_OP_IMUL, wide, kiln_const(b->fn, type, 0x101));
    kiln_build1(b, KILN_OP_TRUNC, type_of(KILN_I8), kiln_build2(b, KILN_OP_ISUB, product, sum));
    kiln_build2(b, KILN_OP_SMIN, wide, kiln_const(b->fn, type, 40));
    kiln_build2(b, KILN_OP_UMAX, kiln_const(b->fn, type, 40), sum);
    kiln_value wider = kiln_build1(b, KILN_OP_SEXT, type_of(KILN_I64), product);
    kiln_value in_memory = kiln_build2(b, KILN_OP_AND, wider, kiln_const(b->fn, type_of(KILN_I64), 255));
    kiln_build1(b, KILN_OP_PTOI, type_of(KILN_I64), kiln_build_padd(b, b->fn->params[0].value, wider, 3));
    kiln_build_load(b, type, kiln_build_padd(b, b->fn->params[0].value, in_memory, 2), 1, 0);
  }
}

// Loads from each kind of memory at the same place and at another in each lane.
static void build_loads(struct kiln_builder *b, kiln_value x) {
  struct kiln_global local = {.name = "l", .space = KILN_LOCAL, .size = 256, .align = 1};
  kiln_module_add_global(b->fn->module, &local);
  kiln_value bases[] = {b->fn->params[0].value, kiln_global_address(b->fn, 0), kiln_build_var(b, 256, 1, "")};
  kiln_value index = kiln_build1(b, KILN_OP_ZEXT, type_of(KILN_I64), x);
  for (unsigned i = 0; i < 3; i++) {
    kiln_build_load(b, type_of(KILN_I8), bases[i], 1, 0);
    kiln_build_load(b, type_of(KILN_I8), kiln_build_padd(b, bases[i], index, 1), 1, 0);
  }
}

static void build_all(struct kiln_builder *b, kiln_value x, kiln_value y) {
  build_loads(b, x);
  for (unsigned op = KILN_OP_IADD; op <= KILN_OP_POPCOUNT; op++) {
    bool unary = strlen(kiln_op_table[op].operands) == 1;
    kiln_value v = kiln_build(b, (enum kiln_op)op, 0, (kiln_value[]){x, y}, unary ? 1 : 2, 0, 0, 0);
    if (op <= KILN_OP_IMUL || op == KILN_OP_UREM || op == KILN_OP_SMAX || op == KILN_OP_AND || op == KILN_OP_LSHR)
      extend(b, v);
  }
  for (unsigned op = KILN_OP_EQ; op <= KILN_OP_ULE; op++) {
    kiln_value test = kiln_build2(b, (enum kiln_op)op, x, y);
    kiln_value wide = kiln_build1(b, KILN_OP_SEXT, type_of(KILN_I8), test);
    kiln_value chosen = kiln_build3(b, KILN_OP_SELECT, test, x, y);
    kiln_build2(b, KILN_OP_IADD, kiln_build3(b, KILN_OP_SELECT, test, wide, x), chosen);
  }
}

static void check_modes(struct items *m, unsigned long counts[3]) {
  static void (*const analyses[])(struct kiln_function *) = {kiln_function_analyse, kiln_function_analyse_packed,
                                                             kiln_function_analyse_merged};
  static const char *const names[] = {"rows", "packed", "merged"};
  static const uint64_t numbers[][2] = {{0, 1}, {0x7e, 0x80}, {0xff, 5}, {9, 0xfa}};
  struct kiln_function *fn = (struct kiln_function *)m->fn;
  for (unsigned mode = ROWS; mode <= MERGED; mode++) {
    analyses[mode](fn);
    for (unsigned first = 0; first < (mode == ROWS ? 260 : 24); first += mode == ROWS ? 13 : 7) {
      uint64_t shift = mode == ROWS ? 0 : 120;
      run_items(m, first, LANES, (enum mode)mode, &shift, numbers[first % 4]);
      check_warp(m, fn->shapes, 0, LANES, counts, names[mode]);
      if (fn->assumed_shapes)
        check_warp(m, fn->assumed_shapes, 0, LANES, counts, "assumed");
    }
  }
}

Test(pass_shape_rules, operations, .timeout = 120) {
  struct items m = {0};
  unsigned long counts[3] = {0};
  for (unsigned i = 0; i < LEAVES * LEAVES; i++) {
    struct kiln_builder b;
    struct kiln_function *fn = new_kernel(&b, KILN_I8);
    build_all(&b, leaf(&b, i % LEAVES), leaf(&b, i / LEAVES));
    kiln_build_return(&b, 0);
    m.fn = fn;
    check_modes(&m, counts);
    kiln_module_free(fn->module);
  }
  free(m.values);
  cr_assert(counts[KILN_SHAPE_UNIFORM] > 100000 && counts[KILN_SHAPE_LINEAR] > 100000,
            "%lu uniform and %lu linear values", counts[KILN_SHAPE_UNIFORM], counts[KILN_SHAPE_LINEAR]);
}

// ---- warps that begin at multiples of their lanes -------------------------------------------------------------------

enum { ALIGNED_LEAVES = 14 };

static kiln_value aligned_leaf(struct kiln_builder *b, enum kiln_kind kind, unsigned which) {
  kiln_type type = type_of(kind);
  static const struct {
    enum kiln_op id, op;
    unsigned with; // a constant
  } rows[] = {
      {KILN_OP_GLOBAL_ID, KILN_OP_IADD, 0},  {KILN_OP_LOCAL_ID, KILN_OP_IADD, 0},  {KILN_OP_GLOBAL_ID, KILN_OP_IMUL, 2},
      {KILN_OP_LOCAL_ID, KILN_OP_IMUL, 4},   {KILN_OP_GLOBAL_ID, KILN_OP_IMUL, 3}, {KILN_OP_LOCAL_ID, KILN_OP_SHL, 1},
      {KILN_OP_GLOBAL_ID, KILN_OP_IADD, 64}, {KILN_OP_LOCAL_ID, KILN_OP_IADD, 16}, {KILN_OP_LOCAL_ID, KILN_OP_IADD, 1},
      {KILN_OP_LOCAL_ID, KILN_OP_ISUB, 64},  {KILN_OP_LOCAL_ID, KILN_OP_AND, 63}};
  kiln_value size = kiln_build1(b, KILN_OP_TRUNC, type, kiln_build_item(b, KILN_OP_GLOBAL_SIZE, 0));
  kiln_value offset = kiln_build1(b, KILN_OP_TRUNC, type, kiln_build_item(b, KILN_OP_GLOBAL_OFFSET, 0));
  kiln_value local = kiln_build1(b, KILN_OP_TRUNC, type, kiln_build_item(b, KILN_OP_LOCAL_ID, 0));
  if (which == 11)
    return kiln_build2(b, KILN_OP_IADD, local, size);
  if (which == 12)
    return kiln_build2(b, KILN_OP_IADD, kiln_build2(b, KILN_OP_IMUL, offset, b->fn->params[1].value), local);
  if (which == 13)
    return kiln_build2(b, KILN_OP_IADD, b->fn->params[1].value, local);
  kiln_value id = kiln_build1(b, KILN_OP_TRUNC, type, kiln_build_item(b, rows[which].id, 0));
  return rows[which].with || which > 1
             ? kiln_build2(b, rows[which].op, id,
                           kiln_const(b->fn, type, rows[which].with & kiln_bits_mask(bits_of(b->fn, id))))
             : id;
}

// All numbers of lanes that the analysis allows, in warps that begin at their multiples.
static void check_aligned(struct items *m, unsigned least, unsigned long counts[3]) {
  struct kiln_function *fn = (struct kiln_function *)m->fn;
  unsigned max = fn->max_lanes ? fn->max_lanes : KILN_MAX_WARP_SIZE;
  cr_assert(max >= least, "%u lanes, of at least %u", max, least);
  // Where shapes do not count on rows, only local ids are aligned.
  uint64_t shifts[] = {fn->counts_on_rows || fn->alignment == KILN_ALIGNED_NONE ? 192 : 5}, numbers[] = {3, 7};
  run_items(m, 0, 256 + KILN_MAX_WARP_SIZE, ROWS, shifts, numbers);
  for (unsigned lanes = least; lanes <= max; lanes *= 2)
    for (unsigned first = 0; first < 256; first += lanes)
      check_warp(m, fn->shapes, first, lanes, counts, "aligned");
}

static bool claims_something(const struct kiln_function *fn, kiln_value v) {
  return fn->shapes[v].kind != KILN_SHAPE_VARYING && fn->insts[v].region;
}

static void check_constant(enum kiln_kind kind, unsigned which, enum kiln_op op, uint64_t c, struct items *m,
                           unsigned long counts[3]) {
  static const uint8_t leasts[] = {0, 4, 8};
  struct kiln_builder b;
  struct kiln_function *fn = new_kernel(&b, kind);
  kiln_value x = aligned_leaf(&b, kind, which), constant = kiln_const(fn, type_of(kind), c);
  kiln_value v = kiln_build2(&b, op, x, constant);
  kiln_value next =
      kiln_build2(&b, KILN_OP_LSHR, kiln_build2(&b, KILN_OP_IADD, v, x), kiln_const(fn, type_of(kind), 5));
  kiln_build_return(&b, 0);
  fn->alignment = c % 3 ? KILN_ALIGNED_ROWS : KILN_ALIGNED_LOCAL;
  fn->least_lanes = leasts[c / 3 % 3];
  m->fn = fn;
  kiln_function_analyse(fn);
  if (claims_something(fn, v) || claims_something(fn, next))
    check_aligned(m, fn->least_lanes ? fn->least_lanes : KILN_ALIGNED_LANES, counts);
  kiln_module_free(fn->module);
}

Test(pass_shape_rules, aligned_warps, .timeout = 120) {
  static const enum kiln_op ops[] = {KILN_OP_AND,  KILN_OP_OR,   KILN_OP_LSHR, KILN_OP_ASHR,
                                     KILN_OP_UDIV, KILN_OP_SDIV, KILN_OP_UREM, KILN_OP_SREM};
  struct items m = {0};
  unsigned long counts[3] = {0};
  for (unsigned which = 0; which < ALIGNED_LEAVES; which++)
    for (unsigned o = 0; o < 8; o++) {
      for (uint64_t c = which & 1; c < 256; c += 2 + (ops[o] == KILN_OP_XOR))
        check_constant(KILN_I8, which, ops[o], c ^ (c >> 1 & 1), &m, counts);
      for (unsigned k = 0; k < 32 * 4; k += k >= 36 && k % 4 == 3 ? 13 : 1) {
        uint64_t power = (uint64_t)1 << k / 4;
        uint64_t c = k % 4 == 0 ? power : k % 4 == 1 ? power - 1 : k % 4 == 2 ? -power : ~power;
        check_constant(KILN_I32, which, ops[o], k % 4 == 0 ? power * 3 : c & UINT32_MAX, &m, counts);
        check_constant(KILN_I32, which, ops[o], c & UINT32_MAX, &m, counts);
      }
    }
  free(m.values);
  cr_assert(counts[KILN_SHAPE_UNIFORM] > 10000 && counts[KILN_SHAPE_LINEAR] > 10000, "%lu uniform, %lu linear values",
            counts[KILN_SHAPE_UNIFORM], counts[KILN_SHAPE_LINEAR]);
}
