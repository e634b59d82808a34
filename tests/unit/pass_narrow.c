// Narrowing and contraction: expressions of 32 bits of which bytes, shorts and comparisons are used, with constants at
// the edges of 16 bits, give what they gave, and so do values of 64 bits that loops carry; a product and a sum give
// what the standard says of an FMA.
#include "jit/pass/common.h"
#include "tests/support/part.h"
#include "tests/unit/pass_bulk.h"

// ---- narrowing ------------------------------------------------------------------------------------------------------

enum { LEAVES = 10 };

// Bytes and shorts, extended in either way, and what fits in 16 bits only just, or not.
static kiln_value leaf(struct batch *t, unsigned which) {
  kiln_type narrow = kiln_scalar_type(which & 2 ? KILN_I16 : KILN_I8), i32 = kiln_scalar_type(KILN_I32);
  kiln_value x = kiln_build1(&t->b, KILN_OP_TRUNC, narrow, which & 1 ? t->y : t->x);
  kiln_value wide = kiln_build1(&t->b, which & 4 ? KILN_OP_SEXT : KILN_OP_ZEXT, i32, x);
  return which < 8 ? wide : which == 8 ? t->x : kiln_build2(&t->b, KILN_OP_AND, t->y, number(t, 0x1ffff));
}

static const uint32_t constants[] = {0,          1,          7,      8,      15,      16,      17,         31,
                                     0xff,       0x7f,       0x7fff, 0x8000, 0xffff,  0x10000, 0xffffffff, 0xffff8000,
                                     0xffff7fff, 0xffffff80, 0x180,  0xff00, 0x7ffff, 0x18000, 0x80000000, 3};
enum { CONSTANTS = sizeof constants / sizeof *constants };

static const enum kiln_op ops[] = {KILN_OP_IADD, KILN_OP_ISUB, KILN_OP_IMUL, KILN_OP_AND,  KILN_OP_OR,
                                   KILN_OP_XOR,  KILN_OP_SHL,  KILN_OP_LSHR, KILN_OP_ASHR, KILN_OP_SMIN,
                                   KILN_OP_SMAX, KILN_OP_UMIN, KILN_OP_UMAX, KILN_OP_SDIV, KILN_OP_UREM};
enum { OPS = sizeof ops / sizeof *ops };

// The value as a byte, as a short or compared; sometimes in a choice before.
static void use(struct batch *t, kiln_value v, kiln_value w, unsigned how) {
  if (how % 5 == 4)
    v = choice(t, kiln_build2(&t->b, KILN_OP_SLT, v, w), w, v);
  if (how % 3 == 2)
    expect(t, kiln_build2(&t->b, (enum kiln_op)(KILN_OP_EQ + how / 3 % 6), v, w));
  else
    expect(t, kiln_build1(&t->b, KILN_OP_TRUNC, kiln_scalar_type(how % 3 ? KILN_I16 : KILN_I8), v));
}

static bool narrow(struct kiln_function *fn) {
  bool changed = kiln_pass_narrow(fn);
  kiln_pass_simplify(fn);
  return changed;
}

// Groups of values are narrowed together, if that pays: one function for each expression. One operation is repeated on
// what it gives, so that it pays.
static void check_narrow(struct batch *t, unsigned number_of, kiln_value v, kiln_value w) {
  for (unsigned i = 0; i < 3; i++)
    v = kiln_build2(&t->b, KILN_OP_XOR, v, number(t, 0x55 << i));
  use(t, v, w, number_of);
  use(t, w, v, number_of + 1);
  end(t);
  begin(t);
}

Test(pass_narrow, narrow, .timeout = 120) {
  struct batch t = {.pass = narrow, .inputs = inputs, .type = kiln_scalar_type(KILN_I32)};
  t.input_count = fill_inputs(inputs, t.type, 22, 1);
  begin(&t);
  for (unsigned i = 0, n = 0; i < OPS * OPS * LEAVES * LEAVES; i += 4) {
    unsigned turn = i * 7 + i / 64;
    kiln_value x = leaf(&t, i % LEAVES),
               y = turn % 3 ? number(&t, constants[turn % CONSTANTS]) : leaf(&t, turn % LEAVES);
    kiln_value v = kiln_build2(&t.b, ops[i / LEAVES % OPS], x, y);
    kiln_value w = kiln_build2(&t.b, ops[i / LEAVES / OPS % OPS], i & 1 ? v : x,
                               i & 2 ? leaf(&t, (turn + 3) % LEAVES) : number(&t, constants[(turn / 5) % CONSTANTS]));
    check_narrow(&t, n++, v, w);
  }
  end(&t);
  cr_assert_gt(t.changed, 500, "%lu of %lu functions", t.changed, t.total / 2);
}

