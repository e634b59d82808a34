// kiln_eval: the meaning of operations at the edges.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "jit/ir/internal.h"

static uint64_t f32(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static uint64_t f64(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static float as_f32(uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float x;
  memcpy(&x, &low, sizeof x);
  return x;
}

static bool eval(enum kiln_op op, kiln_type type, kiln_type from, uint64_t imm, uint64_t x, uint64_t y, uint64_t z,
                 uint64_t *out) {
  union kiln_lanes lanes[3] = {{{x}}, {{y}}, {{z}}}, result = {{0}};
  const union kiln_lanes *operands[3] = {&lanes[0], &lanes[1], &lanes[2]};
  kiln_type types[3] = {from, from, from};
  uint32_t count = (uint32_t)strcspn(kiln_op_table[op].operands, "*");
  bool ok = kiln_eval(op, type, imm, 0, NULL, types, operands, count, &result);
  *out = result.bits[0];
  return ok;
}

struct row {
  enum kiln_op op;
  enum kiln_kind kind;
  uint64_t x, y, expect;
};

Test(ir_eval, integers) {
  static const struct row rows[] = {
      {KILN_OP_IADD, KILN_I8, 200, 100, 44},
      {KILN_OP_SDIV, KILN_I32, 7, 0, 0},
      {KILN_OP_SDIV, KILN_I32, 0x80000000, 0xffffffff, 0x80000000},
      {KILN_OP_SDIV, KILN_I64, 0x8000000000000000, UINT64_MAX, 0x8000000000000000},
      {KILN_OP_SREM, KILN_I32, 0x80000000, 0xffffffff, 0},
      {KILN_OP_SREM, KILN_I8, 0xf9, 3, 0xff}, // -7 % 3
      {KILN_OP_SREM, KILN_I32, 7, 0, 0},
      {KILN_OP_UDIV, KILN_I64, 7, 0, 0},
      {KILN_OP_UREM, KILN_I16, 7, 0, 0},
      {KILN_OP_UDIV, KILN_I8, 0xff, 2, 0x7f},
      {KILN_OP_SDIV, KILN_I8, 0xff, 2, 0},
      {KILN_OP_SHL, KILN_I8, 1, 9, 2},
      {KILN_OP_SHL, KILN_I64, 1, 64, 1},
      {KILN_OP_LSHR, KILN_I32, 0x80000000, 33, 0x40000000},
      {KILN_OP_ASHR, KILN_I16, 0x8000, 15, 0xffff},
      {KILN_OP_ASHR, KILN_I8, 0x80, 8, 0x80},
      {KILN_OP_ROTL, KILN_I8, 0x81, 1, 3},
      {KILN_OP_ROTL, KILN_I64, 0x8000000000000001, 65, 3},
      {KILN_OP_ROTL, KILN_I16, 0x1234, 0, 0x1234},
      {KILN_OP_SMUL_HI, KILN_I32, 0xffffffff, 0xffffffff, 0},
      {KILN_OP_SMUL_HI, KILN_I64, UINT64_MAX, 2, UINT64_MAX},
      {KILN_OP_UMUL_HI, KILN_I64, UINT64_MAX, UINT64_MAX, UINT64_MAX - 1},
      {KILN_OP_UMUL_HI, KILN_I8, 0xff, 0xff, 0xfe},
      {KILN_OP_SADD_SAT, KILN_I8, 100, 100, 127},
      {KILN_OP_SADD_SAT, KILN_I64, INT64_MAX, 1, INT64_MAX},
      {KILN_OP_UADD_SAT, KILN_I64, UINT64_MAX, 1, UINT64_MAX},
      {KILN_OP_SSUB_SAT, KILN_I64, 0x8000000000000000, 1, 0x8000000000000000},
      {KILN_OP_USUB_SAT, KILN_I32, 1, 2, 0},
      {KILN_OP_SMIN, KILN_I8, 0xff, 1, 0xff},
      {KILN_OP_UMIN, KILN_I8, 0xff, 1, 1},
      {KILN_OP_CLZ, KILN_I8, 0, 0, 8},
      {KILN_OP_CLZ, KILN_I8, 1, 0, 7},
      {KILN_OP_CLZ, KILN_I64, 0, 0, 64},
      {KILN_OP_CTZ, KILN_I16, 0, 0, 16},
      {KILN_OP_CTZ, KILN_I32, 8, 0, 3},
      {KILN_OP_POPCOUNT, KILN_I64, UINT64_MAX, 0, 64},
  };
  unsigned ran = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    kiln_type type = kiln_scalar_type(rows[i].kind);
    uint64_t out;
    bool ok = eval(rows[i].op, type, type, 0, rows[i].x, rows[i].y, 0, &out);
    cr_expect(ok && out == rows[i].expect, "row %zu: %s gives %llx, not %llx", i, kiln_op_table[rows[i].op].name,
              (unsigned long long)out, (unsigned long long)rows[i].expect);
    ran++;
  }
  cr_assert_eq(ran, 36);
}

Test(ir_eval, dot_products) {
  // 4 * 128 * 255 and so on, and the sum wraps.
  static const struct {
    unsigned signs; // enum kiln_dot_signs
    uint64_t x, y, sum, expect;
  } rows[] = {
      {0, 0x01020304, 0x05060708, 0, 5 + 12 + 21 + 32},
      {0, 0xffffffff, 0xffffffff, 1, 4 * 255 * 255 + 1},
      {KILN_DOT_FIRST_SIGNED, 0xffffffff, 0xffffffff, 0, 0x100000000 - 4 * 255},
      {KILN_DOT_SECOND_SIGNED, 0x80808080, 0x80808080, 0, 0x100000000 - 4 * 128 * 128},
      {KILN_DOT_SECOND_SIGNED, 0xff000000, 0x80ffffff, 0, 0x100000000 - 255 * 128},
      {KILN_DOT_FIRST_SIGNED, 0xff000000, 0x80ffffff, 0, 0x100000000 - 128},
      {KILN_DOT_FIRST_SIGNED | KILN_DOT_SECOND_SIGNED, 0x80808080, 0x80808080, 0, 4 * 128 * 128},
      {KILN_DOT_FIRST_SIGNED | KILN_DOT_SECOND_SIGNED, 0x7f80ff01, 0x80020301, 0xfffffff0,
       0x100000000 - 127 * 128 - 256 - 3 + 1 - 16},
      {0, 0x000000ff, 0x000000ff, 0xffffffff, 255 * 255 - 1},
  };
  kiln_type type = kiln_scalar_type(KILN_I32), types[] = {type, type, type};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    union kiln_lanes x[3] = {{{rows[i].x}}, {{rows[i].y}}, {{rows[i].sum}}}, out;
    const union kiln_lanes *operands[] = {&x[0], &x[1], &x[2]};
    cr_assert(kiln_eval(KILN_OP_DOT4, type, rows[i].signs, 0, NULL, types, operands, 3, &out));
    cr_expect_eq(out.bits[0], rows[i].expect, "row %zu: %llx, not %llx", i, (unsigned long long)out.bits[0],
                 (unsigned long long)rows[i].expect);
  }
}

