// Lanes along the flattened index. A launch with a short dimension 0 runs as one row of all its work-items, which may
// cross rows and planes, so that warps are full whatever the shape is. Only kernels without barriers, sub-groups and
// local memory: their work-items may run in any order and together.
//
// The flattened index F = p0 + s0 * (p1 + s1 * p2), with positions p and global sizes s, is a value of its own in the
// IR: GLOBAL_ID of dimension KILN_FLAT_DIMENSION, linear with stride 1. Ids of single dimensions vary; they are
// computed per lane (cpu/kernel.c) where they are used. Ids and sizes of groups are computed from them.
//
// An index that is affine in the ids, such as "y * w + x", is c * F + u where w is the width of the launch. Being
// affine, it equals its own expression with F in place of p0, and 0 in place of p1 and p2, if a step in p1 is as long
// as s0 steps in p0, and one in p2 as long as s0 * s1. These are comparisons of uniform values. Some hold by
// construction (w is get_global_size(0)); the others are tested once per call, and where one does not hold, the kernel
// runs with its own expressions.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): flatten.
#include <string.h>

#include "backends/llvm/arrange/arrange.h"
#include "backends/llvm/spmd/spmd.h"

#define MAX_SIZE 64  // operations of one
#define MAX_SAME 200 // comparisons of parts of two expressions

// ---- which kernels

static bool uses_dimension(const struct kiln_function *fn, uint64_t d) {
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    bool is_id = in->op == KILN_OP_GLOBAL_ID || in->op == KILN_OP_LOCAL_ID || in->op == KILN_OP_GROUP_ID;
    if (in->region && is_id && in->imm == d)
      return true;
  }
  return false;
}

bool kiln_ll_may_flatten(const struct kiln_function *fn) {
  if (fn->has_barrier || fn->has_sub_groups || !fn->shapes)
    return false;
  for (uint32_t i = 0; i < fn->param_count; i++)
    if (kiln_type_kind(fn->params[i].type) == KILN_PTR && kiln_type_space(fn->params[i].type) == KILN_LOCAL)
      return false;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    if ((in->region && (in->op == KILN_OP_CALL || in->op == KILN_OP_PRINTF)) ||
        (in->op == KILN_OP_GLOBAL && kiln_type_space(in->type) == KILN_LOCAL))
      return false;
  }
  bool asks_group = false;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    enum kiln_op op = (enum kiln_op)fn->insts[v].op;
    asks_group |= fn->insts[v].region && (op == KILN_OP_LOCAL_ID || op == KILN_OP_GROUP_ID);
  }
  return asks_group || uses_dimension(fn, 1) || uses_dimension(fn, 2);
}

struct flatten {
  struct kiln_function *fn;
  struct kiln_ll_flattened *out;
  struct form *forms;   // by value
  uint32_t value_count; // that have one
  bool *rewritten;      // by value
  kiln_value flat;      // F
  kiln_value offset[3];
  uint8_t dims;   // dimensions that F covers, as bits
  bool asks_only; // nothing is changed, and shapes are those along rows
};

static kiln_type i64(void) { return kiln_scalar_type(KILN_I64); }

void kiln_ll_become(struct kiln_function *fn, kiln_value v, enum kiln_op op, const kiln_value *operands, uint32_t count,
                    uint64_t imm) {
  kiln_set_operands(fn, v, operands, count);
  fn->insts[v].op = (uint16_t)op;
  fn->insts[v].imm = imm;
  fn->insts[v].flags = 0;
}

// ---- forms

struct form {
  bool known, affine; // known: the rest is filled in. affine in positions, with uniform factors
  uint8_t dims;       // positions that it depends on, as bits
  bool has_step;      // step is a constant
  int64_t step;       // per step in dimension 0
  bool early;         // made of parameters, constants and sizes alone
  uint8_t size;       // operations of the expression, with those that it has twice
};

static struct form sum(struct form x, struct form y, uint64_t times) {
  struct form result = x;
  result.affine &= y.affine;
  result.dims |= y.dims;
  result.has_step &= y.has_step;
  result.step = (int64_t)((uint64_t)x.step + (uint64_t)y.step * times);
  return result;
}

static struct form product(const struct flatten *c, struct form x, kiln_value factor, struct form y) {
  uint64_t bits;
  if (y.dims)
    return (struct form){.known = true};
  const struct kiln_inst *in = &c->fn->insts[factor];
  x.affine &= y.affine;
  bits = in->imm;
  if (in->op == KILN_OP_CONST)
    x.step = (int64_t)((uint64_t)x.step * bits);
  else
    x.has_step &= x.step == 0;
  return x;
}

