// Scalar integer expressions, with the bounds of their values; conditions.
#include "tests/gen/inner.h"

struct gen_expr gen_made(const char *text, uint8_t base, wide lo, wide hi) {
  return (struct gen_expr){.text = text, .type = gen_scalar(base), .lo = lo, .hi = hi};
}

static struct gen_expr full(const char *text, uint8_t base) {
  return gen_made(text, base, gen_min(base), gen_max(base));
}

// As text if the bounds fit the type, else its whole range.
static struct gen_expr bounded(const char *text, uint8_t base, wide lo, wide hi) {
  return lo >= gen_min(base) && hi <= gen_max(base) ? gen_made(text, base, lo, hi) : full(text, base);
}

static const char *literal(struct gen *g, uint8_t base, wide value) {
  static const char *const suffix[] = {"", "u", "", "u", "", "u", "L", "UL"};
  if (value == gen_min(GEN_I64))
    return "(-9223372036854775807L - 1L)";
  if (value == gen_min(GEN_I32) && base == GEN_I32)
    return "(-2147483647 - 1)";
  if (base <= GEN_U16)
    return gen_text(g, "(%s)%d", gen_type_name(g, gen_scalar(base)), (int)value);
  if (value < 0)
    return gen_text(g, "(-%lld%s)", (long long)-value, suffix[base]);
  if (value >= 10 && gen_chance(g, 30) && (gen_is_signed(base) ? value <= 0x7fffffff : true))
    return gen_text(g, "0x%llx%s", (unsigned long long)value, suffix[base]);
  if (value >= 'a' && value <= 'z' && base == GEN_I32 && gen_chance(g, 20))
    return gen_text(g, "'%c'", (int)value);
  return gen_text(g, "%llu%s", (unsigned long long)value, suffix[base]);
}

struct gen_expr gen_constant(struct gen *g, uint8_t base) {
  wide value;
  switch (gen_below(g, 6)) {
  case 0:
    value = gen_below(g, 4);
    break;
  case 1:
    value = gen_below(g, 100);
    break;
  case 2:
    value = gen_max(base) - gen_below(g, 3);
    break;
  case 3:
    value = gen_min(base) + gen_below(g, 3);
    break;
  case 4:
    value = (wide)1 << gen_below(g, 8 * gen_base_size(base) - 1);
    break;
  default:
    value = gen_min(base) + (wide)(gen_next(g) & (uint64_t)(gen_max(base) - gen_min(base)));
    break;
  }
  if (gen_is_signed(base) && gen_chance(g, 15) && value != gen_min(base))
    value = -value;
  return gen_made(gen_text(g, "(%s)", literal(g, base, value)), base, value, value);
}

static struct gen_expr range_in(struct gen_expr e, uint8_t base) {
  if (e.lo < gen_min(base) || e.hi > gen_max(base))
    e.lo = gen_min(base), e.hi = gen_max(base);
  return e;
}

struct gen_expr gen_cast(struct gen *g, struct gen_expr e, uint8_t base) {
  if (e.type.base == base)
    return e;
  e = range_in(e, base);
  const char *name = gen_type_name(g, gen_scalar(base));
  if (gen_chance(g, 10) && gen_has(g, GEN_BUILTINS))
    e.text = gen_text(g, "convert_%s(%s)", name, e.text);
  else if (gen_chance(g, 5) && gen_base_size(base) == gen_base_size(e.type.base))
    e.text = gen_text(g, "as_%s(%s)", name, e.text);
  else
    e.text = gen_text(g, "((%s)%s)", name, e.text);
  e.type.base = base;
  return e;
}

static uint8_t promoted(uint8_t base) { return base < GEN_I32 ? GEN_I32 : base; }

// The usual arithmetic conversions.
static uint8_t common_base(uint8_t a, uint8_t b) {
  a = promoted(a), b = promoted(b);
  return a > b ? a : b;
}