// The operation itself decides: without others that it would be narrowed with.
Test(pass_narrow, single_operations, .timeout = 120) {
  struct batch t = {.pass = narrow, .inputs = inputs, .type = kiln_scalar_type(KILN_I32)};
  t.input_count = fill_inputs(inputs, t.type, 22, 2);
  begin(&t);
  for (unsigned i = 0; i < OPS * LEAVES * (CONSTANTS + LEAVES); i++) {
    unsigned k = i / OPS / LEAVES;
    kiln_value x = leaf(&t, i / OPS % LEAVES), y = k < CONSTANTS ? number(&t, constants[k]) : leaf(&t, k - CONSTANTS);
    kiln_value v = kiln_build2(&t.b, ops[i % OPS], x, y);
    use(&t, v, y, i);
    use(&t, kiln_build2(&t.b, KILN_OP_LSHR, v, number(&t, 1 + i % 16)), y, i + 1);
    end(&t);
    begin(&t);
  }
  end(&t);
  cr_assert_gt(t.changed, 300, "%lu of %lu functions", t.changed, t.total / 2);
}

// ---- what loops carry

static const uint64_t wide_constants[] = {1, 3, 31, 32, 33, 0xffff, 0x80000000, 0xffffffff, 0x100000001, -1ull};
enum { WIDE = 5 + sizeof wide_constants / sizeof *wide_constants };

static kiln_value wide_leaf(struct batch *t, unsigned which) {
  which %= WIDE;
  kiln_type i32 = kiln_scalar_type(KILN_I32);
  if (which < 3)
    return which == 0 ? t->x : which == 1 ? t->y : t->z;
  if (which < 5)
    return kiln_build1(&t->b, which == 3 ? KILN_OP_ZEXT : KILN_OP_SEXT, t->type,
                       kiln_build1(&t->b, KILN_OP_TRUNC, i32, which == 3 ? t->x : t->y));
  return constant(t, wide_constants[which - 5]);
}

static kiln_value wide_operation(struct batch *t, unsigned which, kiln_value x, kiln_value y) {
  static const enum kiln_op wide_ops[] = {KILN_OP_IADD, KILN_OP_ISUB, KILN_OP_IMUL, KILN_OP_AND,  KILN_OP_OR,
                                          KILN_OP_XOR,  KILN_OP_SHL,  KILN_OP_LSHR, KILN_OP_UDIV, KILN_OP_SMIN};
  return which % 11 == 10 ? choice(t, t->yes, x, y) : op2(t, wide_ops[which % 11], x, y);
}

// Mostly the lower bits alone.
static void use_wide(struct batch *t, kiln_value v, unsigned how) {
  static const enum kiln_kind kinds[] = {KILN_I32, KILN_I16, KILN_I8};
  if (how % 16 == 15)
    expect(t, how & 16 ? v : kiln_build2(&t->b, KILN_OP_SLT, v, t->y));
  else if (how % 5 < 3)
    expect(t, kiln_build1(&t->b, KILN_OP_TRUNC, kiln_scalar_type(kinds[how % 5]), v));
  else
    expect(t, op2(t, KILN_OP_AND, v, constant(t, how % 5 == 3 ? 0xffffffff : how & 64 ? 0xfff0 : 0x180000001)));
}

static unsigned pick(unsigned *state) {
  *state = *state * 1664525 + 1013904223;
  return *state >> 12;
}