static bool is_id(const struct kiln_function *fn, kiln_value v) {
  return fn->insts[v].op == KILN_OP_GLOBAL_ID && fn->insts[v].imm < 3;
}

// The id that an extension of its lower bits equals; 0: it is no such.
static kiln_value extended_id(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *in = &fn->insts[v];
  if ((in->op != KILN_OP_SEXT && in->op != KILN_OP_ZEXT) || !fn->module->small_ids || in->type != i64())
    return 0;
  kiln_value x = kiln_operands(fn, v)[0];
  if (fn->insts[x].op != KILN_OP_TRUNC || fn->insts[x].type != kiln_scalar_type(KILN_I32))
    return 0;
  x = kiln_operands(fn, x)[0];
  return is_id(fn, x) ? x : 0;
}

static struct form form_of(const struct flatten *c, kiln_value v);

static bool is_size(const struct kiln_inst *in) {
  return in->op == KILN_OP_GLOBAL_SIZE || in->op == KILN_OP_FULL_LOCAL_SIZE || in->op == KILN_OP_NUM_GROUPS;
}

// Fills in whether the value is early, and its size. What is too large is neither early nor affine.
static void measure(const struct flatten *c, kiln_value v, struct form *form) {
  const struct kiln_inst *in = &c->fn->insts[v];
  bool is_leaf = in->op == KILN_OP_CONST || in->op == KILN_OP_PARAM || is_size(in);
  unsigned size = 1;
  form->early = is_leaf || (in->region && kiln_effect_of(c->fn, v) == KILN_EFFECT_PURE && in->operand_count <= 3 &&
                            in->op != KILN_OP_SHUFFLE);
  for (uint32_t i = 0; !is_leaf && i < in->operand_count && size <= MAX_SIZE; i++) {
    struct form part = form_of(c, kiln_operands(c->fn, v)[i]);
    form->early &= part.early;
    size += part.size;
  }
  bool fits = size <= MAX_SIZE;
  form->early &= fits;
  form->affine &= fits || !form->dims;
  form->size = fits ? (uint8_t)size : MAX_SIZE + 1;
}

static struct form form_of_operands(const struct flatten *c, kiln_value v) {
  const struct kiln_inst *in = &c->fn->insts[v];
  const kiln_value *x = kiln_operands(c->fn, v);
  kiln_value id = extended_id(c->fn, v);
  if (in->op == KILN_OP_IADD || in->op == KILN_OP_ISUB || in->op == KILN_OP_PADD) {
    uint64_t times = in->op == KILN_OP_IADD ? 1 : in->op == KILN_OP_ISUB ? ~(uint64_t)0 : in->imm;
    return sum(form_of(c, x[0]), form_of(c, x[1]), times);
  }
  if (in->op == KILN_OP_IMUL) {
    struct form a = form_of(c, x[0]), b = form_of(c, x[1]);
    return a.dims ? product(c, a, x[1], b) : product(c, b, x[0], a);
  }
  if (in->op == KILN_OP_SHL && c->fn->insts[x[1]].op == KILN_OP_CONST) {
    struct form form = form_of(c, x[0]);
    form.step = (int64_t)((uint64_t)form.step << c->fn->insts[x[1]].imm % kiln_kind_bits(kiln_type_kind(in->type)));
    return form;
  }
  if (in->op == KILN_OP_TRUNC || id)
    return form_of(c, id ? id : x[0]);
  return (struct form){.known = true};
}

// Those of operands are found before, so that this does not go far.
static struct form form_of(const struct flatten *c, kiln_value v) {
  const struct kiln_inst *in = &c->fn->insts[v];
  struct form form = {.known = true, .size = MAX_SIZE + 1};
  if (v >= c->value_count || kiln_type_lanes(in->type) > 1)
    return form;
  if (c->forms[v].known)
    return c->forms[v];
  form = form_of_operands(c, v);
  measure(c, v, &form);
  enum kiln_kind kind = kiln_type_kind(in->type);
  if (is_id(c->fn, v))
    form = (struct form){true, true, (uint8_t)(1 << in->imm), true, in->imm == 0, false, 1};
  else if (c->asks_only ? form.early : in->op == KILN_OP_CONST || c->fn->shapes[v].kind == KILN_SHAPE_UNIFORM)
    form = (struct form){true, kiln_kind_is_int(kind) || kind == KILN_PTR, 0, true, 0, form.early, form.size};
  c->forms[v] = form;
  return form;
}