Test(ir_eval, float_to_int) {
  static const struct {
    double x;
    enum kiln_kind to;
    bool is_signed;
    enum kiln_round mode;
    uint64_t expect;
  } rows[] = {
      {2.5, KILN_I32, true, KILN_ROUND_EVEN, 2},
      {3.5, KILN_I32, true, KILN_ROUND_EVEN, 4},
      {-2.5, KILN_I32, true, KILN_ROUND_DOWN, 0xfffffffd},
      {-2.5, KILN_I32, true, KILN_ROUND_UP, 0xfffffffe},
      {-2.9, KILN_I32, true, KILN_ROUND_ZERO, 0xfffffffe},
      {1e30, KILN_I32, true, KILN_ROUND_ZERO, 0x7fffffff},
      {-1e30, KILN_I32, true, KILN_ROUND_ZERO, 0x80000000},
      {-1e30, KILN_I32, false, KILN_ROUND_ZERO, 0},
      {1e30, KILN_I64, false, KILN_ROUND_ZERO, UINT64_MAX},
      {9223372036854775808.0, KILN_I64, true, KILN_ROUND_ZERO, INT64_MAX},
      {9223372036854775808.0, KILN_I64, false, KILN_ROUND_ZERO, 0x8000000000000000},
      {-9223372036854775808.0, KILN_I64, true, KILN_ROUND_ZERO, 0x8000000000000000},
      {NAN, KILN_I8, true, KILN_ROUND_ZERO, 0},
      {127.5, KILN_I8, true, KILN_ROUND_EVEN, 127},
      {-0.5, KILN_I8, false, KILN_ROUND_DOWN, 0},
      {255.9, KILN_I8, false, KILN_ROUND_ZERO, 255},
      {-128.9, KILN_I8, true, KILN_ROUND_ZERO, 0x80},
      {INFINITY, KILN_I16, true, KILN_ROUND_UP, 0x7fff},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint64_t out;
    bool ok = eval(rows[i].is_signed ? KILN_OP_FTOS : KILN_OP_FTOU, kiln_scalar_type(rows[i].to),
                   kiln_scalar_type(KILN_F64), rows[i].mode, f64(rows[i].x), 0, 0, &out);
    cr_expect(ok && out == rows[i].expect, "row %zu: %g gives %llx", i, rows[i].x, (unsigned long long)out);
  }
}

