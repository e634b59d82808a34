// Simplification changes no result: expressions in bulk, each operation with each constant at the edges of its type and
// inside of each other operation, run before and after the pass with arguments at the edges.
#include "tests/unit/pass_bulk.h"

// ---- integers -------------------------------------------------------------------------------------------------------

static void one_operation(struct batch *t, unsigned first, unsigned last) {
  uint64_t edges[64];
  unsigned count = edges_of(kiln_type_kind(t->type), edges);
  for (unsigned op = first; op <= last; op++) {
    make_room(t);
    expect(t, either(t, op, t->x, t->x));
    expect(t, either(t, op, t->x, t->y));
    for (unsigned i = 0; i < count; i++) {
      make_room(t);
      expect(t, either(t, op, t->x, constant(t, edges[i])));
      expect(t, either(t, op, constant(t, edges[i]), t->x));
    }
  }
}

// One operation inside of another, with constants: so many edges after 0. sides: also with the constants on the left.
static void two_operations(struct batch *t, unsigned first, unsigned last, unsigned edge_count, bool sides) {
  uint64_t edges[64];
  edges_of(kiln_type_kind(t->type), edges);
  for (unsigned inner = first; inner <= last; inner++)
    for (unsigned i = 2; i < (is_unary(inner) ? 3 : 2 + 2 * edge_count); i += sides ? 1 : 2)
      for (unsigned outer = first; outer <= (last == KILN_OP_POPCOUNT ? KILN_OP_ULE : last); outer++) {
        if (outer == last + 1)
          outer = KILN_OP_EQ;
        for (unsigned k = 2; k < (is_unary(outer) ? 3 : 2 + 2 * edge_count); k += sides ? 1 : 2) {
          make_room(t);
          kiln_value c = constant(t, edges[i / 2]), d = constant(t, edges[k / 2]);
          kiln_value v = i & 1 ? either(t, inner, c, t->x) : either(t, inner, t->x, c);
          expect(t, k & 1 ? either(t, outer, d, v) : either(t, outer, v, d));
        }
      }
}

// One operation on x and y inside of another that takes them, too.
static void with_itself(struct batch *t, unsigned first, unsigned last) {
  for (unsigned inner = first; inner <= last; inner++)
    for (unsigned outer = first; outer <= last; outer++) {
      make_room(t);
      kiln_value v = either(t, inner, t->x, t->y), w = either(t, inner, t->y, t->x);
      expect(t, either(t, outer, v, t->x));
      expect(t, either(t, outer, t->y, v));
      expect(t, either(t, outer, v, w));
      expect(t, either(t, outer, t->x, either(t, inner, t->x, t->x)));
    }
}

static const kiln_type int_types[] = {KILN_I8 | 1 << 8, KILN_I16 | 1 << 8, KILN_I32 | 1 << 8, KILN_I64 | 1 << 8,
                                      KILN_I16 | 4 << 8};
Test(pass_simplify, integers, .timeout = 120) {
  struct batch t = {.pass = kiln_pass_simplify, .inputs = inputs};
  for (unsigned i = 0; i < 5; i++) {
    t.type = int_types[i];
    t.input_count = fill_inputs(inputs, t.type, 22, 4);
    begin(&t);
    one_operation(&t, KILN_OP_IADD, KILN_OP_POPCOUNT);
    one_operation(&t, KILN_OP_EQ, KILN_OP_ULE);
    with_itself(&t, KILN_OP_IADD, KILN_OP_POPCOUNT);
    end(&t);
    t.input_count = fill_inputs(inputs, t.type, 9, 1);
    begin(&t);
    if (i % 3 != 1) // not of 16 bits
      two_operations(&t, KILN_OP_IADD, KILN_OP_POPCOUNT, 4, i == 0);
    end(&t);
  }
  cr_assert_gt(t.total, 70000, "%lu expressions", t.total);
}