static bool is_candidate(const struct flatten *c, kiln_value v) {
  struct form form = form_of(c, v);
  return c->fn->insts[v].region && form.affine && form.dims == c->dims && form.has_step && form.step;
}

// ---- uniform expressions

static bool is_const(const struct kiln_function *fn, kiln_value v, uint64_t bits) {
  return fn->insts[v].op == KILN_OP_CONST && fn->insts[v].imm == bits;
}

// 0 stands for zero.
static kiln_value add(struct kiln_builder *b, kiln_value x, kiln_value y) {
  return !x || !y ? x + y : kiln_build2(b, KILN_OP_IADD, x, y);
}

static kiln_value times(struct kiln_builder *b, kiln_value x, kiln_value y) {
  if (!x || !y)
    return 0;
  if (is_const(b->fn, x, 1) || is_const(b->fn, y, 1))
    return is_const(b->fn, x, 1) ? y : x;
  return kiln_build2(b, KILN_OP_IMUL, x, y);
}

static kiln_value converted(struct kiln_builder *b, kiln_value x, kiln_type type) {
  if (!x || b->fn->insts[x].type == type)
    return x;
  if (b->fn->insts[x].op == KILN_OP_CONST)
    return kiln_const(b->fn, type, b->fn->insts[x].imm);
  return kiln_build1(b, KILN_OP_TRUNC, type, x);
}

// A copy of an early value at the builder.
static kiln_value copy_early(struct kiln_builder *b, kiln_value v) {
  const struct kiln_inst in = b->fn->insts[v];
  kiln_value x[3] = {0};
  if (in.op == KILN_OP_CONST || in.op == KILN_OP_PARAM)
    return v;
  for (uint32_t i = 0; i < in.operand_count && i < 3; i++)
    x[i] = copy_early(b, kiln_operands(b->fn, v)[i]);
  return kiln_build(b, (enum kiln_op)in.op, in.type, x, in.operand_count, in.imm, in.imm2, in.flags);
}

// What the position in a dimension becomes: a product of global sizes, 1, or zero.
struct step {
  bool is_one;
  unsigned sizes; // of dimensions 0 to sizes - 1
};

static kiln_value build_step(struct kiln_builder *b, struct step step, kiln_type type) {
  kiln_value result = step.is_one || step.sizes ? kiln_const(b->fn, type, 1) : 0;
  for (unsigned d = 0; d < step.sizes; d++)
    result = times(b, result, converted(b, kiln_build_item(b, KILN_OP_GLOBAL_SIZE, d), type));
  return result;
}

// How much the value grows by those steps. *ok: false if a factor is not early. In bytes for a pointer.
static kiln_value growth(const struct flatten *c, struct kiln_builder *b, kiln_value v, const struct step steps[3],
                         bool *ok) {
  const struct kiln_inst in = c->fn->insts[v];
  struct form form = c->forms[v];
  kiln_value x[2] = {0};
  for (uint32_t i = 0; i < 2 && i < in.operand_count; i++)
    x[i] = kiln_operands(c->fn, v)[i];
  if (!form.known || !form.dims)
    return 0;
  if (is_id(c->fn, v))
    return build_step(b, steps[in.imm], in.type);
  if (extended_id(c->fn, v))
    return growth(c, b, extended_id(c->fn, v), steps, ok);
  if (in.op == KILN_OP_TRUNC && is_id(c->fn, x[0]))
    return build_step(b, steps[c->fn->insts[x[0]].imm], in.type);
  if (in.op == KILN_OP_TRUNC)
    return converted(b, growth(c, b, x[0], steps, ok), in.type);
  if (in.op == KILN_OP_SHL) {
    kiln_value one = growth(c, b, x[0], steps, ok);
    unsigned bits = kiln_kind_bits(kiln_type_kind(in.type));
    return times(b, one, kiln_const(b->fn, in.type, (uint64_t)1 << c->fn->insts[x[1]].imm % bits));
  }
  if (in.op == KILN_OP_IMUL) {
    bool second = c->forms[x[1]].dims != 0;
    kiln_value one = growth(c, b, x[second], steps, ok);
    *ok &= c->forms[x[!second]].early;
    return one && *ok ? times(b, one, copy_early(b, x[!second])) : 0;
  }
  kiln_value first = growth(c, b, x[0], steps, ok), second = growth(c, b, x[1], steps, ok);
  if (in.op == KILN_OP_PADD)
    second = times(b, converted(b, second, i64()), kiln_const(b->fn, i64(), in.imm));
  if (in.op == KILN_OP_ISUB && second)
    second = times(b, second, kiln_const(b->fn, in.type, ~(uint64_t)0));
  return add(b, first, second);
}

