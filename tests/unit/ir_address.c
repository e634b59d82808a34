// kiln_affine_of: random sums, products and extensions have the value of their form, whatever wraps. kiln_known_zeros:
// these bits of theirs are zero.
#include <criterion/criterion.h>

#include "jit/facts/facts.h"

#ifdef KILN_SANITIZED // such code takes ten times as long
enum { TREES = 5000 };
#else
enum { TREES = 20000 };
#endif
enum { LEAVES = 6, INPUTS = 12, MAX_VALUES = 4096 };

struct state {
  struct kiln_module *module;
  struct kiln_function *fn;
  struct kiln_builder b;
  uint64_t seed;
  uint64_t bits[MAX_VALUES];
  bool fits;      // no operation flagged nsw has overflowed
  unsigned zeros; // values with known zeros, so far
};

static uint32_t pick(struct state *s, uint32_t count) {
  s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(s->seed >> 33) % count;
}

static uint64_t input(struct state *s) {
  static const uint64_t edges[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX, UINT64_MAX};
  return pick(s, 2) ? edges[pick(s, 8)] : pick(s, 2) ? pick(s, 1000) : (uint64_t)pick(s, 1u << 30) * pick(s, 1u << 30);
}

static kiln_value tree(struct state *s, enum kiln_kind kind, unsigned depth);

static kiln_value leaf(struct state *s, enum kiln_kind kind) {
  kiln_type type = kiln_scalar_type(kind);
  if (pick(s, 3) == 0)
    return kiln_const(s->fn, type,
                      (pick(s, 2) ? pick(s, 9) : -(uint64_t)pick(s, 5)) & kiln_bits_mask(kiln_kind_bits(kind)));
  return s->fn->params[pick(s, LEAVES / 2) + (kind == KILN_I64 ? 0 : LEAVES / 2)].value;
}

static kiln_value arithmetic(struct state *s, enum kiln_kind kind, unsigned depth) {
  static const enum kiln_op ops[] = {KILN_OP_IADD, KILN_OP_IADD, KILN_OP_ISUB, KILN_OP_IMUL,
                                     KILN_OP_SHL,  KILN_OP_OR,   KILN_OP_AND,  KILN_OP_LSHR};
  enum kiln_op op = ops[pick(s, 8)];
  kiln_value x = tree(s, kind, depth + 1), y = tree(s, kind, depth + 1);
  uint16_t flags = kiln_op_has_int_flags(op) && pick(s, 2) ? KILN_INT_NSW : 0;
  return kiln_build(&s->b, op, 0, (kiln_value[]){x, y}, 2, 0, 0, flags);
}

// The quotient of a value and a constant, times the constant, plus the remainder. A few of them do not fit together.
static kiln_value joined(struct state *s, enum kiln_kind kind, unsigned depth) {
  static const enum kiln_op quotients[] = {KILN_OP_SDIV, KILN_OP_UDIV, KILN_OP_LSHR, KILN_OP_ASHR};
  static const enum kiln_op remainders[] = {KILN_OP_SREM, KILN_OP_UREM, KILN_OP_AND, KILN_OP_AND};
  kiln_type type = kiln_scalar_type(kind);
  unsigned q = pick(s, 4), r = pick(s, 8) ? q : pick(s, 4), bits = pick(s, kiln_kind_bits(kind) - 1);
  uint64_t power = (uint64_t)1 << bits, divisor = q < 2 && pick(s, 2) ? 1 + pick(s, 40) : power;
  kiln_value x = tree(s, kind, depth + 1), by = kiln_const(s->fn, type, divisor), count = kiln_const(s->fn, type, bits);
  kiln_value mask = kiln_const(s->fn, type, divisor - 1);
  kiln_value quotient = kiln_build2(&s->b, quotients[q], x, q < 2 ? by : count);
  kiln_value remainder = kiln_build2(&s->b, remainders[r], x, r < 2 ? by : mask);
  uint16_t flags = pick(s, 2) ? KILN_INT_NSW : 0;
  kiln_value product = kiln_build(&s->b, KILN_OP_IMUL, 0, (kiln_value[]){quotient, by}, 2, 0, 0, flags);
  return kiln_build(&s->b, KILN_OP_IADD, 0, (kiln_value[]){product, remainder}, 2, 0, 0, flags);
}

static kiln_value tree(struct state *s, enum kiln_kind kind, unsigned depth) {
  if (depth == 5 || pick(s, 5) == 0)
    return leaf(s, kind);
  if (pick(s, 8) == 0)
    return joined(s, kind, depth);
  if (pick(s, 3))
    return arithmetic(s, kind, depth);
  if (kind == KILN_I32)
    return kiln_build1(&s->b, KILN_OP_TRUNC, kiln_scalar_type(kind), tree(s, KILN_I64, depth + 1));
  return kiln_build1(&s->b, pick(s, 2) ? KILN_OP_SEXT : KILN_OP_ZEXT, kiln_scalar_type(kind),
                     tree(s, KILN_I32, depth + 1));
}

