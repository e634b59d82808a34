// Addresses of several terms, each with an operator that binds more weakly than the sum: what must stay in parentheses
// when an expression is printed.
#include "tests/gen/inner.h"

static const char *operand(struct gen *g, int depth) { return gen_integer(g, gen_random_int(g), depth).text; }

// 2^k - 1, at most so much.
static uint32_t mask_below(uint32_t most) {
  uint32_t mask = 1;
  while (mask * 2 + 1 <= most)
    mask = mask * 2 + 1;
  return mask;
}

static const char *comparison(struct gen *g, int depth) {
  static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="};
  return gen_text(g, "%s %s %s", operand(g, depth), ops[gen_below(g, 6)], operand(g, depth));
}

static const char *truth(struct gen *g, int depth) {
  switch (gen_below(g, 4)) {
  case 0:
    return gen_text(g, "!%s", operand(g, depth));
  case 1:
    return gen_text(g, "%s && %s", operand(g, depth), comparison(g, depth));
  case 2:
    return gen_text(g, "%s || %s", comparison(g, depth), operand(g, depth));
  default:
    return comparison(g, depth);
  }
}

static const char *shifted(struct gen *g, uint32_t most, int depth) {
  if (gen_chance(g, 50)) {
    uint32_t count = 1 + gen_below(g, 2);
    return gen_text(g, "(%s & %u) << %u", operand(g, depth), most >> count, count);
  }
  bool is_byte = gen_chance(g, 50);
  uint32_t count = 0, largest = is_byte ? 0xff : 0xffffffff;
  while (largest >> count > most)
    count++;
  return gen_text(g, "(%s)%s >> %u", is_byte ? "uchar" : "uint", operand(g, depth), count);
}

// An integer in [0, most], most being positive; the operator on the outside is any, without parentheses.
static const char *term(struct gen *g, uint32_t most, int depth) {
  uint32_t mask = mask_below(most), part = 1 + gen_below(g, most);
  const char *a = operand(g, depth);
  switch (gen_below(g, 12)) {
  case 0:
    return gen_text(g, "%s & %u", a, part);
  case 1:
    return gen_text(g, "(%s & %u) | (%s & %u)", a, mask, operand(g, depth), mask);
  case 2:
    return gen_text(g, "(%s & %u) ^ %u", a, mask, gen_below(g, mask + 1));
  case 3:
    return shifted(g, most, depth);
  case 4:
    return gen_text(g, "%s ? %s & %u : %u", truth(g, depth), a, part, gen_below(g, most + 1));
  case 5:
    return truth(g, depth);
  case 6:
    return gen_text(g, "(%s)(%s & %u)", gen_type_name(g, gen_scalar(gen_random_int(g))), a, part & 127);
  case 7:
    return gen_text(g, "-(short)%s & %u", a, part);
  case 8:
    return gen_text(g, "~%s & %u", a, part);
  case 9:
    return gen_text(g, "%u - (%s & %u)", most, a, part);
  case 10:
    return gen_text(g, "(uint)%s %% %uu", a, most + 1);
  default:
    return gen_text(g, "(%s & %u) + (%s & %u)", a, most / 2, operand(g, depth), most - most / 2);
  }
}

const char *gen_address(struct gen *g, const struct gen_var *array, uint32_t room, int depth) {
  if (!gen_has(g, GEN_ADDRESSES) || array->limit || array->bias || array->count < room + 2)
    return NULL;
  uint32_t most = array->count - room, first = 1 + gen_below(g, most - 1), second = most - first;
  uint32_t by = 1 + gen_below(g, second < 4 ? second : 4);
  const char *p = array->name, *a = term(g, first, depth), *b = term(g, second, depth);
  switch (gen_below(g, 8)) {
  case 0:
    return gen_text(g, "(%s + (%s) + (%s))", p, a, b);
  case 1:
    return gen_text(g, "(&%s[%s] + (%s))", p, a, b);
  case 2:
    return gen_text(g, "(&(&%s[%s])[%s])", p, a, b);
  case 3:
    return gen_text(g, "((%s) + (%s + (%s)))", a, p, b);
  case 4:
    return gen_text(g, "(%s + (%s) * %u + (%s))", p, term(g, second / by, depth), by, a);
  case 5:
    return gen_text(g, "(%s + (%s) + %u * (int)(%s))", p, a, by, term(g, second / by, depth));
  case 6:
    return gen_text(g, "(%s + %u - (%s) + (%s))", p, second, b, a);
  default:
    return gen_text(g, "(%s + (%s) + %u + -(int)(%s))", p, a, second, b);
  }
}

const char *gen_split(struct gen *g, const char *name, const char *index) {
  uint32_t low = (2u << gen_below(g, 3)) - 1;
  switch (gen_below(g, 4)) {
  case 0:
    return gen_text(g, "(%s + (%s & ~%u))[%s & %u]", name, index, low, index, low);
  case 1:
    return gen_text(g, "(&%s[%s & %u])[%s & ~%u]", name, index, low, index, low);
  case 2:
    return gen_text(g, "(*(%s + (%s / 8 << 3) + %s %% 8))", name, index, index);
  default:
    return gen_text(g, "(*(%s + (%s > %u ? 1 : 0) + (%s - (%s > %u))))", name, index, low, index, index, low);
  }
}