// The low bits of an id, or what they leave: the same in all lanes of a warp, or linear.
static struct gen_expr bits_of_id(struct gen *g, struct gen_expr id) {
  uint32_t bits = 3 + gen_below(g, 4), low = (1u << bits) - 1, by = (low + 1) * (1 + gen_below(g, 2) * 2);
  switch (gen_below(g, 6)) {
  case 0:
    return gen_made(gen_text(g, "(%s >> %u)", id.text, bits), GEN_U64, id.lo >> bits, id.hi >> bits);
  case 1:
    return gen_made(gen_text(g, "(%s / %u)", id.text, by), GEN_U64, id.lo / by, id.hi / by);
  case 2:
    return gen_made(gen_text(g, "(ulong)((int)%s %% %u)", id.text, by), GEN_U64, 0, by - 1);
  case 3:
    return gen_made(gen_text(g, "(%s & %u)", id.text, low), GEN_U64, 0, low);
  case 4:
    return gen_made(gen_text(g, "(%s | %u)", id.text, low), GEN_U64, id.lo | low, id.hi | low);
  default:
    return gen_made(gen_text(g, "((%s * 2) & %u)", id.text, 2 * low), GEN_U64, 0, 2 * low);
  }
}

static struct gen_expr query(struct gen *g, uint8_t base) {
  uint32_t d = gen_below(g, g->program->work_dim);
  wide size = (wide)g->program->global[d], local = (wide)g->program->local[d], offset = (wide)g->program->offset[d];
  struct gen_expr e;
  switch (gen_below(g, g->program->any_local ? 2 : 5)) {
  case 0:
    e = gen_made(gen_text(g, "get_global_id(%u)", d), GEN_U64, offset, offset + size - 1);
    break;
  case 1:
    e = gen_made(gen_text(g, "get_global_size(%u)", d), GEN_U64, size, size);
    break;
  case 2:
    e = gen_made(gen_text(g, "get_local_id(%u)", d), GEN_U64, 0, local - 1);
    break;
  case 3:
    e = gen_made(gen_text(g, "get_local_size(%u)", d), GEN_U64, 1, local);
    break;
  default:
    e = gen_made(gen_text(g, "get_group_id(%u)", d), GEN_U64, 0, (size - 1) / local);
    break;
  }
  if (gen_chance(g, 25))
    e = bits_of_id(g, e);
  return gen_cast(g, e, base);
}

// A variable of scalar integer type, of any: cast.
static bool variable(struct gen *g, uint8_t base, struct gen_expr *out) {
  for (int tries = 0; tries < 6 && g->var_count; tries++) {
    const struct gen_var *v =
        &g->vars[gen_chance(g, 40) ? (uint32_t)g->var_count - 1 - gen_below(g, (uint32_t)(g->var_count + 3) / 4)
                                   : gen_below(g, (uint32_t)g->var_count)];
    if ((v->kind != GEN_VAR_VALUE && v->kind != GEN_VAR_REFERENCE) || gen_is_float(v->type.base))
      continue;
    if (v->type.lanes > 1) {
      static const char digits[] = "0123456789abcdef", letters[] = "xyzw";
      uint32_t lane = gen_below(g, v->type.lanes);
      const char *name = v->kind == GEN_VAR_REFERENCE ? gen_text(g, "(*%s)", v->name) : v->name;
      *out = full(lane < 4 && v->type.lanes <= 4 && gen_chance(g, 70)
                      ? gen_text(g, "%s.%c", name, letters[lane])
                      : gen_text(g, "%s.%c%c", name, gen_chance(g, 50) ? 's' : 'S', digits[lane]),
                  v->type.base);
    } else if (v->kind == GEN_VAR_REFERENCE) {
      *out = full(gen_text(g, gen_chance(g, 80) ? "(*%s)" : "%s[0]", v->name), v->type.base);
    } else {
      *out = gen_made(v->name, v->type.base, v->lo, v->hi);
    }
    *out = gen_cast(g, *out, base);
    return true;
  }
  return false;
}

static struct gen_expr leaf(struct gen *g, uint8_t base) {
  struct gen_expr e;
  if (gen_chance(g, 12) && !g->in_function)
    return query(g, base);
  if (gen_chance(g, 75) && variable(g, base, &e))
    return e;
  return gen_constant(g, base);
}

static wide smallest(wide a, wide b) { return a < b ? a : b; }
static wide largest(wide a, wide b) { return a > b ? a : b; }