// Against the compiler's own conversions, which round to nearest even.
Test(ir_eval, rounding_to_float) {
  uint64_t x = 1, failures = 0, count = 200000;
  for (uint64_t i = 0; i < count; i++) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    uint64_t value = x >> (i % 64), out;
    double d;
    uint64_t random = x ^ x >> 17;
    memcpy(&d, &random, sizeof d);
    eval(KILN_OP_UTOF, kiln_scalar_type(KILN_F32), kiln_scalar_type(KILN_I64), KILN_ROUND_EVEN, value, 0, 0, &out);
    failures += out != f32((float)value);
    eval(KILN_OP_STOF, kiln_scalar_type(KILN_F64), kiln_scalar_type(KILN_I64), KILN_ROUND_EVEN, value, 0, 0, &out);
    failures += out != f64((double)(int64_t)value);
    eval(KILN_OP_FTOF, kiln_scalar_type(KILN_F32), kiln_scalar_type(KILN_F64), KILN_ROUND_EVEN, f64(d), 0, 0, &out);
    failures += !isnan(d) && out != f32((float)d);
  }
  cr_assert_eq(failures, 0, "%llu of %llu differ", (unsigned long long)failures, (unsigned long long)count);
}

// Every f16 is exact in f64 and comes back; directed modes bracket the value.
Test(ir_eval, half) {
  unsigned failures = 0;
  for (uint64_t h = 0; h < 0x10000; h++) {
    double value = kiln_float_value(KILN_F16, h);
    if (isnan(value))
      continue;
    for (int mode = KILN_ROUND_EVEN; mode <= KILN_ROUND_DOWN; mode++)
      failures += kiln_float_round(KILN_F16, value, (enum kiln_round)mode) != h;
    if (isinf(value) || (h & 0x7fff) == 0x7bff)
      continue;
    bool negative = h & 0x8000;
    double between = kiln_float_value(KILN_F16, h + 1) * 0.25 + value * 0.75;
    failures += kiln_float_round(KILN_F16, between, KILN_ROUND_EVEN) != h;
    failures += kiln_float_round(KILN_F16, between, KILN_ROUND_ZERO) != h;
    failures += kiln_float_round(KILN_F16, between, KILN_ROUND_UP) != (negative ? h : h + 1);
    failures += kiln_float_round(KILN_F16, between, KILN_ROUND_DOWN) != (negative ? h + 1 : h);
  }
  cr_assert_eq(failures, 0, "%u conversions differ", failures);
  cr_expect_eq(kiln_float_round(KILN_F16, 65520, KILN_ROUND_EVEN), 0x7c00u);
  cr_expect_eq(kiln_float_round(KILN_F16, 65519.9, KILN_ROUND_EVEN), 0x7bffu);
  cr_expect_eq(kiln_float_round(KILN_F16, 1e9, KILN_ROUND_ZERO), 0x7bffu);
  cr_expect_eq(kiln_float_round(KILN_F16, -1e9, KILN_ROUND_UP), 0xfbffu);
  cr_expect_eq(kiln_float_round(KILN_F16, 0x1p-25, KILN_ROUND_EVEN), 0u);
  cr_expect_eq(kiln_float_round(KILN_F16, 0x1.8p-25, KILN_ROUND_EVEN), 1u);
  cr_expect_eq(kiln_float_round(KILN_F16, 0x1p-1000, KILN_ROUND_UP), 1u);
}

// The sum 1 + 2^-11 + tiny lies just above a tie: rounding the sum to f64 first would lose the tiny part.
Test(ir_eval, half_fma_rounds_once) {
  kiln_type type = kiln_scalar_type(KILN_F16);
  uint64_t out;
  // 0x1.004p-11 (exactly (1 + 2^-10) * 2^-11) + 1 is above the tie between 1 and 1 + 2^-10
  eval(KILN_OP_FMA, type, type, 0, 0x3c01, 0x1000, 0x3c00, &out);
  cr_expect_eq(out, 0x3c01u, "%llx", (unsigned long long)out);
  eval(KILN_OP_FMA, type, type, 0, 0x0001, 0x0001, 0x3c00, &out); // 1 + 2^-48
  cr_expect_eq(out, 0x3c00u, "%llx", (unsigned long long)out);
}