// Three iterations that carry two values, which are used inside of the loop and after it.
static void carry(struct batch *t, unsigned turn) {
  kiln_value first[] = {number(t, 0), wide_leaf(t, pick(&turn)), wide_leaf(t, pick(&turn))};
  kiln_value loop = kiln_build_loop(&t->b, first, 3), last = kiln_node_add_result(t->fn, loop, t->type);
  struct kiln_builder after = t->b;
  const kiln_value *header = kiln_node(t->fn, loop)->header.items;
  kiln_value i = header[0], p = header[1], q = header[2];
  t->b = kiln_builder_at_end(t->fn, kiln_node(t->fn, loop)->region_first);
  kiln_build_exit(&t->b, kiln_build2(&t->b, KILN_OP_SLT, i, number(t, 3)), 1, loop, pick(&turn) % 2 ? &p : &q, 1);
  kiln_value v = wide_operation(t, pick(&turn), p, wide_leaf(t, pick(&turn)));
  kiln_value w = wide_operation(t, pick(&turn), pick(&turn) % 4 ? v : p, q);
  if (pick(&turn) % 3 == 0) {
    kiln_value branch = kiln_build_if(&t->b, t->no), sides[] = {v, w};
    kiln_value either = kiln_node_add_result(t->fn, branch, t->type);
    for (unsigned r = 0; r < 2; r++) {
      struct kiln_builder side = kiln_builder_at_end(t->fn, kiln_node(t->fn, branch)->region_first + r);
      kiln_build_yield(&side, &sides[r], 1);
    }
    w = wide_operation(t, 0, either, w);
  }
  use_wide(t, pick(&turn) % 2 ? v : p, pick(&turn));
  use_wide(t, w, pick(&turn));
  kiln_value next[] = {kiln_build2(&t->b, KILN_OP_IADD, i, number(t, 1)), pick(&turn) % 4 ? v : w,
                       pick(&turn) % 5 ? w : p};
  kiln_build_continue(&t->b, loop, next, 3);
  t->b = after;
  use_wide(t, last, pick(&turn));
}

Test(pass_narrow, phis, .timeout = 120) {
  struct batch t = {.pass = kiln_pass_narrow_phis, .inputs = inputs, .type = kiln_scalar_type(KILN_I64)};
  t.input_count = fill_inputs(inputs, t.type, 22, 2);
  begin(&t);
  unsigned turns = part_of(4800);
  for (unsigned turn = 0; turn < turns; turn++) {
    carry(&t, turn);
    end(&t);
    begin(&t);
  }
  end(&t);
  cr_assert_gt(t.changed, turns / 5, "%lu of %lu functions", t.changed, t.total / 3);
}

// ---- contraction ----------------------------------------------------------------------------------------------------

struct shape {
  bool subtracts, product_first, constant, product_used_twice, product_allows, sum_allows;
};

// x * y + z in double, with one rounding and with two; `fused` says which is right.
static double expected(const struct shape *s, double x, double y, double z, bool *fused) {
  double a = s->product_first || !s->subtracts ? 1 : -1, b = s->product_first && s->subtracts ? -1 : 1;
  y = s->constant ? 0.1 : y;
  *fused = s->product_allows && s->sum_allows && !s->product_used_twice;
  return *fused ? fma(a * x, y, b * z) : a * (x * y) + b * z;
}

Test(pass_narrow, contract, .timeout = 120) {
  static const double values[] = {0.1, -0.3, 1 + 0x1p-30, -1 - 0x1p-30, 1e200, 0, -0.0, 3, 0x1p-1074};
  unsigned fused_count = 0;
  for (unsigned i = 0; i < 64; i++) {
    struct shape s = {i & 1, i & 2, i & 4, i & 8, i & 16, i & 32};
    struct batch t = {.type = kiln_scalar_type(KILN_F64)};
    begin(&t);
    kiln_value y = s.constant ? kiln_const_float(t.fn, t.type, 0.1) : t.y;
    t.flags = s.product_allows ? KILN_FP_CONTRACT : 0;
    kiln_value product = op2(&t, KILN_OP_FMUL, t.x, y);
    t.flags = s.sum_allows ? KILN_FP_CONTRACT : 0;
    expect(&t, op2(&t, s.subtracts ? KILN_OP_FSUB : KILN_OP_FADD, s.product_first ? product : t.z,
                   s.product_first ? t.z : product));
    if (s.product_used_twice)
      expect(&t, product);
    kiln_build_return(&t.b, 0);
    kiln_pass_contract(t.fn);
    for (unsigned v = 0; v < 9 * 9 * 9; v++) {
      unsigned char memory[2 * SLOT];
      double x[] = {values[v % 9], values[v / 9 % 9], values[v / 81]}, found;
      union kiln_lanes params[6] = {{{RUN_IR_BASE}}};
      bool fused;
      for (unsigned k = 0; k < 3; k++)
        memcpy(params[k + 1].bits, &x[k], 8);
      struct run_ir run = {.memory = memory, .size = sizeof memory, .params = params};
      cr_assert(run_ir(t.fn, &run), "%s", run.fault);
      memcpy(&found, memory, 8);
      double right = expected(&s, x[0], x[1], x[2], &fused);
      cr_assert(memcmp(&found, &right, 8) == 0, "shape %u of %g, %g, %g: %a, not %a", i, x[0], x[1], x[2], found,
                right);
      fused_count += fused;
      run_ir_free(&run);
    }
    kiln_module_free(t.module);
  }
  cr_assert_eq(fused_count, 8 * 729);
}