static struct gen_expr sum(struct gen *g, struct gen_expr a, struct gen_expr b, uint8_t r) {
  struct gen_expr x = range_in(a, r), y = range_in(b, r);
  int op = (int)gen_below(g, 3);
  wide lo, hi;
  if (op == 0) {
    lo = x.lo + y.lo, hi = x.hi + y.hi;
  } else if (op == 1) {
    lo = x.lo - y.hi, hi = x.hi - y.lo;
  } else if (r >= GEN_I64 && (largest(x.hi, -x.lo) > (wide)1 << 62 || largest(y.hi, -y.lo) > (wide)1 << 62)) {
    lo = gen_min(GEN_I64) * 4, hi = -lo; // the products below would not fit
  } else {
    wide p[4] = {x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi};
    lo = smallest(smallest(p[0], p[1]), smallest(p[2], p[3]));
    hi = largest(largest(p[0], p[1]), largest(p[2], p[3]));
  }
  char sign = "+-*"[op];
  bool fits = lo >= gen_min(r) && hi <= gen_max(r);
  if (fits || !gen_is_signed(r))
    return bounded(gen_text(g, "(%s %c %s)", a.text, sign, b.text), r, lo, hi);
  const char *u = gen_type_name(g, gen_scalar(gen_unsigned_of(r)));
  return full(gen_text(g, "((%s)((%s)%s %c (%s)%s))", gen_type_name(g, gen_scalar(r)), u, a.text, sign, u, b.text), r);
}

static struct gen_expr quotient(struct gen *g, struct gen_expr a, struct gen_expr b, uint8_t r) {
  struct gen_expr x = range_in(a, r), y = range_in(b, r);
  char sign = gen_chance(g, 50) ? '/' : '%';
  const char *divisor = b.text, *type = gen_type_name(g, gen_scalar(r));
  if (y.lo <= 0 && y.hi >= (gen_is_signed(r) ? -1 : 0)) {
    if (gen_chance(g, 40))
      return full(gen_text(g, "((%s)%s %s ? %s %c %s : (%s)%u)", type, b.text, gen_is_signed(r) ? "> 0" : "!= 0",
                           a.text, sign, b.text, type, gen_below(g, 9)),
                  r);
    uint32_t mask = (2u << gen_below(g, 6)) - 1;
    divisor = gen_is_signed(r) || gen_chance(g, 50) ? gen_text(g, "((%s & %u) + 1)", b.text, mask)
                                                    : gen_text(g, "(%s | 1)", b.text);
    return full(gen_text(g, "(%s %c (%s)%s)", a.text, sign, type, divisor), r);
  }
  const char *text = gen_text(g, "(%s %c %s)", a.text, sign, divisor);
  if (x.lo < 0 || y.lo <= 0)
    return full(text, r);
  return sign == '/' ? gen_made(text, r, x.lo / y.hi, x.hi / y.lo) : gen_made(text, r, 0, smallest(x.hi, y.hi - 1));
}

static struct gen_expr bits(struct gen *g, struct gen_expr a, struct gen_expr b, uint8_t r) {
  struct gen_expr x = range_in(a, r), y = range_in(b, r);
  char sign = "&|^"[gen_below(g, 3)];
  const char *text = gen_text(g, "(%s %c %s)", a.text, sign, b.text);
  if (sign == '&' && (x.lo >= 0 || y.lo >= 0))
    return gen_made(text, r, 0, x.lo < 0 ? y.hi : y.lo < 0 ? x.hi : smallest(x.hi, y.hi));
  if (x.lo < 0 || y.lo < 0)
    return full(text, r);
  wide hi = 1;
  while (hi <= x.hi || hi <= y.hi)
    hi *= 2;
  return bounded(text, r, 0, hi - 1);
}

static struct gen_expr shift(struct gen *g, struct gen_expr a, struct gen_expr b) {
  uint8_t r = promoted(a.type.base);
  uint32_t width = 8 * gen_base_size(r);
  if (gen_chance(g, 60)) {
    uint32_t count = gen_below(g, width);
    if (gen_chance(g, 50))
      return bounded(gen_text(g, "(%s >> %u)", a.text, count), r, a.lo >> count, a.hi >> count);
    wide by = (wide)1 << count, lo = a.lo * by, hi = a.hi * by;
    const char *text = gen_text(g, "(%s << %u)", a.text, count);
    return count < 63 ? bounded(text, r, lo, hi) : full(text, r);
  }
  return full(gen_text(g, "(%s %s %s)", a.text, gen_chance(g, 50) ? "<<" : ">>", b.text), r);
}