Test(ir_eval, floats) {
  kiln_type type = kiln_scalar_type(KILN_F32);
  static const struct {
    enum kiln_op op;
    float x, y, expect;
  } rows[] = {
      {KILN_OP_FADD, 1, 0x1p-24f, 1},   {KILN_OP_FMUL, 0x1p-149f, 0.5f, 0},
      {KILN_OP_FMIN, NAN, 2, 2},        {KILN_OP_FMIN, 2, NAN, 2},
      {KILN_OP_FMAX, NAN, -2, -2},      {KILN_OP_FREM, -7, 3, -1},
      {KILN_OP_RINT, 2.5f, 0, 2},       {KILN_OP_RINT, -3.5f, 0, -4},
      {KILN_OP_ROUND, 2.5f, 0, 3},      {KILN_OP_ROUND, -2.5f, 0, -3},
      {KILN_OP_TRUNCF, -2.9f, 0, -2},   {KILN_OP_FLOOR, -2.1f, 0, -3},
      {KILN_OP_COPYSIGN, 3, -0.0f, -3}, {KILN_OP_RSQRT, 4, 0, 0.5f},
      {KILN_OP_EXP10, 2, 0, 100},       {KILN_OP_NEXTAFTER, 1, 2, 1 + 0x1p-23f},
      {KILN_OP_REMAINDER, 5, 3, -1},    {KILN_OP_LOGB, 8, 0, 3},
      {KILN_OP_LGAMMA, 1, 0, 0},        {KILN_OP_HYPOT, 3, 4, 5},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint64_t out;
    bool ok = eval(rows[i].op, type, type, 0, f32(rows[i].x), f32(rows[i].y), 0, &out);
    cr_expect(ok && out == f32(rows[i].expect), "row %zu: %s gives %g, not %g", i, kiln_op_table[rows[i].op].name,
              as_f32(out), rows[i].expect);
  }
}

Test(ir_eval, nan_results_are_canonical) {
  static const enum kiln_kind kinds[] = {KILN_F16, KILN_F32, KILN_F64};
  static const uint64_t zero = 0, quiet[] = {0x7e00, 0x7fc00000, 0x7ff8000000000000};
  for (unsigned i = 0; i < 3; i++) {
    kiln_type type = kiln_scalar_type(kinds[i]);
    uint64_t out;
    eval(KILN_OP_FDIV, type, type, 0, zero, zero, 0, &out);
    cr_expect_eq(out, quiet[i], "kind %u: %llx", kinds[i], (unsigned long long)out);
  }
}

Test(ir_eval, bitcast_and_lanes) {
  union kiln_lanes x = {{0x04030201, 0x08070605}}, out;
  const union kiln_lanes *operands[] = {&x};
  kiln_type from = kiln_vec_type(KILN_I32, 2);
  cr_assert(kiln_eval(KILN_OP_BITCAST, kiln_vec_type(KILN_I8, 8), 0, 0, NULL, &from, operands, 1, &out));
  for (unsigned i = 0; i < 8; i++)
    cr_expect_eq(out.bits[i], i + 1, "lane %u", i);
  cr_assert(kiln_eval(KILN_OP_BITCAST, kiln_scalar_type(KILN_I64), 0, 0, NULL, &from, operands, 1, &out));
  cr_expect_eq(out.bits[0], 0x0807060504030201u);
}

// Every pure operation is known to the evaluator for every type that the verifier lets it have.
Test(ir_eval, every_pure_operation) {
  unsigned ran = 0;
  for (unsigned op = 0; op < KILN_OP_COUNT; op++) {
    const struct kiln_op_info *info = &kiln_op_table[op];
    if (info->effect != KILN_EFFECT_PURE)
      continue;
    bool has_float = strchr(info->operands, 'f') != NULL, has_bool = strchr(info->operands, 'b') != NULL;
    kiln_type from = has_float ? kiln_scalar_type(KILN_F32) : kiln_scalar_type(has_bool ? KILN_BOOL : KILN_I32);
    kiln_type type = from;
    if (op == KILN_OP_STOF || op == KILN_OP_UTOF)
      type = kiln_scalar_type(KILN_F32);
    else if (op == KILN_OP_FTOS || op == KILN_OP_FTOU)
      type = kiln_scalar_type(KILN_I32);
    union kiln_lanes zero = {{0}}, out;
    const union kiln_lanes *operands[] = {&zero, &zero, &zero};
    kiln_type types[] = {from, from, from};
    static const uint8_t lanes[16];
    uint32_t count = (uint32_t)strlen(info->operands);
    cr_expect(kiln_eval((enum kiln_op)op, type, 0, 0, lanes, types, operands, count, &out), "%s", info->name);
    ran++;
  }
  cr_assert_gt(ran, 100, "%u operations", ran);
}