// All constants of 8 bits.
Test(pass_simplify, bytes, .timeout = 120) {
  struct batch t = {.pass = kiln_pass_simplify, .inputs = inputs, .type = int_types[0], .input_count = 86};
  for (unsigned i = 0; i < 86; i++) {
    memset(inputs[i], 0, sizeof inputs[i]);
    inputs[i][0].bits[0] = RUN_IR_BASE;
    inputs[i][1].bits[0] = 3 * i;
  }
  begin(&t);
  for (unsigned op = KILN_OP_IADD; op <= KILN_OP_ULE; op++) {
    if (op == KILN_OP_POPCOUNT + 1)
      op = KILN_OP_EQ;
    for (uint64_t c = 0; c < 256; c += op >= KILN_OP_EQ ? 5 : 1) {
      make_room(&t);
      expect(&t, either(&t, op, t.x, constant(&t, c)));
    }
  }
  end(&t);
  cr_assert_gt(t.total, 6000);
}

// Three operations on x, y and z: arguments of 8 bits hold their whole truth table.
Test(pass_simplify, bits_of_three, .timeout = 120) {
  union kiln_lanes table[1][6] = {{{{RUN_IR_BASE}}, {{0xf0}}, {{0xcc}}, {{0xaa}}}};
  static const enum kiln_op ops[] = {KILN_OP_AND, KILN_OP_OR, KILN_OP_XOR};
  struct batch t = {.pass = kiln_pass_simplify,
                    .inputs = (const union kiln_lanes(*)[6])table,
                    .type = int_types[0],
                    .input_count = 1};
  begin(&t);
  for (unsigned o = 0; o < 81; o++)
    for (unsigned v = 0; v < 243; v++) {
      make_room(&t);
      kiln_value leaves[] = {t.x, t.y, t.z};
      kiln_value a = leaves[v % 3], b = leaves[v / 3 % 3], c = leaves[v / 9 % 3], d = leaves[v / 27 % 3];
      kiln_value rest = op2(&t, ops[o % 3], d, leaves[v / 81]), both = op2(&t, ops[o / 3 % 3], a, b);
      kiln_value with = v & 1 ? op2(&t, ops[o / 9 % 3], c, rest) : op2(&t, ops[o / 9 % 3], rest, c);
      expect(&t, o & 1 ? op2(&t, ops[o / 27], both, with) : op2(&t, ops[o / 27], with, both));
    }
  for (unsigned o = 0; o < 9; o++) // three products
    for (unsigned v = 0; v < 729; v++) {
      make_room(&t);
      kiln_value leaves[] = {t.x, t.y, t.z};
      kiln_value first = op2(&t, KILN_OP_AND, leaves[v % 3], leaves[v / 3 % 3]);
      kiln_value second = op2(&t, KILN_OP_AND, leaves[v / 9 % 3], leaves[v / 27 % 3]);
      kiln_value third = op2(&t, KILN_OP_AND, leaves[v / 81 % 3], leaves[v / 243]);
      kiln_value sum = op2(&t, ops[o / 3], second, third);
      expect(&t, v & 1 ? op2(&t, ops[o % 3], first, sum) : op2(&t, ops[o % 3], sum, first));
    }
  end(&t);
}

// ---- choices and comparisons ----------------------------------------------------------------------------------------

static kiln_value bool_of(struct batch *t, unsigned which) {
  kiln_type type = kiln_value_type(t->fn, t->yes);
  kiln_value values[] = {t->yes, t->no, kiln_const(t->fn, type, 0), kiln_const(t->fn, type, 1)};
  return which < 4 ? values[which] : kiln_build1(&t->b, KILN_OP_BNOT, type, values[which - 4]);
}

