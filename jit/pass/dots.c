// Dot products of bytes (KILN_OP_DOT4).
//
// The other operand of a sum with a dot product becomes the third operand of the product, where nothing else uses the
// product, it is in the region of the sum, and its own third operand is 0 or a dot product in turn: s + (dot4(a, b, 0)
// + dot4(c, d, 0)) becomes dot4(a, b, dot4(c, d, s)). Operands whose bytes are all below 128 (q & 0x0f0f0f0f) are
// marked, so that a machine may take them for signed or unsigned bytes. A sum that saturates becomes a plain sum where
// it is of products alone. Leaves the products that it replaces to dce. Requires a verified function. Near-linear.
#include "jit/pass/common.h"

enum { MAX_CHAIN = 64 };

struct dots {
  struct kiln_function *fn;
  const uint32_t *uses;
  uint32_t counted; // values that uses is of; later ones have one use
};

static bool is_dot(const struct dots *d, kiln_value v, uint32_t region) {
  return d->fn->insts[v].op == KILN_OP_DOT4 && d->fn->insts[v].region == region && (v >= d->counted || d->uses[v] == 1);
}

// Whether v is a sum of products that begins with 0; products: how many.
static bool is_chain(const struct dots *d, kiln_value v, uint32_t region, unsigned *products) {
  uint64_t bits = 0;
  for (*products = 0; *products < MAX_CHAIN && is_dot(d, v, region); v = kiln_operands(d->fn, v)[2])
    ++*products;
  return *products && kiln_const_splat(d->fn, v, &bits) && bits == 0;
}

// The sum v becomes the first product of the chain, which begins with first.
static void accumulate(struct dots *d, kiln_value v, kiln_value chain, kiln_value first, unsigned products) {
  kiln_value links[MAX_CHAIN], sum = first;
  for (unsigned i = 0; i < products; i++) {
    links[i] = chain;
    chain = kiln_operands(d->fn, chain)[2];
  }
  struct kiln_builder b = kiln_builder_before(d->fn, v);
  for (unsigned i = products; i-- > 1;) {
    struct kiln_inst link = d->fn->insts[links[i]];
    kiln_value operands[] = {kiln_operands(d->fn, links[i])[0], kiln_operands(d->fn, links[i])[1], sum};
    sum = kiln_build(&b, KILN_OP_DOT4, link.type, operands, 3, link.imm, 0, link.flags);
  }
  const struct kiln_inst *last = &d->fn->insts[links[0]];
  struct kiln_inst *inst = &d->fn->insts[v];
  inst->op = KILN_OP_DOT4, inst->imm = last->imm, inst->flags = last->flags;
  kiln_value operands[] = {kiln_operands(d->fn, links[0])[0], kiln_operands(d->fn, links[0])[1], sum};
  kiln_set_operands(d->fn, v, operands, 3);
}

enum { UNKNOWN = UINT32_MAX };

// The most that a sum v of products can be that begins with a constant, with or without its sign. not_negative: no
// product is below 0, either. UNKNOWN: v is something else.
static uint64_t greatest(const struct kiln_function *fn, kiln_value v, bool not_negative) {
  uint64_t sum = 0, constant;
  for (unsigned i = 0; i < MAX_CHAIN; i++) {
    const struct kiln_inst *in = &fn->insts[v];
    if (kiln_const_splat(fn, v, &constant))
      return constant <= INT32_MAX ? sum + constant : UNKNOWN;
    if (in->op != KILN_OP_DOT4 || (not_negative && in->imm))
      break;
    sum += 4 * 255 * 255;
    v = kiln_operands(fn, v)[2];
  }
  return UNKNOWN;
}

// Whether a sum that saturates may be a plain sum, since it cannot saturate: dot products that accumulate from 0 on
// stay far below 2^31.
static bool need_not_saturate(struct kiln_function *fn, kiln_value v) {
  struct kiln_inst *in = &fn->insts[v];
  const kiln_value *x = kiln_operands(fn, v);
  bool is_unsigned = in->op == KILN_OP_UADD_SAT;
  if (in->type != kiln_scalar_type(KILN_I32) || (in->op != KILN_OP_SADD_SAT && !is_unsigned) ||
      greatest(fn, x[0], is_unsigned) + greatest(fn, x[1], is_unsigned) > INT32_MAX)
    return false;
  in->op = KILN_OP_IADD;
  return true;
}

static bool mark_small(struct kiln_function *fn, kiln_value v) {
  const uint64_t top = 0x80808080;
  uint16_t flags = 0;
  for (unsigned i = 0; i < 2; i++)
    if ((kiln_known_zeros(fn, kiln_operands(fn, v)[i]) & top) == top)
      flags |= (uint16_t)(KILN_DOT_FIRST_SMALL << i);
  bool changed = flags & ~fn->insts[v].flags;
  fn->insts[v].flags |= flags;
  return changed;
}

static bool sum_products(struct dots *d, kiln_value v) {
  const kiln_value *x = kiln_operands(d->fn, v);
  unsigned products;
  for (unsigned i = 0; i < 2; i++) {
    if (!is_chain(d, x[i], d->fn->insts[v].region, &products))
      continue;
    accumulate(d, v, x[i], x[!i], products);
    return true;
  }
  return false;
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_function *fn = subject;
  struct dots d = {.fn = fn, .counted = fn->inst_count};
  bool found = false, changed = false;
  for (kiln_value v = 1; v < d.counted; v++) {
    if (fn->insts[v].op != KILN_OP_DOT4 || !fn->insts[v].region)
      continue;
    kiln_facts_find(fn);
    found = true;
    changed |= mark_small(fn, v);
  }
  if (!found)
    return false;
  d.uses = kiln_count_uses(fn, arena);
  for (uint32_t region = 1; region < fn->region_count; region++)
    for (kiln_value v = fn->regions[region].first; v; v = fn->insts[v].next) {
      changed |= need_not_saturate(fn, v);
      if (fn->insts[v].op == KILN_OP_IADD && v < d.counted)
        changed |= sum_products(&d, v);
    }
  return changed;
}

bool kiln_pass_dots(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }
