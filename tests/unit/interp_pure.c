// Every PURE operation on every class of types: what the interpreter computes is what kiln_eval computes. This is what
// keeps the interpreter's own fast paths honest.
#include "tests/unit/interp_test.h"

#include <math.h>

#define ITEMS 96

static uint64_t random_state = 88172645463325252ull;

static uint64_t random_bits(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static uint64_t mask_of(enum kiln_kind kind) {
  unsigned bits = kiln_kind_bits(kind);
  return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}

static uint64_t float_bits(enum kiln_kind kind, double value) {
  uint64_t bits = 0;
  float single = (float)value;
  if (kind == KILN_F64)
    memcpy(&bits, &value, sizeof value);
  else if (kind == KILN_F32)
    memcpy(&bits, &single, sizeof single);
  else
    bits = random_bits() & 0xffff;
  return bits;
}

static uint64_t random_value(enum kiln_kind kind) {
  static const int64_t ints[] = {0, 1, -1, 2, 3, 7, 31, 32, 63, 64, 127, -128, 255, INT32_MAX, INT32_MIN, INT64_MIN};
  static const double floats[] = {0,    -0.0,  1,     -1,       0.5,       1.5, 2.5, -2.5,
                                  1e10, -1e30, 1e-40, INFINITY, -INFINITY, NAN, 300, 0.1};
  uint64_t choice = random_bits() >> 20;
  if (kind == KILN_BOOL)
    return choice & 1;
  if (choice % 3 == 0)
    return random_bits() & mask_of(kind);
  if (kiln_kind_is_float(kind))
    return choice % 3 == 1 ? float_bits(kind, floats[choice / 3 % 16])
                           : float_bits(kind, (double)(int64_t)random_bits() / 9e18 * (double)(choice % 100));
  return choice % 3 == 1 ? (uint64_t)ints[choice / 3 % 16] & mask_of(kind) : random_bits() % 100;
}

struct pure_case {
  enum kiln_op op;
  kiln_type result; // as kiln_build takes it
  kiln_type types[4];
  uint32_t count;
  uint64_t imm;
  uint16_t flags;
  const uint8_t *shuffle;
};

static kiln_type memory_type(kiln_type type) {
  return kiln_type_kind(type) == KILN_BOOL ? kiln_vec_type(KILN_I8, kiln_type_lanes(type)) : type;
}

static kiln_value item_pointer(struct kiln_builder *b, kiln_value pointer, kiln_type type) {
  kiln_value id = kiln_build_item(b, KILN_OP_GLOBAL_ID, 0);
  return kiln_build_padd(b, pointer, id, kiln_type_bytes(memory_type(type)));
}

// kernel: out[i] = op(in0[i], in1[i], …)
static struct kiln_module *make_module(const struct pure_case *c, kiln_type *result_type) {
  struct kiln_module *module = kiln_module_new();
  struct kiln_param params[5] = {0};
  for (uint32_t i = 0; i <= c->count; i++)
    params[i] = (struct kiln_param){.name = "", .type_name = "", .type = kiln_ptr_type(KILN_GLOBAL)};
  struct kiln_function *fn =
      kiln_module_add_function(module, "k", true, kiln_scalar_type(KILN_VOID), params, c->count + 1);
  struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
  kiln_value operands[4];
  for (uint32_t i = 0; i < c->count; i++) {
    kiln_value at = item_pointer(&b, fn->params[i + 1].value, c->types[i]);
    operands[i] = kiln_build_load(&b, memory_type(c->types[i]), at, 1, 0);
    if (kiln_type_kind(c->types[i]) == KILN_BOOL)
      operands[i] = kiln_build2(&b, KILN_OP_NE, operands[i], kiln_const(fn, memory_type(c->types[i]), 0));
  }
  kiln_value result;
  if (c->op == KILN_OP_SHUFFLE)
    result = kiln_build_shuffle(&b, operands[0], operands[1], c->shuffle, kiln_type_lanes(c->result));
  else
    result = kiln_build(&b, c->op, c->result, operands, c->count, c->imm, 0, c->flags);
  *result_type = kiln_value_type(fn, result);
  if (kiln_type_kind(*result_type) == KILN_BOOL)
    result = kiln_build1(&b, KILN_OP_ZEXT, memory_type(*result_type), result);
  kiln_build_store(&b, item_pointer(&b, fn->params[0].value, *result_type), result, 1, 0);
  kiln_build_return(&b, 0);
  return module;
}

static void put(unsigned char *at, kiln_type type, const union kiln_lanes *lanes) {
  unsigned size = kiln_type_bytes(kiln_type_element(memory_type(type)));
  for (unsigned i = 0; i < kiln_type_lanes(type); i++)
    memcpy(at + (size_t)i * size, &lanes->bits[i], size);
}

static void check(struct machine *m, const struct pure_case *c) {
  kiln_type type;
  struct kiln_module *module = make_module(c, &type);
  char name[200];
  snprintf(name, sizeof name, "%s on %#x giving %#x (imm %llu)", kiln_op_table[c->op].name, c->types[0], type,
           (unsigned long long)c->imm);
  static union kiln_lanes inputs[4][ITEMS];
  struct kiln_drv_memory *buffers[5];
  struct kiln_drv_arg args[5];
  unsigned result_bytes = kiln_type_bytes(memory_type(type));
  buffers[0] = machine_buffer(m, (size_t)result_bytes * ITEMS, NULL);
  for (uint32_t k = 0; k < c->count; k++) {
    unsigned bytes = kiln_type_bytes(memory_type(c->types[k]));
    buffers[k + 1] = machine_buffer(m, (size_t)bytes * ITEMS, NULL);
    unsigned char *data = m->driver->host_pointer(m->drv, buffers[k + 1]);
    for (int i = 0; i < ITEMS; i++) {
      for (unsigned lane = 0; lane < kiln_type_lanes(c->types[k]); lane++)
        inputs[k][i].bits[lane] = random_value(kiln_type_kind(c->types[k]));
      put(data + (size_t)i * bytes, c->types[k], &inputs[k][i]);
    }
  }
  for (uint32_t k = 0; k <= c->count; k++)
    args[k] = buffer_arg(buffers[k]);
  struct run_desc desc = {.global = {ITEMS}, .local = {32}, .args = args, .arg_count = c->count + 1};
  cr_assert_eq(machine_run_module(m, module, &desc), KILN_OK, "%s: %s", name, machine_message(m));
  const unsigned char *out = m->driver->host_pointer(m->drv, buffers[0]);
  for (int i = 0; i < ITEMS; i++) {
    const union kiln_lanes *operands[4] = {&inputs[0][i], &inputs[1][i], &inputs[2][i], &inputs[3][i]};
    union kiln_lanes expected;
    unsigned char bytes[128];
    cr_assert(kiln_eval(c->op, type, c->imm, c->flags, c->shuffle, c->types, operands, c->count, &expected), "%s",
              name);
    put(bytes, type, &expected);
    cr_expect_eq(memcmp(bytes, out + (size_t)i * result_bytes, result_bytes), 0, "%s: item %d, operand %llx", name, i,
                 (unsigned long long)inputs[0][i].bits[0]);
  }
  for (uint32_t k = 0; k <= c->count; k++)
    m->driver->free(m->drv, buffers[k]);
  kiln_module_free(module);
}

static const kiln_type int_types[] = {KILN_I8 | 1 << 8,  KILN_I16 | 1 << 8, KILN_I32 | 1 << 8, KILN_I64 | 1 << 8,
                                      KILN_I8 | 16 << 8, KILN_I32 | 3 << 8, KILN_I64 | 2 << 8, KILN_I16 | 8 << 8};
static const kiln_type float_types[] = {KILN_F16 | 1 << 8, KILN_F32 | 1 << 8, KILN_F64 | 1 << 8,
                                        KILN_F32 | 4 << 8, KILN_F64 | 3 << 8, KILN_F16 | 2 << 8};
static const kiln_type bool_types[] = {KILN_BOOL | 1 << 8, KILN_BOOL | 4 << 8, KILN_BOOL | 16 << 8};
#define COUNT(array) (sizeof(array) / sizeof *(array))

// Operations whose types follow from the table.
static unsigned check_regular(struct machine *m, enum kiln_op op) {
  const char *letters = kiln_op_table[op].operands;
  const kiln_type *types = strchr("iwx", letters[0]) ? int_types : letters[0] == 'f' ? float_types : bool_types;
  size_t count = types == int_types ? COUNT(int_types) : types == float_types ? COUNT(float_types) : COUNT(bool_types);
  for (size_t i = 0; i < count; i++) {
    struct pure_case c = {.op = op, .count = (uint32_t)strlen(letters)};
    if (letters[0] == 'w' && kiln_type_kind(types[i]) != KILN_I32)
      continue;
    for (uint32_t k = 0; k < c.count; k++)
      c.types[k] = types[i];
    check(m, &c);
  }
  return (unsigned)count;
}

static bool is_regular(enum kiln_op op) {
  const struct kiln_op_info *info = &kiln_op_table[op];
  return info->effect == KILN_EFFECT_PURE && (info->result == KILN_RESULT_SAME || info->result == KILN_RESULT_BOOL) &&
         op != KILN_OP_INSERT && op != KILN_OP_PADD;
}

Test(interp_pure, operations_with_types_from_the_table) {
  struct machine m;
  machine_open(&m);
  unsigned ops = 0, cases = 0;
  for (unsigned op = 0; op < KILN_OP_COUNT; op++) {
    if (!is_regular(op))
      continue;
    cases += check_regular(&m, op);
    ops++;
  }
  cr_expect(ops >= 90, "%u operations", ops);
  cr_expect(cases >= 550, "%u cases", cases);
  machine_close(&m);
}

static unsigned convert_all(struct machine *m, enum kiln_op op, const enum kiln_kind *from, size_t from_count,
                            const enum kiln_kind *to, size_t to_count, bool narrower, bool wider) {
  unsigned cases = 0;
  static const unsigned lanes[] = {1, 2, 3, 16};
  for (size_t i = 0; i < from_count; i++)
    for (size_t k = 0; k < to_count; k++)
      for (uint64_t imm = 0; imm < (op == KILN_OP_TRUNC || op == KILN_OP_ZEXT || op == KILN_OP_SEXT ? 1 : 4); imm++) {
        unsigned a = kiln_kind_bits(from[i]), b = kiln_kind_bits(to[k]);
        if ((narrower && b >= a) || (wider && b <= a) || (op == KILN_OP_FTOF && a == b))
          continue;
        unsigned n = lanes[cases % 4];
        check(m, &(struct pure_case){.op = op,
                                     .result = kiln_vec_type(to[k], n),
                                     .types = {kiln_vec_type(from[i], n)},
                                     .count = 1,
                                     .imm = imm});
        cases++;
      }
  return cases;
}

Test(interp_pure, conversions) {
  static const enum kiln_kind ints[] = {KILN_I8, KILN_I16, KILN_I32, KILN_I64, KILN_BOOL};
  static const enum kiln_kind floats[] = {KILN_F16, KILN_F32, KILN_F64};
  struct machine m;
  machine_open(&m);
  unsigned cases = 0;
  cases += convert_all(&m, KILN_OP_TRUNC, ints, 4, ints, 4, true, false);
  cases += convert_all(&m, KILN_OP_ZEXT, ints, 5, ints, 4, false, true);
  cases += convert_all(&m, KILN_OP_SEXT, ints, 5, ints, 4, false, true);
  cases += convert_all(&m, KILN_OP_FTOS, floats, 3, ints, 4, false, false);
  cases += convert_all(&m, KILN_OP_FTOU, floats, 3, ints, 4, false, false);
  cases += convert_all(&m, KILN_OP_STOF, ints, 4, floats, 3, false, false);
  cases += convert_all(&m, KILN_OP_UTOF, ints, 4, floats, 3, false, false);
  cases += convert_all(&m, KILN_OP_FTOF, floats, 3, floats, 3, false, false);
  cr_expect_eq(cases, 6 + 10 + 10 + 4 * (12 + 12 + 12 + 12 + 6), "%u cases", cases);
  machine_close(&m);
}

#define T(kind, lanes) (KILN_##kind | (lanes) << 8)

Test(interp_pure, dot_products) {
  struct machine m;
  machine_open(&m);
  for (uint64_t signs = 0; signs < 4; signs++)
    for (unsigned lanes = 1; lanes <= 3; lanes += 2)
      check(&m, &(struct pure_case){KILN_OP_DOT4, 0, {T(I32, lanes), T(I32, lanes), T(I32, lanes)}, 3, .imm = signs});
  machine_close(&m);
}

Test(interp_pure, vectors_choice_and_bits) {
  static const uint8_t reverse[] = {3, 2, 1, 0}, both[] = {0, 4, 1, 5, 7, 7, 6, 2}, one[] = {5};
  static const uint8_t wide[] = {31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16};
  const struct pure_case cases[] = {
      {KILN_OP_SELECT, 0, {T(BOOL, 1), T(I32, 1), T(I32, 1)}, 3},
      {KILN_OP_SELECT, 0, {T(BOOL, 1), T(F64, 4), T(F64, 4)}, 3},
      {KILN_OP_SELECT, 0, {T(BOOL, 4), T(F32, 4), T(F32, 4)}, 3},
      {KILN_OP_SELECT, 0, {T(BOOL, 16), T(I8, 16), T(I8, 16)}, 3},
      {KILN_OP_ANY, T(BOOL, 1), {T(BOOL, 2)}, 1},
      {KILN_OP_ANY, T(BOOL, 1), {T(BOOL, 16)}, 1},
      {KILN_OP_ALL, T(BOOL, 1), {T(BOOL, 2)}, 1},
      {KILN_OP_ALL, T(BOOL, 1), {T(BOOL, 3)}, 1},
      {KILN_OP_SPLAT, T(I16, 8), {T(I16, 1)}, 1},
      {KILN_OP_SPLAT, T(F32, 3), {T(F32, 1)}, 1},
      {KILN_OP_VEC, T(F32, 4), {T(F32, 1), T(F32, 1), T(F32, 1), T(F32, 1)}, 4},
      {KILN_OP_VEC, T(I64, 2), {T(I64, 1), T(I64, 1)}, 2},
      {KILN_OP_VEC, T(BOOL, 3), {T(BOOL, 1), T(BOOL, 1), T(BOOL, 1)}, 3},
      {KILN_OP_EXTRACT, T(I32, 1), {T(I32, 4), T(I32, 1)}, 2},
      {KILN_OP_EXTRACT, T(F64, 1), {T(F64, 3), T(I64, 1)}, 2},
      {KILN_OP_INSERT, 0, {T(I32, 4), T(I32, 1), T(I32, 1)}, 3},
      {KILN_OP_INSERT, 0, {T(F16, 3), T(F16, 1), T(I8, 1)}, 3},
      {KILN_OP_SHUFFLE, T(I32, 4), {T(I32, 4), T(I32, 4)}, 2, .shuffle = reverse},
      {KILN_OP_SHUFFLE, T(F32, 8), {T(F32, 4), T(F32, 4)}, 2, .shuffle = both},
      {KILN_OP_SHUFFLE, T(I8, 1), {T(I8, 3), T(I8, 3)}, 2, .shuffle = one},
      {KILN_OP_SHUFFLE, T(I16, 16), {T(I16, 16), T(I16, 16)}, 2, .shuffle = wide},
      {KILN_OP_BITCAST, T(F32, 1), {T(I32, 1)}, 1},
      {KILN_OP_BITCAST, T(I64, 1), {T(F64, 1)}, 1},
      {KILN_OP_BITCAST, T(I8, 4), {T(I32, 1)}, 1},
      {KILN_OP_BITCAST, T(I64, 2), {T(I8, 16)}, 1},
      {KILN_OP_BITCAST, T(F16, 8), {T(F32, 4)}, 1},
  };
  struct machine m;
  machine_open(&m);
  for (size_t i = 0; i < COUNT(cases); i++)
    check(&m, &cases[i]);
  cr_expect_eq(COUNT(cases), 26);
  machine_close(&m);
}