static struct gen_expr binary(struct gen *g, uint8_t base, int depth) {
  uint8_t other = gen_chance(g, 65) ? base : gen_random_int(g), first = gen_chance(g, 75) ? base : gen_random_int(g);
  struct gen_expr a = gen_integer(g, first, depth - 1), b = gen_integer(g, other, depth - 1), e;
  uint8_t r = common_base(first, other);
  uint32_t kind = gen_below(g, 100);
  if (kind < 45)
    e = sum(g, a, b, r);
  else if (kind < 70)
    e = bits(g, a, b, r);
  else if (kind < 85)
    e = shift(g, a, b);
  else if (kind < 92 && gen_has(g, GEN_DIVISION))
    e = quotient(g, a, b, r);
  else
    e = gen_made(gen_text(g, gen_chance(g, 70) ? "(!(%s))" : "((%s) ? 1 : 0)", gen_condition(g, depth - 1)), GEN_I32, 0,
                 1);
  return gen_cast(g, e, base);
}

static struct gen_expr unary(struct gen *g, uint8_t base, int depth) {
  struct gen_expr a = gen_integer(g, base, depth - 1);
  uint8_t r = promoted(base);
  switch (gen_below(g, 4)) {
  case 0:
    return gen_cast(g, gen_made(gen_text(g, "(!%s)", a.text), GEN_I32, 0, 1), base);
  case 1:
    return gen_cast(g, full(gen_text(g, "(~%s)", a.text), r), base);
  case 2:
    return gen_cast(g, gen_made(gen_text(g, "(+%s)", a.text), r, a.lo, a.hi), base);
  default:
    break;
  }
  if (gen_is_signed(r) && -a.lo > gen_max(r)) {
    const char *u = gen_type_name(g, gen_scalar(gen_unsigned_of(r)));
    return gen_cast(g, full(gen_text(g, "((%s)((%s)0 - (%s)%s))", gen_type_name(g, gen_scalar(r)), u, u, a.text), r),
                    base);
  }
  return gen_cast(g, bounded(gen_text(g, "(-%s)", a.text), r, -a.hi, -a.lo), base);
}

// A dot product of bytes, in all forms; of masked bytes, which are the same with and without sign; as a part of a sum.
static struct gen_expr dot(struct gen *g, const char *a, const char *b, int depth) {
  static const char *const signs[] = {"uu_uint", "us_int", "su_int", "ss_int"};
  static const char *const bytes[][2] = {
      {"uchar4", "uchar4"}, {"uchar4", "char4"}, {"char4", "uchar4"}, {"char4", "char4"}};
  static const char *const masks[] = {"", " & 0x0f0f0f0f", " >> 4 & 0x0f0f0f0f", " & 0x7f7f7f7f", " & 0x7f80ff7f"};
  uint32_t form = gen_below(g, 4);
  const char *x = gen_text(g, "((uint)%s%s)", a, masks[gen_below(g, 5)]);
  const char *y = gen_text(g, "((uint)%s%s)", b, masks[gen_below(g, 5)]);
  const char *c = gen_chance(g, 50) ? gen_integer(g, form ? GEN_I32 : GEN_U32, depth - 1).text : NULL;
  const char *text;
  g->program->portable = false; // an extension
  if (gen_chance(g, 50))
    text = gen_text(g, "dot(as_%s(%s), as_%s(%s))", bytes[form][0], x, bytes[form][1], y);
  else if (c && gen_chance(g, 30))
    return full(gen_text(g, "dot_acc_sat_4x8packed_%s(%s, %s, %s)", signs[form], x, y, c), form ? GEN_I32 : GEN_U32);
  else
    text = gen_text(g, "dot_4x8packed_%s(%s, %s)", signs[form], x, y);
  if (c) // the sum of ints may not overflow
    text = gen_chance(g, 50) ? gen_text(g, "((uint)%s + %s)", c, text) : gen_text(g, "(%s + (uint)%s)", text, c);
  return full(text, c || !form ? GEN_U32 : GEN_I32);
}