static void choices(struct batch *t, const uint64_t *edges, unsigned edge_count) {
  for (unsigned op = KILN_OP_EQ; op <= KILN_OP_ULE; op++)
    for (unsigned i = 0; i < edge_count * 4; i++) {
      make_room(t);
      kiln_value y = i < 4 ? t->y : constant(t, edges[i / 4]), x = i & 1 ? y : t->x, z = i & 1 ? t->x : y;
      kiln_value test = op2(t, op, t->x, y), inverse = kiln_build1(&t->b, KILN_OP_BNOT, 0, test);
      expect(t, choice(t, i & 2 ? inverse : test, x, z));
      expect(t, i & 1 ? inverse : kiln_build1(&t->b, KILN_OP_BNOT, 0, inverse));
    }
  for (unsigned op = KILN_OP_EQ; op <= KILN_OP_ULE; op++)
    for (unsigned i = 0; i < edge_count * edge_count * edge_count; i++) {
      make_room(t);
      kiln_value a = constant(t, edges[i % edge_count]), b = constant(t, edges[i / edge_count % edge_count]);
      expect(t, op2(t, op, choice(t, t->yes, a, b), constant(t, edges[i / edge_count / edge_count])));
    }
  for (unsigned op = KILN_OP_EQ; op <= KILN_OP_ULE; op++)
    for (unsigned i = 0; i < edge_count; i++)
      for (unsigned widening = KILN_OP_ZEXT; widening <= KILN_OP_SEXT; widening++) {
        make_room(t);
        expect(t, op2(t, op, op1(t, widening, t->yes), constant(t, edges[i])));
      }
}

static void bools(struct batch *t) {
  for (unsigned i = 0; i < 512; i++) {
    make_room(t);
    expect(t, choice(t, bool_of(t, i % 8), bool_of(t, i / 8 % 8), bool_of(t, i / 64)));
  }
  for (unsigned op = KILN_OP_BAND; op <= KILN_OP_BXOR; op++)
    for (unsigned inner = KILN_OP_BAND; inner <= KILN_OP_BXOR; inner++)
      for (unsigned i = 0; i < 512; i++) {
        make_room(t);
        expect(t, op2(t, op, op2(t, inner, bool_of(t, i % 8), bool_of(t, i / 8 % 8)), bool_of(t, i / 64)));
      }
  make_room(t);
  for (unsigned i = 0; i < 8; i++)
    expect(t, choice(t, bool_of(t, i), t->x, t->y));
}

Test(pass_simplify, choices, .timeout = 120) {
  struct batch t = {.pass = kiln_pass_simplify, .inputs = inputs};
  uint64_t edges[64];
  for (unsigned i = 0; i < 5; i++) {
    t.type = int_types[i];
    t.input_count = fill_inputs(inputs, t.type, 7, 5);
    edges_of(kiln_type_kind(t.type), edges);
    begin(&t);
    choices(&t, edges, 6);
    if (i != 1)
      bools(&t);
    end(&t);
  }
  cr_assert_gt(t.total, 20000);
}

// ---- floats ---------------------------------------------------------------------------------------------------------

// Fused products with constants, and with signs at each place.
static void fused(struct batch *t) {
  uint64_t edges[64];
  unsigned count = edges_of(kiln_type_kind(t->type), edges);
  for (unsigned i = 0; i < count; i++)
    for (unsigned k = 0; k < 24; k++) {
      make_room(t);
      kiln_value c = constant(t, edges[i]), x = k & 1 ? op1(t, KILN_OP_FNEG, t->x) : t->x;
      kiln_value y = k & 2 ? op1(t, KILN_OP_FNEG, t->y) : t->y, z = k & 4 ? op1(t, KILN_OP_FNEG, y) : y;
      kiln_value at[3][3] = {{c, x, z}, {x, c, z}, {x, y, c}};
      expect(t, kiln_build(&t->b, KILN_OP_FMA, t->type, at[k / 8], 3, 0, 0, t->flags));
      if (i == 0)
        expect(t, kiln_build(&t->b, KILN_OP_FMA, t->type, (kiln_value[]){x, y, z}, 3, 0, 0, t->flags));
    }
}

