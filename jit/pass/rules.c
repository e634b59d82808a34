// Finds the row of rules.def that fits an instruction, and makes its result.
#include "jit/pass/rules.h"

#include <math.h>
#include <string.h>

#define OP(op, ...) KILN_OP_##op, __VA_ARGS__
#define NEGATED(x) WITHOUT_SIGN, x

struct kiln_rule_match {
  struct kiln_simplify *s;
  kiln_value inst;
  kiln_value values[ZERO - X]; // of X, Y, …; 0: not known yet
  uint16_t flags;              // of the operations of the result
};

static kiln_type type_of(const struct kiln_rule_match *m, kiln_value value) { return m->s->fn->insts[value].type; }
static kiln_type result_type(const struct kiln_rule_match *m) { return type_of(m, m->inst); }
static kiln_value first_operand(const struct kiln_rule_match *m) { return kiln_operands(m->s->fn, m->inst)[0]; }
static kiln_value value_of(const struct kiln_rule_match *m, enum kiln_rule_token token) { return m->values[token - X]; }
static unsigned bits_of(kiln_type type) { return kiln_kind_bits(kiln_type_kind(type)); }

static uint64_t constant(const struct kiln_rule_match *m, enum kiln_rule_token token) {
  uint64_t bits = 0;
  kiln_const_splat(m->s->fn, value_of(m, token), &bits);
  return bits;
}

// ---- what else must hold --------------------------------------------------------------------------------------------

// The flags of X + (C + D) for those of (X + C) + D: they stay where C + D does not wrap.
static bool sum_of_constants(struct kiln_rule_match *m) {
  uint64_t c = constant(m, C), d = constant(m, D), sum = c + d, wrapped = (sum ^ c) & (sum ^ d);
  bool wraps = wrapped >> (bits_of(result_type(m)) - 1) & 1;
  m->flags &= wraps ? 0 : m->s->fn->insts[first_operand(m)].flags;
  return true;
}

static bool power_of_two(struct kiln_rule_match *m) {
  uint64_t c = constant(m, C);
  return c && (c & (c - 1)) == 0;
}

static bool no_flags(struct kiln_rule_match *m) {
  m->flags = 0;
  return true;
}

static bool flags_of_operand(struct kiln_rule_match *m) {
  m->flags = m->s->fn->insts[first_operand(m)].flags;
  return true;
}

static bool integers(struct kiln_rule_match *m) { return kiln_kind_is_int(kiln_type_kind(result_type(m))); }

static bool bools(struct kiln_rule_match *m) { return type_of(m, value_of(m, X)) == result_type(m); }

static bool narrower(struct kiln_rule_match *m) {
  return bits_of(result_type(m)) < bits_of(type_of(m, value_of(m, X)));
}

static bool widens(struct kiln_rule_match *m) {
  return bits_of(type_of(m, first_operand(m))) > bits_of(result_type(m));
}

// The pointer is into a variable, and so not null.
static bool into_variable(struct kiln_rule_match *m) {
  const struct kiln_function *fn = m->s->fn;
  kiln_value pointer = value_of(m, X);
  while (fn->insts[pointer].op == KILN_OP_PADD || fn->insts[pointer].op == KILN_OP_PCAST)
    pointer = kiln_operands(fn, pointer)[0];
  return fn->insts[pointer].op == KILN_OP_VAR || fn->insts[pointer].op == KILN_OP_GLOBAL;
}

// Groups are smaller than 2^31.
static bool local_id(struct kiln_rule_match *m) {
  return m->s->fn->insts[value_of(m, R)].op == KILN_OP_LOCAL_ID && bits_of(type_of(m, first_operand(m))) >= 32;
}

static kiln_type half_type(const struct kiln_rule_match *m) {
  return kiln_vec_type(KILN_I32, kiln_type_lanes(result_type(m)));
}

static bool make_low_half(struct kiln_rule_match *m) {
  m->values[Y - X] = kiln_simplify_make(m->s, m->inst, KILN_OP_TRUNC, half_type(m), &m->values[0], 1, 0, 0);
  return m->values[Y - X] != 0;
}

// Makes Y the lower half of X, if C is half of 64 bits and D no more.
static bool y_is_low_half(struct kiln_rule_match *m) {
  return bits_of(result_type(m)) == 64 && constant(m, C) == 32 && constant(m, D) <= 32 && make_low_half(m);
}

// C is half of 64 bits, and D has an upper half alone.
static bool c_is_half(struct kiln_rule_match *m) {
  m->flags = 0;
  return bits_of(result_type(m)) == 64 && constant(m, C) == 32 && !(constant(m, D) & kiln_bits_mask(32));
}

// Makes Y the lower half of X, if C has the bits of it.
static bool c_is_low_half(struct kiln_rule_match *m) {
  return bits_of(result_type(m)) == 64 && constant(m, C) == kiln_bits_mask(32) && make_low_half(m);
}

static bool nsz(struct kiln_rule_match *m) { return m->flags & KILN_FP_NSZ; }
static bool nsz_nnan(struct kiln_rule_match *m) { return nsz(m) && m->flags & KILN_FP_NNAN; }