static bool fits_signed(const struct kiln_inst *in, unsigned bits, uint64_t a, uint64_t b) {
  __int128 x = kiln_sign_extend(a, bits), y = kiln_sign_extend(b, bits), result = 0;
  if (in->op == KILN_OP_SHL)
    result = x * ((__int128)1 << (b % bits));
  else
    result = in->op == KILN_OP_IADD ? x + y : in->op == KILN_OP_ISUB ? x - y : x * y;
  return result == kiln_sign_extend((uint64_t)result, bits);
}

// Computes all values in order, from inputs.
static void compute(struct state *s) {
  s->fits = true;
  for (kiln_value v = 1; v < s->fn->inst_count; v++) {
    const struct kiln_inst *in = &s->fn->insts[v];
    unsigned bits = kiln_kind_bits(kiln_type_kind(in->type));
    if (in->op == KILN_OP_PARAM)
      s->bits[v] = input(s) & kiln_bits_mask(bits);
    if (in->op == KILN_OP_CONST)
      s->bits[v] = in->imm;
    if (!in->region)
      continue;
    union kiln_lanes lanes[2] = {{{0}}}, result;
    const union kiln_lanes *operands[2] = {&lanes[0], &lanes[1]};
    kiln_type types[2] = {0};
    for (uint32_t i = 0; i < in->operand_count; i++) {
      lanes[i].bits[0] = s->bits[kiln_operands(s->fn, v)[i]];
      types[i] = kiln_value_type(s->fn, kiln_operands(s->fn, v)[i]);
    }
    cr_assert(kiln_eval(kiln_op_of(in), in->type, in->imm, 0, NULL, types, operands, in->operand_count, &result));
    s->bits[v] = result.bits[0];
    cr_assert_eq(s->bits[v] & kiln_known_zeros(s->fn, v), 0);
    s->zeros += kiln_known_zeros(s->fn, v) != 0;
    if (in->flags & KILN_INT_NSW)
      s->fits &= fits_signed(in, bits, lanes[0].bits[0], lanes[1].bits[0]);
  }
}

static uint64_t extended(struct state *s, kiln_value v, enum kiln_op extension) {
  unsigned bits = kiln_kind_bits(kiln_type_kind(kiln_value_type(s->fn, v)));
  return extension == KILN_OP_SEXT ? (uint64_t)kiln_sign_extend(s->bits[v], bits) : s->bits[v];
}

static uint64_t value_of(struct state *s, const struct kiln_affine *form) {
  uint64_t sum = (uint64_t)form->constant;
  for (uint32_t i = 0; i < form->term_count; i++) {
    const struct kiln_term *t = &form->terms[i];
    uint64_t scale = t->scale ? extended(s, t->scale, t->extension) : 1;
    sum += (uint64_t)t->factor * scale * extended(s, t->value, t->extension);
  }
  return sum;
}

// Whether a value of less than 64 bits is what its operands give in 128 bits, taken as the extension takes it.
static bool stays(struct state *s, kiln_value v, enum kiln_op extension) {
  const struct kiln_inst *in = kiln_inst(s->fn, v);
  const kiln_value *x = kiln_operands(s->fn, v);
  if (in->op == KILN_OP_TRUNC)
    return s->bits[x[0]] == extended(s, v, extension);
  __int128 a = (int64_t)extended(s, x[0], extension), b = (int64_t)extended(s, x[1], extension), sum = a + b;
  sum = in->op == KILN_OP_ISUB ? a - b : in->op == KILN_OP_IMUL ? a * b : sum;
  if (in->op == KILN_OP_SHL)
    sum = a * ((__int128)1 << (s->bits[x[1]] % 32));
  return sum == (int64_t)extended(s, v, extension);
}

static void check(struct state *s, kiln_value root, unsigned flags, int number) {
  struct kiln_affine form;
  kiln_affine_of(s->fn, root, flags, &form);
  cr_assert(flags & KILN_AFFINE_MAY_WRAP || !form.wrap_count);
  for (int i = 0; i < INPUTS; i++) {
    compute(s);
    bool holds = true;
    for (uint32_t w = 0; w < form.wrap_count; w++)
      holds &= stays(s, form.wraps[w].value, form.wraps[w].extension);
    uint64_t mask = kiln_bits_mask(holds ? 64 : form.exact_bits), got = value_of(s, &form);
    uint64_t expect = flags & KILN_AFFINE_EXTENDED ? extended(s, root, KILN_OP_SEXT) : s->bits[root];
    if (s->fits)
      cr_assert((got & mask) == (expect & mask), "tree %d, flags %u: %llx for %llx", number, flags,
                (unsigned long long)got, (unsigned long long)expect);
  }
}

Test(ir_address, forms_of_random_trees) {
  unsigned split = 0, zeros = 0;
  for (int i = 0; i < TREES; i++) {
    struct state s = {.module = kiln_module_new(), .seed = (uint64_t)i * 977 + 5};
    struct kiln_param params[LEAVES] = {{0}};
    for (unsigned p = 0; p < LEAVES; p++)
      params[p] = (struct kiln_param){
          .name = "", .type_name = "", .type = kiln_scalar_type(p < LEAVES / 2 ? KILN_I64 : KILN_I32)};
    s.fn = kiln_module_add_function(s.module, "f", true, KILN_VOID, params, LEAVES);
    s.b = kiln_builder_at_end(s.fn, s.fn->body);
    kiln_value root = tree(&s, KILN_I64, 0), word = tree(&s, KILN_I32, 0);
    cr_assert(s.fn->inst_count < MAX_VALUES);
    if (i % 2)
      kiln_facts_find(s.fn);
    for (unsigned flags = 0; flags < 4; flags++)
      check(&s, root, flags, i);
    for (unsigned flags = 0; flags < 4; flags++)
      check(&s, word, flags | KILN_AFFINE_EXTENDED, i);
    struct kiln_affine form;
    kiln_affine_of(s.fn, root, 0, &form);
    split += form.term_count > 1;
    zeros += s.zeros > 0;
    kiln_module_free(s.module);
  }
  cr_assert(split > TREES / 10, "only %u trees have several terms", split);
  cr_assert(zeros > TREES / 10, "only %u trees have bits that are known to be zero", zeros);
}

// The sum of a value and itself, so often that it has more paths to the value than can be walked.
Test(ir_address, forms_of_deep_values) {
  struct kiln_module *module = kiln_module_new();
  struct kiln_param param = {.name = "", .type_name = "", .type = kiln_scalar_type(KILN_I64)};
  struct kiln_function *fn = kiln_module_add_function(module, "f", true, KILN_VOID, &param, 1);
  struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
  kiln_value x = fn->params[0].value, v = x, first = 0;
  struct kiln_affine form;
  for (unsigned i = 0; i < 60; i++) {
    v = kiln_build2(&b, KILN_OP_IADD, v, v);
    first = first ? first : v;
  }
  for (unsigned i = 0; i < 1000; i++)
    v = kiln_build2(&b, KILN_OP_IADD, kiln_build2(&b, KILN_OP_IADD, v, x), kiln_const(fn, param.type, i));
  kiln_build_return(&b, 0);
  for (unsigned i = 0; i < 2; i++) {
    kiln_affine_of(fn, v, 0, &form);
    cr_assert_eq(form.term_count, 1);
    cr_assert_eq(form.terms[0].value, x);
    cr_assert_eq(form.terms[0].factor, ((int64_t)1 << 60) + 1000);
    cr_assert_eq(form.constant, 999 * 500);
    kiln_facts_find(fn); // the second form is kept
  }
  kiln_set_operands(fn, first, (kiln_value[]){x, kiln_const(fn, param.type, 0)}, 2);
  kiln_affine_of(fn, v, 0, &form);
  cr_assert_eq(form.terms[0].factor, ((int64_t)1 << 59) + 1000, "a form that is kept is found again after a change");
  kiln_module_free(module);
}

Test(ir_address, quotients_and_remainders_join) {
  static const struct {
    enum kiln_op quotient, remainder;
    uint64_t by, rest; // a divisor or count, a divisor or mask
    bool joins;
  } cases[] = {
      {KILN_OP_SDIV, KILN_OP_SREM, 28, 28, true},  {KILN_OP_UDIV, KILN_OP_UREM, 28, 28, true},
      {KILN_OP_LSHR, KILN_OP_AND, 5, 31, true},    {KILN_OP_ASHR, KILN_OP_AND, 5, 31, true},
      {KILN_OP_UDIV, KILN_OP_AND, 32, 31, true},   {KILN_OP_SDIV, KILN_OP_AND, 32, 31, false},
      {KILN_OP_SDIV, KILN_OP_UREM, 28, 28, false}, {KILN_OP_SDIV, KILN_OP_SREM, 28, 27, false},
      {KILN_OP_LSHR, KILN_OP_AND, 5, 15, false},   {KILN_OP_LSHR, KILN_OP_AND, 5, 63, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct state s = {.module = kiln_module_new()};
    struct kiln_param param = {.name = "", .type_name = "", .type = kiln_scalar_type(KILN_I32)};
    s.fn = kiln_module_add_function(s.module, "f", true, KILN_VOID, &param, 1);
    s.b = kiln_builder_at_end(s.fn, s.fn->body);
    kiln_value x = s.fn->params[0].value;
    bool shifts = cases[i].quotient == KILN_OP_LSHR || cases[i].quotient == KILN_OP_ASHR;
    uint64_t factor = shifts ? (uint64_t)1 << cases[i].by : cases[i].by;
    kiln_value q = kiln_build2(&s.b, cases[i].quotient, x, kiln_const(s.fn, param.type, cases[i].by));
    kiln_value r = kiln_build2(&s.b, cases[i].remainder, x, kiln_const(s.fn, param.type, cases[i].rest));
    kiln_value product = kiln_build2(&s.b, KILN_OP_IMUL, q, kiln_const(s.fn, param.type, factor));
    struct kiln_affine form;
    kiln_affine_of(s.fn, kiln_build2(&s.b, KILN_OP_IADD, product, r), 0, &form);
    bool joins = form.term_count == 1 && form.terms[0].value == x && form.terms[0].factor == 1;
    cr_assert_eq(joins, cases[i].joins, "case %zu", i);
    kiln_module_free(s.module);
  }
}