// Whether two expressions are the same, up to the order of operands.
static bool is_same(const struct kiln_function *fn, kiln_value x, kiln_value y, unsigned *budget) {
  const struct kiln_inst *a = &fn->insts[x], *b = &fn->insts[y];
  if (x == y || !x || !y || !*budget)
    return x == y;
  --*budget;
  if (a->op != b->op || a->type != b->type || a->imm != b->imm || a->operand_count != b->operand_count || !a->region ||
      (kiln_effect_of(fn, x) != KILN_EFFECT_PURE && a->op != KILN_OP_GLOBAL_SIZE && a->op != KILN_OP_FULL_LOCAL_SIZE &&
       a->op != KILN_OP_NUM_GROUPS) ||
      a->op == KILN_OP_SHUFFLE)
    return false;
  const kiln_value *p = kiln_operands(fn, x), *q = kiln_operands(fn, y);
  bool same = true;
  for (uint32_t i = 0; same && i < a->operand_count; i++)
    same = is_same(fn, p[i], q[i], budget);
  bool commutes = a->op == KILN_OP_IADD || a->op == KILN_OP_IMUL || a->op == KILN_OP_EQ;
  return same || (commutes && is_same(fn, p[0], q[1], budget) && is_same(fn, p[1], q[0], budget));
}

// ---- rewriting

static bool add_condition(struct flatten *c, struct kiln_builder *b, kiln_value x, kiln_value y) {
  struct kiln_ll_flattened *out = c->out;
  unsigned budget = MAX_SAME;
  if (is_same(c->fn, x, y, &budget))
    return true;
  if (!x || !y || (c->fn->insts[x].op == KILN_OP_CONST && c->fn->insts[y].op == KILN_OP_CONST))
    return false;
  kiln_value condition = kiln_build2(b, KILN_OP_EQ, x, y);
  for (uint32_t i = 0; i < out->condition_count; i++) {
    budget = MAX_SAME;
    if (is_same(c->fn, out->conditions[i], condition, &budget))
      return true;
  }
  if (!condition || out->condition_count == KILN_LL_FLATTENED_CONDITIONS)
    return false;
  out->conditions[out->condition_count++] = condition;
  return true;
}

static struct kiln_builder at_start(struct kiln_function *fn) {
  return kiln_builder_before(fn, fn->regions[fn->body].first);
}

// Whether the value may be linear in F, and under which conditions.
static bool is_flat(struct flatten *c, kiln_value v) {
  struct kiln_ll_flattened *out = c->out;
  struct kiln_builder b = at_start(c->fn);
  uint32_t before = out->condition_count;
  bool ok = true;
  for (unsigned d = 1; d < 3 && ok; d++) {
    if (!(c->dims >> d & 1)) { // F counts a dimension 1 that the kernel does not: it has one work-item
      if (d == 1)
        ok = add_condition(c, &b, kiln_build_item(&b, KILN_OP_GLOBAL_SIZE, 1), kiln_const(c->fn, i64(), 1));
      continue;
    }
    struct step step[3] = {0}, same[3] = {[0] = {.sizes = d}};
    step[d].is_one = true;
    kiln_value x = growth(c, &b, v, step, &ok), y = growth(c, &b, v, same, &ok);
    const struct kiln_inst *by = &c->fn->insts[x];
    if (ok && x && by->op == KILN_OP_CONST) { // some width makes it true if it is a multiple
      unsigned shift = 64 - kiln_kind_bits(kiln_type_kind(by->type));
      int64_t width = (int64_t)(by->imm << shift) >> shift, one = c->forms[v].step;
      ok = width != INT64_MIN && width % one == 0 && width / one > 0;
    }
    ok = ok && add_condition(c, &b, x, y);
  }
  if (!ok)
    out->condition_count = before;
  return ok;
}

// The expression with F in place of the position in dimension 0, and the first position in the others.
static kiln_value substitute(struct flatten *c, struct kiln_builder *b, kiln_value v) {
  const struct kiln_inst in = c->fn->insts[v];
  if (!c->forms[v].dims)
    return v;
  if (is_id(c->fn, v))
    return in.imm ? c->offset[in.imm] : kiln_build2(b, KILN_OP_IADD, c->flat, c->offset[0]);
  if (extended_id(c->fn, v))
    return substitute(c, b, extended_id(c->fn, v));
  kiln_value x[2] = {0};
  for (uint32_t i = 0; i < in.operand_count && i < 2; i++)
    x[i] = substitute(c, b, kiln_operands(c->fn, v)[i]);
  return kiln_build(b, (enum kiln_op)in.op, in.type, x, in.operand_count, in.imm, in.imm2, 0);
}