// Signs inside of sums, products and quotients.
static void signs(struct batch *t) {
  uint64_t edges[64];
  unsigned count = edges_of(kiln_type_kind(t->type), edges);
  for (unsigned op = KILN_OP_FADD; op <= KILN_OP_FDIV; op++)
    for (unsigned i = 0; i < 4 + count; i++) {
      make_room(t);
      kiln_value x = i & 1 ? op1(t, KILN_OP_FNEG, t->x) : t->x, y = i & 2 ? op1(t, KILN_OP_FNEG, t->y) : t->y;
      if (i >= 4) { // a constant in place of y
        y = constant(t, edges[i - 4]);
        expect(t, op2(t, op, y, op1(t, KILN_OP_FNEG, t->x)));
        expect(t, op2(t, op, op1(t, KILN_OP_FNEG, t->x), y));
      }
      expect(t, op2(t, op, x, y));
      expect(t, op1(t, KILN_OP_FNEG, op2(t, op, x, y)));
      expect(t, op1(t, KILN_OP_FABS, op2(t, op, y, x)));
    }
  for (unsigned op = KILN_OP_FEQ; op <= KILN_OP_FLE; op++)
    for (unsigned i = 0; i < count; i++) {
      make_room(t);
      kiln_value test = op2(t, op, t->x, constant(t, edges[i]));
      expect(t, test);
      expect(t, kiln_build1(&t->b, KILN_OP_BNOT, 0, test));
      expect(t, choice(t, kiln_build1(&t->b, KILN_OP_BNOT, 0, op2(t, op, t->x, t->y)), t->x, t->y));
      expect(t, choice(t, op2(t, op, t->x, t->y), t->y, t->x));
    }
}

Test(pass_simplify, floats, .timeout = 120) {
  struct batch t = {.pass = kiln_pass_simplify, .inputs = inputs};
  static const enum kiln_kind kinds[] = {KILN_F16, KILN_F32, KILN_F64};
  for (unsigned i = 0; i < 6; i++) {
    t.type = kiln_vec_type(kinds[i % 3], i == 5 ? 2 : 1);
    t.flags = i >= 3 ? KILN_FP_NSZ : 0;
    t.input_count = fill_inputs(inputs, t.type, 40, 2);
    begin(&t);
    one_operation(&t, KILN_OP_FADD, KILN_OP_FDIV);
    one_operation(&t, KILN_OP_FNEG, KILN_OP_FABS);
    one_operation(&t, KILN_OP_FMIN, KILN_OP_ROUND);
    signs(&t);
    fused(&t);
    end(&t);
    if (t.flags) // a zero of the other sign gives another quotient
      continue;
    t.input_count = fill_inputs(inputs, t.type, 30, 1);
    begin(&t);
    two_operations(&t, KILN_OP_FADD, KILN_OP_FDIV, 8, true);
    end(&t);
  }
  cr_assert_gt(t.total, 20000, "%lu expressions", t.total);
}

// ---- conversions ----------------------------------------------------------------------------------------------------

// The kind that an integer may be converted to by the operation.
static bool resizes(unsigned op, enum kiln_kind from, enum kiln_kind to) {
  return op == KILN_OP_TRUNC ? to < from : op == KILN_OP_BITCAST ? to == from : to > from;
}

// Up to three extensions and truncations of x or of a condition.
static void resize(struct batch *t, kiln_value x, unsigned depth, const unsigned char *way) {
  enum kiln_kind from = kiln_type_kind(kiln_value_type(t->fn, x));
  if (depth == 3) {
    expect(t, x);
    return;
  }
  if (way[depth] == 0) {
    expect(t, x);
    return;
  }
  unsigned op = KILN_OP_TRUNC + (way[depth] - 1u) / 4;
  enum kiln_kind to = (enum kiln_kind)(KILN_I8 + (way[depth] - 1) % 4);
  if (resizes(op, from, to))
    resize(t, convert(t, op, to, x, 0), depth + 1, way);
}