// To or from bfloat16; the floats are any bits.
static struct gen_expr bfloat(struct gen *g, const char *a) {
  static const char *const to[] = {"intel_convert_bfloat16_as_ushort(as_float((uint)%s))",
                                   "as_ushort((__bf16)as_float((uint)%s))"};
  static const char *const from[] = {"as_uint(intel_convert_as_bfloat16_float((ushort)%s))",
                                     "as_uint((float)__builtin_astype((ushort)%s, __bf16))"};
  g->program->portable = false; // an extension
  bool narrows = gen_chance(g, 60);
  return full(gen_text(g, (narrows ? to : from)[gen_below(g, 2)], a), narrows ? GEN_U16 : GEN_U32);
}

static struct gen_expr builtin(struct gen *g, uint8_t base, int depth) {
  static const char *const two[] = {"max", "min", "hadd", "rhadd", "add_sat", "sub_sat", "mul_hi", "rotate"};
  const char *type = gen_type_name(g, gen_scalar(base));
  const char *a = gen_integer(g, base, depth - 1).text, *b = gen_integer(g, base, depth - 1).text;
  uint8_t u = gen_unsigned_of(base), s = gen_signed_of(base);
  uint32_t bits = 8 * gen_base_size(base);
  if (bits == 32 && gen_chance(g, 15))
    return gen_cast(g, gen_chance(g, 75) ? dot(g, a, b, depth) : bfloat(g, a), base);
  switch (gen_below(g, 12)) {
  case 0:
    return gen_cast(g, full(gen_text(g, "abs(%s)", a), u), base);
  case 1:
    return gen_cast(g, full(gen_text(g, "abs_diff(%s, %s)", a, b), u), base);
  case 2:
    return gen_made(gen_text(g, "clz(%s)", a), base, 0, bits);
  case 3:
    return gen_made(gen_text(g, "popcount(%s)", a), base, 0, bits);
  case 4:
    return full(gen_text(g, "bitselect(%s, %s, %s)", a, b, gen_integer(g, base, depth - 1).text), base);
  case 5:
    return full(gen_text(g, "select(%s, %s, %s)", a, b, gen_integer(g, gen_chance(g, 50) ? s : u, depth - 1).text),
                base);
  case 6:
    return full(gen_text(g, "clamp(%s, (%s)%u, (%s)%u)", a, type, gen_below(g, 50), type, 50 + gen_below(g, 70)), base);
  case 7:
    return full(gen_text(g, "mad_sat(%s, %s, %s)", a, b, gen_integer(g, base, depth - 1).text), base);
  case 8:
    if (base == GEN_I32 || base == GEN_U32)
      return full(
          gen_text(g, gen_chance(g, 50) ? "mul24(%s & 0x7fff, %s & 0x7fff)" : "mad24(%s & 0x7fff, %s & 0x7fff, (%s)77)",
                   a, b, type),
          base);
    if (base >= GEN_I16)
      return full(gen_text(g, "upsample(%s, %s)", gen_integer(g, base - 2, depth - 1).text,
                           gen_integer(g, u - 2, depth - 1).text),
                  base);
    return full(gen_text(g, "max(%s, %s)", a, b), base);
  default:
    return full(gen_text(g, "%s(%s, %s)", two[gen_below(g, 8)], a, b), base);
  }
}

static bool call(struct gen *g, struct gen_type type, int depth, struct gen_expr *out) {
  if (!g->function_count)
    return false;
  const struct gen_function *f = &g->functions[gen_below(g, (uint32_t)g->function_count)];
  if (f->result.base != type.base || f->result.lanes != type.lanes || g->work + g->scale * f->cost > 3000)
    return false;
  const char *args = "";
  for (int i = 0; i < f->param_count; i++) {
    const char *arg = NULL;
    if (i == f->array_param) {
      for (int k = 0; k < g->var_count && !arg; k++) {
        const struct gen_var *v = &g->vars[k];
        bool global = v->space[0] == 'g';
        if (v->kind == GEN_VAR_ARRAY && !v->limit && v->type.base == GEN_I32 && v->type.lanes == 1 && !v->bias &&
            v->count >= 8 && (global ? f->array_global && v->readonly : !v->space[0] && !f->array_global))
          arg = gen_text(g, gen_chance(g, 50) ? "%s" : "&%s[%u]", v->name, gen_below(g, v->count - 7));
      }
      if (!arg)
        return false;
    } else {
      arg = gen_assignable(g, f->params[i], depth - 1);
    }
    args = gen_text(g, i ? "%s, %s" : "%s%s", args, arg);
  }
  g->work += g->scale * f->cost;
  *out = full(gen_text(g, "%s(%s)", f->name, args), type.base);
  out->type = type;
  out->mag = 1024;
  return true;
}

// ({ … })
static struct gen_expr statement_expression(struct gen *g, uint8_t base, int depth) {
  struct gen_expr a = gen_integer(g, base, depth - 1);
  const char *type = gen_type_name(g, gen_scalar(base));
  int n = g->counter++;
  if (gen_chance(g, 40))
    return gen_made(gen_text(g, "({ %s q%d = %s; q%d; })", gen_chance(g, 70) ? type : "__auto_type", n, a.text, n),
                    base, a.lo, a.hi);
  if (gen_chance(g, 50))
    return full(gen_text(g, "({ %s q%d = %s; if (%s) q%d = %s; else q%d ^= 1; q%d; })", type, n, a.text,
                         gen_condition(g, depth - 1), n, gen_integer(g, base, depth - 1).text, n, n),
                base);
  return full(gen_text(g, "({ %s q%d = 0; for (int p%d = 0; p%d < %u; p%d++) { if (%s) %s; q%d ^= %s; } q%d; })", type,
                       n, n, n, 1 + gen_below(g, 3), n, gen_condition(g, depth - 1),
                       gen_chance(g, 50) ? "continue" : "break", n, a.text, n),
              base);
}

struct gen_expr gen_integer(struct gen *g, uint8_t base, int depth) {
  struct gen_expr e;
  if (depth > 0 && gen_has(g, GEN_GNU) && gen_chance(g, 8))
    return statement_expression(g, base, depth);
  uint32_t kind = gen_below(g, 100);
  if (depth <= 0 || kind < 12)
    return leaf(g, base);
  if (kind < 24 && gen_load(g, gen_scalar(base), depth - 1, &e))
    return e;
  if (kind < 32 && call(g, gen_scalar(base), depth, &e))
    return e;
  if (kind < 42 && gen_has(g, GEN_BUILTINS))
    return builtin(g, base, depth);
  if (kind < 50)
    return unary(g, base, depth);
  if (kind < 57) {
    struct gen_expr a = gen_integer(g, base, depth - 1), b = gen_integer(g, base, depth - 1);
    static const char *const macros[] = {"PICK", "MIX", "FOL", "FOX"};
    if (gen_has(g, GEN_MACROS) && gen_chance(g, 40))
      return full(
          gen_text(g, "((%s)%s(%s, %s))", gen_type_name(g, gen_scalar(base)), macros[gen_below(g, 4)], a.text, b.text),
          base);
    const char *text = gen_text(g, "(%s ? %s : %s)", gen_condition(g, depth - 1), a.text, b.text);
    return gen_cast(g, gen_made(text, promoted(base), smallest(a.lo, b.lo), largest(a.hi, b.hi)), base);
  }
  if (kind < 60)
    return full(
        gen_text(g, "(%s, %s)", gen_integer(g, gen_random_int(g), 1).text, gen_integer(g, base, depth - 1).text), base);
  if (kind < 65 && gen_has(g, GEN_FLOATS) && !gen_has(g, GEN_INEXACT)) {
    struct gen_expr f = gen_float_settled(g, gen_float(g, gen_scalar(GEN_F32), depth - 1));
    bool saturated = base < GEN_I16 || !gen_is_signed(base);
    const char *type = gen_type_name(g, gen_scalar(base));
    return full(gen_text(g,
                         saturated           ? "convert_%s_sat(%s)"
                         : gen_chance(g, 50) ? "convert_%s(%s)"
                                             : "((%s)%s)",
                         type, f.text),
                base);
  }
  if (kind < 68 && gen_has(g, GEN_FLOATS) && gen_has(g, GEN_INEXACT) && base >= GEN_I32)
    return full(gen_text(g, "convert_%s_sat(%s)", gen_type_name(g, gen_scalar(base)),
                         gen_float(g, gen_scalar(GEN_F32), depth - 1).text),
                base);
  return binary(g, base, depth);
}

