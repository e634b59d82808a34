// Vectors of integers: literals, swizzles, lanewise operations, conversions.
#include "tests/gen/inner.h"

static struct gen_expr made(const char *text, struct gen_type type) {
  return (struct gen_expr){.text = text, .type = type};
}

// .xyzw, .s0123, .hi and the like: lanes of a vector with from lanes.
static const char *swizzle(struct gen *g, uint32_t from, uint32_t lanes) {
  static const char digits[] = "0123456789abcdef", letters[] = "xyzw";
  uint32_t half = from == 3 ? 2 : from / 2;
  if (lanes == half && gen_chance(g, 40)) {
    static const char *const names[] = {"hi", "lo", "even", "odd"};
    if (from == 3) // .hi and .odd of a 3-vector end in an undefined lane
      return gen_chance(g, 50) ? "lo" : "even";
    return names[gen_below(g, 4)];
  }
  const char *text = from <= 4 && lanes <= 4 && gen_chance(g, 50) ? "" : "s";
  bool named = !text[0];
  for (uint32_t i = 0; i < lanes; i++)
    text = gen_text(g, "%s%c", text, (named ? letters : digits)[gen_below(g, from)]);
  return text;
}

static bool variable(struct gen *g, struct gen_type type, struct gen_expr *out) {
  for (int tries = 0; tries < 8 && g->var_count; tries++) {
    const struct gen_var *v = &g->vars[gen_below(g, (uint32_t)g->var_count)];
    if ((v->kind != GEN_VAR_VALUE && v->kind != GEN_VAR_REFERENCE) || v->type.base != type.base || v->type.lanes == 1)
      continue;
    const char *name = v->kind == GEN_VAR_REFERENCE ? gen_text(g, "(*%s)", v->name) : v->name;
    if (v->type.lanes != type.lanes || gen_chance(g, 30))
      name = gen_text(g, "%s.%s", name, swizzle(g, v->type.lanes, type.lanes));
    *out = made(name, type);
    return true;
  }
  return false;
}

static struct gen_expr literal(struct gen *g, struct gen_type type, int depth) {
  const char *name = gen_type_name(g, type), *parts = "";
  if (gen_chance(g, 25))
    return made(gen_text(g, "((%s)(%s))", name, gen_integer(g, type.base, depth).text), type);
  for (uint32_t i = 0, step; i < type.lanes; i += step) {
    step = 1;
    struct gen_expr part;
    for (uint32_t lanes = 2; lanes < 16; lanes = lanes == 2 ? 3 : lanes == 3 ? 4 : lanes * 2)
      if (lanes < type.lanes && i + lanes <= type.lanes && depth > 0 && gen_chance(g, 15))
        step = lanes;
    if (step > 1)
      part = gen_vector(g, (struct gen_type){type.base, (uint8_t)step}, depth - 1);
    else
      part = gen_integer(g, gen_chance(g, 80) ? type.base : gen_random_int(g),
                         type.lanes > 4 ? 0
                         : depth > 1    ? 1
                                        : depth);
    parts = gen_text(g, i ? "%s, %s" : "%s%s", parts, part.text);
  }
  return made(gen_text(g, "((%s)(%s))", name, parts), type);
}

// Signed sums, differences and products go through the unsigned type.
static struct gen_expr arithmetic(struct gen *g, struct gen_type type, int depth) {
  const char *a = gen_vector(g, type, depth - 1).text;
  const char *b = gen_chance(g, 20) ? gen_text(g, "(%s)", gen_integer(g, type.base, depth - 1).text)
                                    : gen_vector(g, type, depth - 1).text;
  uint32_t kind = gen_below(g, 100);
  if (kind < 35)
    return made(gen_text(g, "(%s %c %s)", a, "&|^"[gen_below(g, 3)], b), type);
  if (kind < 50)
    return made(gen_text(g, "(%s %s %s)", a, gen_chance(g, 50) ? "<<" : ">>", b), type);
  if (kind < 58 && gen_has(g, GEN_DIVISION)) {
    b = gen_vector(g, type, depth - 1).text;
    const char *mask = gen_text(g, "(%s)%u", gen_type_name(g, gen_scalar(type.base)), gen_below(g, 60));
    return made(gen_text(g, "(%s %c ((%s & %s) + (%s)1))", a, gen_chance(g, 50) ? '/' : '%', b, mask,
                         gen_type_name(g, gen_scalar(type.base))),
                type);
  }
  if (kind < 65)
    return made(gen_text(g, "(~%s)", a), type);
  char sign = "+-*"[gen_below(g, 3)];
  if (!gen_is_signed(type.base))
    return made(gen_text(g, "(%s %c %s)", a, sign, b), type);
  struct gen_type u = {gen_unsigned_of(type.base), type.lanes};
  b = gen_vector(g, type, depth - 1).text;
  const char *name = gen_type_name(g, u);
  return made(gen_text(g, "as_%s(as_%s(%s) %c as_%s(%s))", gen_type_name(g, type), name, a, sign, name, b), type);
}

