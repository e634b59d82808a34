// Float expressions, scalar and vector. Unless the program is "inexact" every value is a multiple of 2^-frac of
// magnitude mag at most, so that all operations are exact and no implementation has a choice.
#include "tests/gen/inner.h"

static bool fits(const struct gen *g, uint8_t base, double mag, int frac) {
  return gen_has(g, GEN_INEXACT) || (frac <= 12 && mag * (double)(1 << frac) <= (base == GEN_F32 ? 0x1p24 : 0x1p50));
}

static struct gen_expr made(const char *text, struct gen_type type, double mag, int frac) {
  return (struct gen_expr){.text = text, .type = type, .mag = mag, .frac = frac};
}

static const char *literal(struct gen *g, uint8_t base) {
  double value = gen_below(g, 64) / 4.0;
  const char *suffix = base == GEN_F32 ? "f" : "";
  switch (gen_below(g, 5)) {
  case 0:
    return gen_text(g, "(-%.2f%s)", value, suffix);
  case 1:
    return gen_text(g, "%de1%s", (int)gen_below(g, 10), suffix);
  case 2:
    return gen_text(g, ".5%s", suffix);
  case 3:
    return gen_text(g, "0x1.8p%u%s", gen_below(g, 5), suffix);
  default:
    return gen_text(g, "%.2f%s", value, suffix);
  }
}

static struct gen_expr from_integer(struct gen *g, struct gen_type type, int depth) {
  struct gen_type other = {gen_random_int(g), type.lanes};
  const char *name = gen_type_name(g, type);
  if (type.lanes > 1)
    return made(gen_text(g, "convert_%s(%s & (%s)63)", name, gen_value(g, other, depth - 1).text,
                         gen_type_name(g, gen_scalar(other.base))),
                type, 64, 0);
  struct gen_expr e = gen_integer(g, other.base, depth - 1);
  if (e.lo >= -512 && e.hi <= 512)
    return made(gen_text(g, gen_chance(g, 50) ? "((%s)%s)" : "convert_%s(%s)", name, e.text), type, 512, 0);
  return made(gen_text(g, "((%s)(%s & 127))", name, e.text), type, 127, 0);
}

static struct gen_expr leaf(struct gen *g, struct gen_type type, int depth) {
  struct gen_expr e;
  for (int tries = 0; tries < 6 && g->var_count; tries++) {
    const struct gen_var *v = &g->vars[gen_below(g, (uint32_t)g->var_count)];
    if ((v->kind != GEN_VAR_VALUE && v->kind != GEN_VAR_REFERENCE) || v->type.base != type.base ||
        v->type.lanes != type.lanes)
      continue;
    return made(v->kind == GEN_VAR_REFERENCE ? gen_text(g, "(*%s)", v->name) : v->name, type, 1024, 4);
  }
  if (depth > 0 && gen_chance(g, 50) && gen_load(g, type, depth - 1, &e))
    return e;
  if (gen_chance(g, 50))
    return from_integer(g, type, depth < 1 ? 1 : depth);
  return made(gen_text(g, type.lanes > 1 ? "(%s)(%s)" : "((%s)%s)", gen_type_name(g, type), literal(g, type.base)),
              type, 96, 2);
}

struct gen_expr gen_float_settled(struct gen *g, struct gen_expr e) {
  if (gen_has(g, GEN_INEXACT) || (e.mag <= 1024 && e.frac <= 4))
    return e;
  e.text = gen_text(g, e.type.base == GEN_F32 ? "fmod(rint(%s), 1024.0f)" : "fmod(rint(%s), 1024.0)", e.text);
  e.mag = 1024, e.frac = 0;
  if (e.type.lanes > 1) // fmod has no form with a scalar second operand
    e.text = gen_text(g, "%.*s(%s)1024)", (int)(__builtin_strlen(e.text) - (e.type.base == GEN_F32 ? 8 : 7)), e.text,
                      gen_type_name(g, e.type));
  return e;
}