struct gen_expr gen_value(struct gen *g, struct gen_type type, int depth) {
  struct gen_expr e;
  if ((type.lanes > 1 || gen_is_float(type.base)) && depth > 0 && gen_chance(g, 10) && call(g, type, depth, &e))
    return e;
  if (gen_is_float(type.base))
    return gen_float(g, type, depth);
  return type.lanes > 1 ? gen_vector(g, type, depth) : gen_integer(g, type.base, depth);
}

const char *gen_assignable(struct gen *g, struct gen_type type, int depth) {
  if (gen_is_float(type.base))
    return gen_float_settled(g, gen_value(g, type, depth)).text;
  if (type.lanes > 1)
    return gen_chance(g, 10) ? gen_integer(g, type.base, depth - 1).text : gen_value(g, type, depth).text;
  return gen_integer(g, gen_chance(g, 80) ? type.base : gen_random_int(g), depth).text; // an implicit conversion
}

static const char *comparison(struct gen *g, int depth) {
  static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="};
  if (gen_has(g, GEN_FLOATS) && gen_chance(g, 15)) {
    struct gen_type type = gen_scalar(GEN_F32);
    return gen_text(g, "%s %s %s", gen_float(g, type, depth).text, ops[gen_below(g, 6)],
                    gen_float(g, type, depth).text);
  }
  if (gen_has(g, GEN_VECTORS) && gen_chance(g, 10)) {
    struct gen_type type = {gen_random_int(g), (uint8_t)gen_random_lanes(g)};
    return gen_text(g, "%s(%s %s %s)", gen_chance(g, 50) ? "any" : "all", gen_vector(g, type, depth).text,
                    ops[gen_below(g, 6)], gen_vector(g, type, depth).text);
  }
  uint8_t base = gen_random_int(g);
  return gen_text(g, "%s %s %s", gen_integer(g, base, depth).text, ops[gen_below(g, 6)],
                  gen_integer(g, gen_chance(g, 70) ? base : gen_random_int(g), depth).text);
}

const char *gen_condition(struct gen *g, int depth) {
  uint32_t kind = gen_below(g, 100);
  if (kind < 45 || depth < 0)
    return comparison(g, depth < 0 ? 0 : depth);
  if (kind < 65) {
    uint8_t base = gen_random_int(g);
    return gen_text(g, "(%s & %u) %s", gen_integer(g, base, depth).text, 1 + gen_below(g, 7),
                    gen_chance(g, 50) ? "!= 0" : "== 0");
  }
  if (kind < 75)
    return gen_integer(g, gen_random_int(g), depth).text;
  if (kind < 80)
    return gen_text(g, "!(%s)", gen_condition(g, depth - 1));
  return gen_text(g, "(%s) %s (%s)", gen_condition(g, depth - 1), gen_chance(g, 50) ? "&&" : "||",
                  gen_condition(g, depth - 1));
}

// The same for all work-items of a group.
const char *gen_uniform_condition(struct gen *g) {
  static const char *const ops[] = {"<", ">", "==", "!="};
  const char *value = NULL;
  for (int tries = 0; tries < 20 && !value; tries++) {
    const struct gen_var *v = &g->vars[gen_below(g, (uint32_t)g->var_count)];
    if (v->uniform && v->kind == GEN_VAR_VALUE && v->type.lanes == 1 && !gen_is_float(v->type.base))
      value = v->name;
  }
  if (!value || gen_chance(g, 20))
    value = gen_text(g, "(int)get_group_id(%u)", gen_below(g, g->program->work_dim));
  if (gen_chance(g, 40))
    return gen_text(g, "(%s & %u) %s", value, 1 + gen_below(g, 3), gen_chance(g, 50) ? "!= 0" : "== 0");
  return gen_text(g, "%s %s %u", value, ops[gen_below(g, 4)], gen_below(g, 9));
}