static struct gen_expr compared(struct gen *g, struct gen_type type, int depth) {
  static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"};
  struct gen_type operand = {gen_chance(g, 50) ? gen_signed_of(type.base) : gen_unsigned_of(type.base), type.lanes};
  const char *a = gen_vector(g, operand, depth - 1).text, *b = gen_vector(g, operand, depth - 1).text;
  const char *text =
      gen_chance(g, 12) ? gen_text(g, "(!%s)", a) : gen_text(g, "(%s %s %s)", a, ops[gen_below(g, 8)], b);
  if (gen_chance(g, 60))
    return made(gen_text(g, gen_chance(g, 50) ? "(%s ? %s : %s)" : "select(%3$s, %2$s, %1$s)", text,
                         gen_vector(g, type, depth - 1).text, gen_vector(g, type, depth - 1).text),
                type);
  if (gen_is_signed(type.base))
    return made(text, type);
  return made(gen_text(g, "as_%s(%s)", gen_type_name(g, type), text), type);
}

static struct gen_expr converted(struct gen *g, struct gen_type type, int depth) {
  const char *name = gen_type_name(g, type);
  uint32_t size = gen_base_size(type.base) * type.lanes;
  if (gen_chance(g, 40) && type.lanes != 3) { // other lanes of the same size in all
    uint8_t base = gen_random_int(g);
    uint32_t lanes = size / gen_base_size(base);
    if (lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8 || lanes == 16)
      return made(gen_text(g, "as_%s(%s)", name, gen_value(g, (struct gen_type){base, (uint8_t)lanes}, depth - 1).text),
                  type);
  }
  struct gen_type from = {gen_random_int(g), type.lanes};
  return made(
      gen_text(g, "convert_%s%s(%s)", name, gen_chance(g, 40) ? "_sat" : "", gen_vector(g, from, depth - 1).text),
      type);
}

static struct gen_expr builtin(struct gen *g, struct gen_type type, int depth) {
  static const char *const two[] = {"max", "min", "hadd", "rhadd", "add_sat", "sub_sat", "mul_hi", "rotate"};
  const char *a = gen_vector(g, type, depth - 1).text, *b = gen_vector(g, type, depth - 1).text;
  struct gen_type u = {gen_unsigned_of(type.base), type.lanes};
  const char *name = gen_type_name(g, type);
  switch (gen_below(g, 8)) {
  case 0:
    return made(gen_text(g, gen_is_signed(type.base) ? "as_%2$s(abs(%1$s))" : "abs(%1$s)", a, name), type);
  case 1:
    return made(
        gen_text(g, gen_is_signed(type.base) ? "as_%3$s(abs_diff(%1$s, %2$s))" : "abs_diff(%1$s, %2$s)", a, b, name),
        type);
  case 2:
    return made(gen_text(g, "%s(%s)", gen_chance(g, 50) ? "clz" : "popcount", a), type);
  case 3:
    return made(gen_text(g, "bitselect(%s, %s, %s)", a, b, gen_vector(g, type, depth - 1).text), type);
  case 4: {
    uint32_t from = 2u << gen_below(g, 4);
    struct gen_type wide = {type.base, (uint8_t)from}, mask = {u.base, type.lanes};
    if (type.lanes == 3)
      return made(gen_text(g, "max(%s, %s)", a, b), type);
    if (gen_chance(g, 50))
      return made(
          gen_text(g, "shuffle(%s, %s)", gen_vector(g, wide, depth - 1).text, gen_vector(g, mask, depth - 1).text),
          type);
    return made(gen_text(g, "shuffle2(%s, %s, %s)", gen_vector(g, wide, depth - 1).text,
                         gen_vector(g, wide, depth - 1).text, gen_vector(g, mask, depth - 1).text),
                type);
  }
  default:
    return made(gen_text(g, "%s(%s, %s)", two[gen_below(g, 8)], a, b), type);
  }
}

struct gen_expr gen_vector(struct gen *g, struct gen_type type, int depth) {
  struct gen_expr e;
  uint32_t kind = gen_below(g, 100);
  if (gen_chance(g, depth > 0 ? 25 : 75) && variable(g, type, &e))
    return e;
  if (depth <= 0)
    return made(gen_text(g, "((%s)(%s))", gen_type_name(g, type), gen_integer(g, type.base, 0).text), type);
  if (kind < 15)
    return literal(g, type, depth - 1);
  if (kind < 30 && gen_load(g, type, depth - 1, &e))
    return e;
  if (kind < 45)
    return compared(g, type, depth);
  if (kind < 58)
    return converted(g, type, depth);
  if (kind < 70 && gen_has(g, GEN_BUILTINS))
    return builtin(g, type, depth);
  return arithmetic(g, type, depth);
}