static struct gen_expr arithmetic(struct gen *g, struct gen_expr a, struct gen_expr b) {
  int frac = a.frac > b.frac ? a.frac : b.frac;
  uint8_t base = a.type.base;
  uint32_t op = gen_below(g, 3);
  if (op == 2 && fits(g, base, a.mag * b.mag, a.frac + b.frac))
    return made(gen_text(g, "(%s * %s)", a.text, b.text), a.type, a.mag * b.mag, a.frac + b.frac);
  if (fits(g, base, a.mag + b.mag, frac))
    return made(gen_text(g, "(%s %c %s)", a.text, op == 1 ? '-' : '+', b.text), a.type, a.mag + b.mag, frac);
  return a;
}

static struct gen_expr rounded(struct gen *g, struct gen_expr a) {
  static const char *const names[] = {"floor", "ceil", "trunc", "rint", "round"};
  return made(gen_text(g, "%s(%s)", names[gen_below(g, 5)], a.text), a.type, a.mag + 1, 0);
}

static struct gen_expr chosen(struct gen *g, struct gen_expr a, struct gen_expr b, int depth) {
  struct gen_expr r = made(NULL, a.type, a.mag > b.mag ? a.mag : b.mag, a.frac > b.frac ? a.frac : b.frac);
  struct gen_type mask = {gen_signed_of(a.type.base), a.type.lanes};
  const char *suffix = a.type.base == GEN_F32 ? "f" : "";
  switch (gen_below(g, 5)) {
  case 0:
    r.text = gen_text(g, "(%s(%s, %s) + 0.0%s)", gen_chance(g, 50) ? "fmin" : "fmax", a.text, b.text, suffix);
    break;
  case 1:
    r.text = gen_text(g, "(%s(%s, %s) + 0.0%s)", gen_chance(g, 50) ? "min" : "max", a.text, b.text, suffix);
    break;
  case 2:
    r.text = gen_text(g, "select(%s, %s, %s)", a.text, b.text, gen_value(g, mask, depth).text);
    break;
  case 3:
    if (a.type.lanes > 1)
      r.text = gen_text(g, "((%s %s %s) ? %s : %s)", a.text, gen_chance(g, 50) ? "<" : "!=", b.text, b.text, a.text);
    else
      r.text = gen_text(g, "(%s ? %s : %s)", gen_condition(g, depth), a.text, b.text);
    break;
  default:
    r.text =
        gen_text(g, "(%s ? %s : %s)", a.type.lanes > 1 ? gen_text(g, "(%s > %s)", a.text, b.text) : gen_condition(g, 0),
                 a.text, b.text);
  }
  return r;
}

static struct gen_expr scaled(struct gen *g, struct gen_expr a) {
  const char *suffix = a.type.base == GEN_F32 ? "f" : "";
  if (!fits(g, a.type.base, a.mag, a.frac + 1) || a.frac > 6)
    return rounded(g, a);
  switch (gen_below(g, 3)) {
  case 0:
    return made(gen_text(g, "(%s * 0.5%s)", a.text, suffix), a.type, a.mag, a.frac + 1);
  case 1:
    return made(gen_text(g, "(%s / 2.0%s)", a.text, suffix), a.type, a.mag, a.frac + 1);
  default:
    return made(gen_text(g, "ldexp(%s, -1)", a.text), a.type, a.mag, a.frac + 1);
  }
}

