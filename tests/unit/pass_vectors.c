// Vectors: what simplification makes of lanes that are moved about, and scalarisation of everything, changes no result.
#include "tests/unit/pass_bulk.h"

// ---- vectors --------------------------------------------------------------------------------------------------------

static kiln_value scalar_of(struct batch *t, kiln_value vector, unsigned lane) {
  kiln_type type = kiln_type_element(kiln_value_type(t->fn, vector));
  return kiln_build(&t->b, KILN_OP_EXTRACT, type, (kiln_value[]){vector, number(t, lane)}, 2, 0, 0, 0);
}

enum { WAYS = 16 + 4 * 6 + 6 };

// A vector of two lanes made from two others: any of their lanes, a lane replaced, lanes put together.
static kiln_value rearranged(struct batch *t, unsigned way, kiln_value v, kiln_value w) {
  if (way < 16)
    return kiln_build_shuffle(&t->b, v, w, (uint8_t[]){(uint8_t)(way % 4), (uint8_t)(way / 4)}, 2);
  way -= 16;
  if (way < 4 * 6) { // lane numbers are modulo 2
    kiln_value scalar = way % 4 == 0 ? kiln_const(t->fn, kiln_type_element(t->type), 7) : scalar_of(t, w, way % 4);
    kiln_value lane = way / 4 == 5 ? scalar_of(t, t->z, 0) : number(t, way / 4);
    return kiln_build(&t->b, KILN_OP_INSERT, t->type, (kiln_value[]){v, scalar, lane}, 3, 0, 0, 0);
  }
  way -= 4 * 6;
  if (way < 2)
    return kiln_build1(&t->b, KILN_OP_SPLAT, t->type, scalar_of(t, v, way));
  kiln_value lanes[] = {scalar_of(t, way & 1 ? w : v, way == 4), scalar_of(t, v, way != 5)};
  return kiln_build(&t->b, KILN_OP_VEC, t->type, lanes, 2, 0, 0, 0);
}

static void check_vectors(bool (*pass)(struct kiln_function *fn), unsigned part) {
  struct batch t = {.pass = pass, .inputs = inputs, .type = kiln_vec_type(KILN_I32, 2)};
  t.input_count = fill_inputs(inputs, t.type, 3, 2);
  begin(&t);
  for (unsigned way = 0; way < WAYS * WAYS * WAYS; way++) {
    if (way % part && way >= WAYS * WAYS * 4) // a part of those with three steps
      continue;
    make_room(&t);
    kiln_value first = rearranged(&t, way % WAYS, t.x, t.y);
    kiln_value second = rearranged(&t, way / WAYS % WAYS, first, way & 1 ? t.y : t.x);
    kiln_value third = rearranged(&t, way / WAYS / WAYS, second, way & 2 ? first : t.y);
    expect(&t, third);
    expect(&t, scalar_of(&t, way & 1 ? third : second, way % 5));
  }
  end(&t);
}

// Three and four lanes, of vectors of one, two and four.
static void check_widths(bool (*pass)(struct kiln_function *fn)) {
  struct batch t = {.pass = pass, .inputs = inputs, .type = kiln_vec_type(KILN_I16, 4)};
  t.input_count = fill_inputs(inputs, t.type, 3, 2);
  begin(&t);
  for (unsigned i = 0; i < 4096; i++) {
    make_room(&t);
    uint8_t list[] = {i % 8, i / 8 % 8, i / 64 % 8, i / 512 % 8};
    static const unsigned lanes[] = {2, 3, 4};
    kiln_value mixed = kiln_build_shuffle(&t.b, t.x, t.y, list, lanes[i % 3]);
    uint8_t again[] = {i / 3 % lanes[i % 3], i % lanes[i % 3], (uint8_t)(i % lanes[i % 3] + lanes[i % 3]), 0};
    kiln_value twice = kiln_build_shuffle(&t.b, mixed, mixed, again, 4);
    expect(&t, mixed);
    expect(&t, twice);
    expect(&t, scalar_of(&t, twice, i / 7 % 4));
    kiln_value set = mixed, one = scalar_of(&t, t.y, i % 4);
    for (unsigned k = 0; k < lanes[i % 3] + i % 2; k++) { // in an order that may leave a lane out
      kiln_value lane = number(&t, (k * (1 + i / 3 % 3) + i) % 8), value = k & 1 ? one : scalar_of(&t, t.x, k % 4);
      set = kiln_build(&t.b, KILN_OP_INSERT, kiln_value_type(t.fn, set), (kiln_value[]){set, value, lane}, 3, 0, 0, 0);
    }
    expect(&t, set);
  }
  end(&t);
}