static bool fits_normal(enum kiln_kind kind, double value) {
  double smallest = kind == KILN_F16 ? 0x1p-14 : kind == KILN_F32 ? 0x1p-126 : 0x1p-1022;
  return fabs(value) >= smallest && fabs(value) <= 1 / smallest;
}

// 1 / C is exact, or may be rounded.
static bool has_reciprocal(struct kiln_rule_match *m) {
  enum kiln_kind kind = kiln_type_kind(result_type(m));
  double c = kiln_float_value(kind, constant(m, C));
  int exponent;
  return (fits_normal(kind, c) && fabs(frexp(c, &exponent)) == 0.5) ||
         (m->flags & KILN_FP_ARCP && isnormal(c) && fits_normal(kind, 1 / c));
}

static uint32_t age_of(const struct kiln_rule_match *m, enum kiln_rule_token token) { // 0: a constant or parameter
  kiln_value value = value_of(m, token);
  return value < m->s->replaced.count ? m->s->position[value] : 0;
}

// Makes X that value of the three which is neither the oldest nor the newest.
static bool sorted(struct kiln_rule_match *m) {
  bool newer_first = age_of(m, X) >= age_of(m, Y);
  enum kiln_rule_token newer = newer_first ? X : Y, older = newer_first ? Y : X;
  enum kiln_rule_token middle = age_of(m, Z) < age_of(m, older) ? older : age_of(m, Z) > age_of(m, newer) ? newer : Z;
  enum kiln_rule_token other = middle == newer ? older : newer, last = middle == Z ? older : Z;
  kiln_value sorted[] = {value_of(m, middle), value_of(m, other), value_of(m, last)};
  memcpy(m->values, sorted, sizeof sorted);
  return true;
}

// sorted, unless Z is that value already: X ^ Y is there, and may have other uses.
static bool z_is_not_between(struct kiln_rule_match *m) {
  kiln_value z = value_of(m, Z);
  return sorted(m) && value_of(m, X) != z;
}

// ---- the table ------------------------------------------------------------------------------------------------------

// The first tokens of operands' patterns, and those that patterns of a value may have: some bits of a word for each
// operand.
#define OPERAND_BITS 20
#define BIT(i, token)                                                                                                  \
  ((uint64_t)1 << (OPERAND_BITS * (i) + ((token) < X + 0      ? (token) % 8                                            \
                                         : (token) < R + 0    ? 8                                                      \
                                         : (token) < C + 0    ? 9                                                      \
                                         : (token) < ZERO + 0 ? 10                                                     \
                                                              : (token)-ZERO + 11)))
#define FIRST_(i, token, ...) BIT(i, token)
#define FIRST(i, ...) FIRST_(i, __VA_ARGS__, 0)
_Static_assert(WITHOUT_SIGN - ZERO + 11 < OPERAND_BITS && WITHOUT_SIGN < 256, "tokens have bits, and fit into bytes");

#define KILN_RULES(op, ...) [KILN_OP_##op] = (const struct kiln_rule[]){__VA_ARGS__{0}},
#define UNARY(x, result, ...) {FIRST(0, x), false, {{x}}, {result}, __VA_ARGS__},
#define BINARY(x, y, result, ...) {FIRST(0, x) | FIRST(1, y), false, {{x}, {y}}, {result}, __VA_ARGS__},
#define EITHER(x, y, result, ...)                                                                                      \
  {FIRST(0, x) | FIRST(1, y), false, {{x}, {y}}, {result}, __VA_ARGS__},                                               \
      {FIRST(0, y) | FIRST(1, x), true, {{y}, {x}}, {result}, __VA_ARGS__},
#define TERNARY(x, y, z, result, ...)                                                                                  \
  {FIRST(0, x) | FIRST(1, y) | FIRST(2, z), false, {{x}, {y}, {z}}, {result}, __VA_ARGS__},
const struct kiln_rule *const kiln_rules[KILN_OP_COUNT] = {
#include "jit/pass/rules.def"
};

// ---- patterns -------------------------------------------------------------------------------------------------------

// What ZERO, ONE, … are, by kind.
static const uint64_t literals[][TURNS - ZERO] = {
#define TOP(bits) ((uint64_t)1 << ((bits)-1))
#define LITERALS(bits, one)                                                                                            \
  { 0, one, TOP(bits) | (TOP(bits) - 1), TOP(bits) | (one), TOP(bits) }
    [KILN_BOOL] = LITERALS(1, 1),          [KILN_I8] = LITERALS(8, 1),
    [KILN_I16] = LITERALS(16, 1),          [KILN_I32] = LITERALS(32, 1),
    [KILN_I64] = LITERALS(64, 1),          [KILN_F16] = LITERALS(16, 0x3c00),
    [KILN_F32] = LITERALS(32, 0x3f800000), [KILN_F64] = LITERALS(64, 0x3ff0000000000000),
    [KILN_PTR] = LITERALS(64, 1),
};