// Finds the expression that takes the place of the value.
static void rewrite(struct flatten *c, kiln_value v) {
  struct kiln_ll_flattened *out = c->out;
  if (c->rewritten[v] || out->count == KILN_LL_FLATTENED_VALUES || c->fn->insts[v].operand_count > 2)
    return;
  c->rewritten[v] = true;
  if (c->asks_only || !is_flat(c, v))
    return;
  struct kiln_ll_flattened_value *value = &out->values[out->count++];
  *value = (struct kiln_ll_flattened_value){.value = v, .inst = c->fn->insts[v]};
  memcpy(value->operands, kiln_operands(c->fn, v), value->inst.operand_count * sizeof *value->operands);
  struct kiln_builder b = kiln_builder_before(c->fn, v);
  value->same = substitute(c, &b, v);
}

static void take_places(struct kiln_function *fn, const struct kiln_ll_flattened *flattened) {
  for (uint32_t i = 0; i < flattened->count; i++) {
    const struct kiln_ll_flattened_value *value = &flattened->values[i];
    bool is_pointer = kiln_type_kind(value->inst.type) == KILN_PTR;
    kiln_value zero = kiln_const(fn, is_pointer ? i64() : value->inst.type, 0);
    kiln_ll_become(fn, value->value, is_pointer ? KILN_OP_PADD : KILN_OP_IADD, (kiln_value[]){value->same, zero}, 2,
                   is_pointer);
  }
}

// The values are wanted in linear form. One that adds what is uniform to another, or scales it, is linear if that is.
static void want(struct flatten *c, kiln_value v) {
  for (;;) {
    const struct kiln_inst *in = &c->fn->insts[v];
    const kiln_value *x = kiln_operands(c->fn, v);
    kiln_value only = 0;
    unsigned count = 0;
    for (uint32_t i = 0; i < in->operand_count; i++)
      if (form_of(c, x[i]).dims) {
        only = x[i];
        count++;
      }
    if (count != 1 || !is_candidate(c, only)) {
      rewrite(c, v);
      return;
    }
    v = only;
  }
}

static void find(struct flatten *c, struct kiln_arena *arena) {
  struct kiln_function *fn = c->fn;
  c->value_count = fn->inst_count;
  c->forms = KILN_NEW_ARRAY(arena, struct form, fn->inst_count);
  c->rewritten = KILN_NEW_ARRAY(arena, bool, fn->inst_count);
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_ll_next_within(fn, fn->body, v))
    form_of(c, v);
  if (!c->asks_only) {
    struct kiln_builder b = at_start(fn);
    c->flat = kiln_build_item(&b, KILN_OP_GLOBAL_ID, KILN_FLAT_DIMENSION);
    for (unsigned d = 0; d < 3; d++)
      c->offset[d] = kiln_build_item(&b, KILN_OP_GLOBAL_OFFSET, d);
  }
  // Users that are not linear themselves want their operands to be.
  bool *wanted = KILN_NEW_ARRAY(arena, bool, c->value_count);
  for (kiln_value v = 1; v < c->value_count; v++)
    for (uint32_t i = 0; fn->insts[v].region && !is_candidate(c, v) && i < fn->insts[v].operand_count; i++) {
      kiln_value x = kiln_operands(fn, v)[i];
      if (x < c->value_count && is_candidate(c, x))
        wanted[x] = true;
    }
  for (kiln_value v = 1; v < c->value_count; v++)
    if (wanted[v])
      want(c, v);
}

static uint8_t dimensions(const struct kiln_function *fn) {
  return (uint8_t)(1 | uses_dimension(fn, 1) << 1 | uses_dimension(fn, 2) << 2);
}

static bool is_any_id(enum kiln_op op) {
  return op == KILN_OP_GLOBAL_ID || op == KILN_OP_LOCAL_ID || op == KILN_OP_GROUP_ID;
}