static struct gen_expr builtin(struct gen *g, struct gen_expr a, struct gen_expr b, struct gen_expr c) {
  double mag = a.mag * b.mag + c.mag;
  int frac = a.frac + b.frac > c.frac ? a.frac + b.frac : c.frac;
  const char *name = gen_type_name(g, a.type);
  switch (gen_below(g, 6)) {
  case 0:
    if (fits(g, a.type.base, mag, frac))
      return made(gen_text(g, "%s(%s, %s, %s)", gen_chance(g, 50) ? "fma" : "mad", a.text, b.text, c.text), a.type, mag,
                  frac);
    return a;
  case 1:
    return made(gen_text(g, "fabs(%s)", a.text), a.type, a.mag, a.frac);
  case 2:
    return made(gen_text(g, "(-%s)", a.text), a.type, a.mag, a.frac);
  case 3:
    if (gen_has(g, GEN_INEXACT)) // a NaN has no sign
      return a;
    return made(gen_text(g, "copysign(%s, %s)", a.text, b.text), a.type, a.mag, a.frac);
  case 4:
    return made(gen_text(g, "clamp(%s, (%s)(-8), (%s)100)", a.text, name, name), a.type, 100, a.frac);
  default:
    return made(gen_text(g, "fmod(%s, (%s)%u)", a.text, name, 1 + gen_below(g, 60)), a.type, 60, a.frac);
  }
}

static struct gen_expr inexact(struct gen *g, struct gen_expr a, struct gen_expr b) {
  static const char *const names[] = {"sqrt", "exp", "log", "sin", "cos", "exp2", "log2", "atan", "tanh", "cbrt"};
  switch (gen_below(g, 6)) {
  case 0:
    return made(gen_text(g, "%s(%s)", names[gen_below(g, 10)], a.text), a.type, 1, 0);
  case 1:
    return made(gen_text(g, "sqrt(%s)", a.text), a.type, 1, 0);
  case 2:
    return made(gen_text(g, "pow(fabs(%s), %s)", a.text, b.text), a.type, 1, 0);
  default:
    return made(gen_text(g, "(%s / %s)", a.text, b.text), a.type, 1, 0);
  }
}

// (float4)(a, b.xy, c), a swizzle, a conversion.
static struct gen_expr shaped(struct gen *g, struct gen_type type, int depth) {
  const char *name = gen_type_name(g, type);
  uint8_t other = type.base == GEN_F32 ? GEN_F64 : GEN_F32;
  if (gen_has(g, GEN_DOUBLES) && gen_chance(g, 40)) {
    struct gen_expr e = gen_float_settled(g, gen_float(g, (struct gen_type){other, type.lanes}, depth - 1));
    e.text = gen_text(g, "convert_%s(%s)", name, e.text);
    e.type = type;
    return e;
  }
  if (type.lanes == 1) {
    struct gen_type wider = {type.base, (uint8_t)gen_random_lanes(g)};
    if (!gen_has(g, GEN_VECTORS))
      return from_integer(g, type, depth);
    struct gen_expr e = gen_float(g, wider, depth - 1);
    e.text = gen_text(g, "%s.s%u", e.text, gen_below(g, wider.lanes > 9 ? 9 : wider.lanes));
    e.type = type;
    return e;
  }
  struct gen_expr r = made("", type, 0, 0);
  for (int i = 0; i < type.lanes; i++) {
    struct gen_expr e = gen_float_settled(g, gen_float(g, gen_scalar(type.base), depth > 2 ? 1 : depth - 1));
    r.text = gen_text(g, i ? "%s, %s" : "%s%s", r.text, e.text);
  }
  return made(gen_text(g, "((%s)(%s))", name, r.text), type, 1024, 4);
}

struct gen_expr gen_float(struct gen *g, struct gen_type type, int depth) {
  if (depth <= 0)
    return leaf(g, type, depth);
  uint32_t kind = gen_below(g, 100);
  if (kind < 15)
    return leaf(g, type, depth);
  if (kind < 25)
    return from_integer(g, type, depth);
  if (kind < 35)
    return shaped(g, type, depth);
  struct gen_expr a = gen_float(g, type, depth - 1);
  if (kind < 42)
    return rounded(g, a);
  if (kind < 50)
    return scaled(g, a);
  struct gen_expr b = gen_float(g, type, depth - 1);
  if (gen_has(g, GEN_INEXACT) && kind < 65)
    return inexact(g, a, b);
  if (kind < 75)
    return arithmetic(g, a, b);
  if (kind < 85)
    return chosen(g, a, b, depth - 1);
  return builtin(g, a, b, gen_float(g, type, depth - 1));
}