// The first tokens that a value's pattern may have.
static inline uint64_t tokens_of(const struct kiln_function *fn, kiln_value value, kiln_type result) {
  const struct kiln_inst *inst = &fn->insts[value];
  uint64_t bits, tokens = (uint64_t)1 << inst->op % 8 | BIT(0, X) | (inst->type == result ? BIT(0, R) : 0);
  if (inst->op == KILN_OP_FNEG)
    return tokens | BIT(0, WITHOUT_SIGN);
  if (inst->op > KILN_OP_CONST_VEC || !kiln_const_splat(fn, value, &bits))
    return tokens;
  const uint64_t *literal = literals[kiln_type_kind(inst->type)];
  for (unsigned i = 0; i < TURNS - ZERO; i++)
    tokens |= bits == literal[i] ? BIT(0, ZERO) << i : 0;
  return tokens | BIT(0, C) | (bits & (bits_of(inst->type) - 1) ? 0 : BIT(0, TURNS)) |
         (bits & literal[SIGN - ZERO] ? BIT(0, WITHOUT_SIGN) : 0);
}

static kiln_value without_sign(struct kiln_function *fn, kiln_value value) {
  kiln_type type = fn->insts[value].type;
  uint64_t bits;
  if (fn->insts[value].op == KILN_OP_FNEG || !kiln_const_splat(fn, value, &bits))
    return kiln_operands(fn, value)[0];
  return kiln_const(fn, type, bits ^ literals[kiln_type_kind(type)][SIGN - ZERO]);
}

// Matches a value with the pattern at at. Returns what comes after the pattern; NULL: the value does not fit.
static const uint8_t *match(struct kiln_rule_match *m, const uint8_t *at, kiln_value value) {
  struct kiln_function *fn = m->s->fn;
  unsigned token = *at++;
  if (token < X) {
    if (fn->insts[value].op != token)
      return NULL;
    const struct kiln_rule_match before = *m;
    const uint8_t *end = NULL;
    for (unsigned swap = 0; !end && swap <= kiln_op_is_commutative((enum kiln_op)token); swap++) {
      if (swap)
        *m = before;
      end = at;
      for (uint32_t i = 0; i < fn->insts[value].operand_count && end; i++)
        end = match(m, end, kiln_operands(fn, value)[swap ? !i : i]);
    }
    return end;
  }
  if (token == SAME)
    return at;
  if (token >= R && !(tokens_of(fn, value, result_type(m)) & BIT(0, token)))
    return NULL;
  if (token == WITHOUT_SIGN) {
    value = without_sign(fn, value);
    token = *at++;
  }
  if (token >= ZERO)
    return at;
  kiln_value *known = &m->values[token - X];
  if (*known && *known != value)
    return NULL;
  *known = value;
  return at;
}

// Makes the value that the pattern at *at describes, and moves past it. type: the type of a constant.
static kiln_value make(struct kiln_rule_match *m, const uint8_t **at, kiln_type type) {
  unsigned token = *(*at)++;
  if (token >= ZERO)
    return kiln_const(m->s->fn, type, literals[kiln_type_kind(type)][token - ZERO]);
  if (token >= X)
    return value_of(m, token);
  kiln_value operands[3];
  uint32_t count = (uint32_t)strlen(kiln_op_table[token].operands);
  for (uint32_t i = 0; i < count; i++)
    operands[i] = make(m, at, i ? type_of(m, operands[i - 1]) : result_type(m));
  return kiln_simplify_make(m->s, m->inst, (enum kiln_op)token, result_type(m), operands, count, 0, m->flags);
}

kiln_value kiln_rule_apply(const struct kiln_rule *rule, struct kiln_simplify *s, kiln_value inst) {
  struct kiln_rule_match m = {.s = s, .inst = inst, .flags = s->fn->insts[inst].flags};
  for (uint32_t i = 0, count = s->fn->insts[inst].operand_count; i < count; i++) {
    uint32_t k = rule->from_right ? !i : i;
    if (!match(&m, rule->operands[k], kiln_operands(s->fn, inst)[k]))
      return 0;
  }
  const uint8_t *result = rule->result;
  return !rule->when || rule->when(&m) ? make(&m, &result, result_type(&m)) : 0;
}

kiln_value kiln_simplify_algebra(struct kiln_simplify *s, kiln_value id) {
  const struct kiln_function *fn = s->fn;
  const struct kiln_inst *inst = &fn->insts[id];
  const struct kiln_rule *rule = kiln_rules[inst->op];
  if (!rule)
    return kiln_simplify_chain(s, id);
  const kiln_value *values = kiln_operands(fn, id);
  uint64_t tokens = tokens_of(fn, values[0], inst->type);
  for (uint32_t i = 1; i < inst->operand_count; i++)
    tokens |= (tokens_of(fn, values[i], inst->type) | (values[i] == values[i - 1] ? BIT(0, SAME) : 0))
              << OPERAND_BITS * i;
  for (;; rule++) {
    while (rule->first & ~tokens)
      rule++;
    kiln_value result = rule->first ? kiln_rule_apply(rule, s, id) : 0;
    if (result || !rule->first)
      return result;
  }
}