bool kiln_ll_flat_uses_ids(struct kiln_ll *ll, const struct kiln_function *fn) {
  struct kiln_ll_flattened out;
  struct flatten c = {.fn = (struct kiln_function *)fn, .out = &out, .asks_only = true, .dims = dimensions(fn)};
  out.count = 0;
  find(&c, &ll->arena);
  return kiln_ll_needs(fn, is_any_id, c.rewritten, KILN_NEW_ARRAY(&ll->arena, bool, fn->inst_count), &ll->arena);
}

// Values that depend on an id of another dimension than 0, or on a group's: those that rows share, if they are uniform.
static bool *of_rows(const struct kiln_function *fn, struct kiln_arena *arena) {
  bool *result = KILN_NEW_ARRAY(arena, bool, fn->inst_count);
  for (bool changed = true; changed;) { // ids need not be in order of definition, and loops go round
    changed = false;
    for (kiln_value v = 1; v < fn->inst_count; v++) {
      const struct kiln_inst *in = &fn->insts[v];
      const struct kiln_value_list *phis = in->op == KILN_OP_LOOP ? &fn->nodes[in->node].header
                                           : in->region           ? kiln_ll_target_phis(fn, v)
                                                                  : NULL;
      bool depends = is_any_id(kiln_op_of(in)) && (in->imm > 0 || in->op == KILN_OP_GROUP_ID);
      for (uint32_t i = 0; i < in->operand_count; i++) {
        bool one = result[kiln_operands(fn, v)[i]];
        depends |= one;
        if (phis && one && !result[phis->items[i]])
          changed = result[phis->items[i]] = true;
      }
      if (depends && !result[v])
        changed = result[v] = true;
    }
  }
  return result;
}

static bool is_in_loop(const struct kiln_function *fn, kiln_value v) {
  while (v && fn->insts[v].op != KILN_OP_LOOP)
    v = kiln_owner(fn, v);
  return v;
}

// Whether rows of the access are elements side by side, and so far apart, by a constant, that they are longer than any
// that launches would have along the flattened index.
static bool has_long_rows(const struct kiln_ll *ll, const struct kiln_function *fn, kiln_value access) {
  struct kiln_affine form;
  if (!kiln_ll_is_contiguous(fn, fn->shapes, access))
    return false;
  kiln_affine_of(fn, kiln_operands(fn, access)[0], 0, &form);
  for (uint32_t i = 0; i < form.term_count; i++) {
    const struct kiln_inst *of = &fn->insts[kiln_ll_converted(fn, form.terms[i].value)];
    int64_t far = form.terms[i].factor / (int64_t)kiln_type_bytes(kiln_access_type(fn, access));
    if (of->op == KILN_OP_GLOBAL_ID && of->imm == 1 && (far > 2 * ll->lanes || far < 0))
      return true;
  }
  return false;
}

bool kiln_ll_flat_gathers(struct kiln_ll *ll, const struct kiln_function *fn) {
  const bool *depends = NULL;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    if (!in->region || (in->op != KILN_OP_LOAD && in->op != KILN_OP_STORE))
      continue;
    kiln_value pointer = kiln_operands(fn, v)[0];
    if (has_long_rows(ll, fn, v))
      return true;
    if (in->op != KILN_OP_LOAD || fn->shapes[pointer].kind != KILN_SHAPE_UNIFORM || !is_in_loop(fn, v))
      continue;
    if (!depends)
      depends = of_rows(fn, &ll->arena);
    if (depends[pointer])
      return true;
  }
  return false;
}

void kiln_ll_flatten(struct kiln_ll *ll, struct kiln_function *fn, struct kiln_ll_flattened *out) {
  struct flatten c = {.fn = fn, .out = out};
  *out = (struct kiln_ll_flattened){.planes = !uses_dimension(fn, 2)};
  c.dims = dimensions(fn);
  out->asks_groups = kiln_ll_replace_group_queries(fn);
  kiln_function_analyse_packed(fn);
  if (kiln_module_failed(fn->module))
    return;
  find(&c, &ll->arena);
  take_places(fn, out);
  kiln_function_analyse_packed(fn);
  fn->is_flat = true; // what it asks of its group was replaced
}

void kiln_ll_unflatten(struct kiln_function *fn, const struct kiln_ll_flattened *flattened) {
  for (uint32_t i = flattened->count; i--;) {
    const struct kiln_ll_flattened_value *saved = &flattened->values[i];
    kiln_ll_become(fn, saved->value, (enum kiln_op)saved->inst.op, saved->operands, saved->inst.operand_count,
                   saved->inst.imm);
    fn->insts[saved->value].flags = saved->inst.flags;
  }
  kiln_function_analyse(fn);
  fn->is_flat = true;
}