Test(pass_simplify, resized_integers, .timeout = 120) {
  struct batch t = {.pass = kiln_pass_simplify, .inputs = inputs};
  for (unsigned i = 0; i < 5; i++) {
    t.type = int_types[i % 4];
    t.input_count = fill_inputs(inputs, t.type, 22, 2);
    begin(&t);
    for (unsigned way = 0; way < 13 * 13 * 13; way++) {
      make_room(&t);
      resize(&t, i == 4 ? t.yes : t.x, 0,
             (unsigned char[]){(unsigned char)(way % 13), (unsigned char)(way / 13 % 13), (unsigned char)(way / 169)});
    }
    end(&t);
  }
  cr_assert_gt(t.total, 1000, "%lu expressions", t.total);
}

// Floats to floats and back in each rounding mode, and by way of integers.
Test(pass_simplify, converted_floats, .timeout = 120) {
  static const enum kiln_kind kinds[] = {KILN_F16, KILN_F32, KILN_F64};
  struct batch t = {.pass = kiln_pass_simplify, .inputs = inputs};
  for (unsigned i = 0; i < 3; i++) {
    t.type = kiln_scalar_type(kinds[i]);
    t.input_count = fill_inputs(inputs, t.type, 50, 1);
    begin(&t);
    for (unsigned k = 0; k < 9 * 16; k++) {
      if (kinds[k % 3] == kinds[i] || kinds[k % 3] == kinds[k / 3 % 3])
        continue;
      make_room(&t);
      kiln_value middle = convert(&t, KILN_OP_FTOF, kinds[k % 3], t.x, k / 9 % 4);
      expect(&t, convert(&t, KILN_OP_FTOF, kinds[k / 3 % 3], middle, k / 36));
    }
    for (unsigned k = 0; k < 4 * 16 * 3; k++) {
      make_room(&t);
      enum kiln_kind to = (enum kiln_kind)(KILN_I8 + k % 4);
      kiln_value s = convert(&t, KILN_OP_FTOS, to, t.x, k / 4 % 4), u = convert(&t, KILN_OP_FTOU, to, t.x, k / 4 % 4);
      expect(&t, convert(&t, KILN_OP_STOF, kinds[k / 64], s, k / 16 % 4));
      expect(&t, convert(&t, KILN_OP_UTOF, kinds[k / 64], u, k / 16 % 4));
    }
    enum kiln_kind bits = i == 0 ? KILN_I16 : i == 1 ? KILN_I32 : KILN_I64;
    make_room(&t);
    expect(&t, convert(&t, KILN_OP_BITCAST, kinds[i], convert(&t, KILN_OP_BITCAST, bits, t.x, 0), 0));
    end(&t);
  }
}

// Offsets in rows of offsets, to where the sum may wrap.
Test(pass_simplify, addresses, .timeout = 120) {
  static const int64_t strides[] = {0, 1, 4, -4, 3, INT64_MIN, 1ll << 62};
  static const int64_t offsets[] = {0, 1, -1, 4, INT64_MAX, INT64_MIN, 1ll << 61};
  struct batch t = {.pass = kiln_pass_simplify, .inputs = inputs, .type = int_types[3]};
  t.input_count = fill_inputs(inputs, t.type, 9, 1);
  begin(&t);
  for (unsigned i = 0; i < 7 * 7 * 7 * 7 * 4; i++) {
    make_room(&t);
    kiln_value c = constant(&t, (uint64_t)offsets[i % 7]), d = constant(&t, (uint64_t)offsets[i / 7 % 7]);
    unsigned variable = i / 2401;
    kiln_value first = kiln_build_padd(&t.b, t.pointer, variable & 1 ? t.x : c, strides[i / 49 % 7]);
    kiln_value second = kiln_build_padd(&t.b, first, variable & 2 ? t.x : d, strides[i / 343 % 7]);
    expect(&t, kiln_build1(&t.b, KILN_OP_PTOI, t.type, second));
  }
  end(&t);
}