Test(pass_vectors, simplify, .timeout = 120) {
  check_vectors(kiln_pass_simplify, 7);
  check_widths(kiln_pass_simplify);
}

// ---- scalarisation --------------------------------------------------------------------------------------------------

static kiln_value reinterpret(struct batch *t, kiln_type to, kiln_value x) {
  return kiln_build1(&t->b, KILN_OP_BITCAST, to, x);
}

// Bits of vectors as those of all other types of the same size, and of their parts.
static void reinterpret_all(struct batch *t) {
  unsigned bytes = kiln_type_bytes(t->type);
  for (unsigned k = 0; k < 7 * 7; k++) {
    make_room(t);
    enum kiln_kind kinds[] = {(enum kiln_kind)(KILN_I8 + k % 7), (enum kiln_kind)(KILN_I8 + k / 7)};
    kiln_value v = t->x;
    for (unsigned i = 0; i < 2; i++) {
      unsigned size = kiln_kind_bits(kinds[i]) / 8, lanes = bytes / size;
      bool is_type = bytes % size == 0 && (lanes <= 4 || lanes == 8 || lanes == 16);
      v = is_type ? reinterpret(t, kiln_vec_type(kinds[i], lanes), v) : v;
    }
    expect(t, v);
  }
}

static void operate(struct batch *t) {
  bool is_float = kiln_kind_is_float(kiln_type_kind(t->type));
  unsigned last = is_float ? KILN_OP_ROUND : KILN_OP_POPCOUNT, lanes = kiln_type_lanes(t->type);
  for (unsigned op = is_float ? KILN_OP_FADD : KILN_OP_IADD; op <= last; op++) {
    make_room(t);
    kiln_value x[] = {t->x, t->y, t->z};
    expect(t, kiln_build(&t->b, (enum kiln_op)op, 0, x, (uint32_t)strlen(kiln_op_table[op].operands), 0, 0, 0));
  }
  for (unsigned op = is_float ? KILN_OP_FEQ : KILN_OP_EQ; op <= (is_float ? KILN_OP_FLE : KILN_OP_ULE); op++) {
    make_room(t);
    kiln_value test = op2(t, op, t->x, t->y);
    expect(t, test);
    expect(t, choice(t, test, t->z, t->x));
    expect(t, choice(t, scalar_of(t, t->yes, 0), t->z, t->x));
    expect(t, kiln_build1(&t->b, KILN_OP_ANY, kiln_scalar_type(KILN_BOOL), test));
    expect(t, kiln_build1(&t->b, KILN_OP_ALL, kiln_scalar_type(KILN_BOOL), test));
  }
  for (unsigned i = 0; i < 2 * lanes && !is_float; i++) { // lane numbers that are computed
    make_room(t);
    kiln_value index = scalar_of(t, t->z, i % lanes);
    expect(t, kiln_build(&t->b, KILN_OP_EXTRACT, kiln_type_element(t->type), (kiln_value[]){t->x, index}, 2, 0, 0, 0));
    kiln_value operands[] = {t->y, scalar_of(t, t->x, i), index};
    expect(t, kiln_build(&t->b, KILN_OP_INSERT, t->type, operands, 3, 0, 0, 0));
  }
}

Test(pass_vectors, scalarise, .timeout = 120) {
  static const kiln_type types[] = {KILN_I8 | 2 << 8,   KILN_I8 | 16 << 8, KILN_I16 | 4 << 8, KILN_I32 | 3 << 8,
                                    KILN_I64 | 2 << 8,  KILN_F16 | 8 << 8, KILN_F32 | 4 << 8, KILN_F64 | 2 << 8,
                                    KILN_I32 | 16 << 8, KILN_I32 | 2 << 8};
  struct batch t = {.pass = kiln_pass_scalarise, .inputs = inputs};
  check_vectors(kiln_pass_scalarise, 13);
  check_widths(kiln_pass_scalarise);
  for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
    t.type = types[i];
    t.input_count = fill_inputs(inputs, t.type, 22, 4);
    begin(&t);
    reinterpret_all(&t);
    operate(&t);
    end(&t);
  }
  cr_assert_eq(t.changed, sizeof types / sizeof *types);
}