// ---- constant data --------------------------------------------------------------------------------------------------

// Loads from constant data, of each type at each place, also beyond its end, where nothing is known.
Test(pass_simplify, constant_data, .timeout = 120) {
  static const unsigned char data[] = {0x80, 1, 2, 0xff, 4, 0xf5, 6, 7, 8, 9, 0x8a, 11, 12, 13};
  static const kiln_type types[] = {KILN_I8 | 1 << 8,  KILN_I16 | 1 << 8, KILN_I32 | 1 << 8,
                                    KILN_I64 | 1 << 8, KILN_F16 | 1 << 8, KILN_F32 | 1 << 8,
                                    KILN_I8 | 4 << 8,  KILN_I16 | 3 << 8, KILN_I32 | 2 << 8};
  unsigned folded = 0;
  for (unsigned i = 0; i < 9 * 40 * 6; i++) {
    kiln_type type = types[i % 9];
    int64_t offset = (int64_t)(i / 9 % 40) - 20;
    unsigned which = i / 360; // 1: writable, 2: volatile, 3: zeros, 4: in steps of two, 5: an unknown index
    struct kiln_global global = {.name = "g",
                                 .space = which == 1 ? KILN_GLOBAL : KILN_CONSTANT,
                                 .size = sizeof data,
                                 .align = 1,
                                 .init = which == 3 ? NULL : data};
    struct kiln_param params[] = {{.name = "i", .type_name = "", .type = kiln_scalar_type(KILN_I64)}};
    struct kiln_module *module = kiln_module_new();
    struct kiln_function *fn = kiln_module_add_function(module, "f", false, type, params, 1);
    struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
    kiln_module_add_global(module, &global);
    kiln_value index = which == 5 ? fn->params[0].value : kiln_const(fn, params[0].type, (uint64_t)offset);
    int64_t at = which == 4 ? 2 * offset : offset;
    kiln_value pointer = kiln_build_padd(&b, kiln_global_address(fn, 0), index, which == 4 ? 2 : 1);
    kiln_build_return(&b, kiln_build_load(&b, type, pointer, 1, which == 2 ? KILN_MEM_VOLATILE : 0));
    kiln_pass_simplify(fn);
    kiln_value result = kiln_operands(fn, fn->regions[fn->body].last)[0];
    bool is_inside = at >= 0 && at + kiln_type_bytes(type) <= (int64_t)sizeof data;
    bool is_constant = kiln_value_type(fn, result) == type && kiln_inst(fn, result)->op <= KILN_OP_CONST_VEC;
    cr_assert_eq(is_constant, is_inside && which != 1 && which != 2 && which != 5, "load %u of type %x at %lld", which,
                 type, (long long)at);
    struct run_ir run = {.size = 0};
    if (is_constant && run_ir(fn, &run)) {
      union kiln_lanes found = {{0}};
      unsigned size = kiln_type_bytes(kiln_type_element(type));
      for (unsigned lane = 0; lane < kiln_type_lanes(type); lane++) {
        uint64_t bits = 0;
        memcpy(&bits, data + at + lane * size, which == 3 ? 0 : size);
        const struct kiln_inst *inst = kiln_inst(fn, result);
        found.bits[lane] = inst->op == KILN_OP_CONST ? inst->imm : kiln_inst(fn, kiln_operands(fn, result)[lane])->imm;
        cr_assert_eq(found.bits[lane], bits, "type %x at %lld, lane %u: %llx", type, (long long)at, lane,
                     (unsigned long long)found.bits[lane]);
      }
      folded++;
    }
    run_ir_free(&run);
    kiln_module_free(module);
  }
  cr_assert_gt(folded, 200, "%u loads", folded);
}
