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
// runs row by row, as it was: the flattened kernel is a copy.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): flatten.
#include "backends/llvm/arrange/arrange.h"

#include <string.h>

#include "backends/llvm/plan/form.h"

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

static kiln_type i64(void) { return kiln_scalar_type(KILN_I64); }

// ---- forms

// The form of an integer or address that is a sum (kiln_affine_of) of positions in the launch times uniform factors, or
// uniform:
//
//   y * w + x    {dims 3, step 1}    a step in dimension 0 is a step of the value; in dimension 1 it is w
//   y * 4 + 1    {dims 2, step 0}
//   x * w        {dims 1}            the step in dimension 0 is no constant
struct form {
  bool known, affine; // known: the rest is filled in
  bool early;         // the factors of positions can be computed at the start of the kernel
  bool has_step;      // step is a constant
  uint8_t dims;       // positions that it depends on, as bits
  int64_t step;       // per step in dimension 0
};

// An instruction at the start of the copy.
struct made {
  kiln_value v;
  struct made *before; // of the same bucket
};

#define BUCKETS 64

struct flatten {
  const struct kiln_function *fn;
  bool along_rows;    // the shapes of fn are those along rows, else along the flattened index
  uint8_t dims;       // dimensions that F covers, as bits
  struct form *forms; // by value
  bool *wanted;       // by value: to be linear in F, since what takes it is not
  bool *seen;         // by value: given by next_root

  // Of the flattened copy, whose values are those of fn, and more:
  struct kiln_ll_flattened *out;
  struct kiln_arena *arena;
  struct kiln_builder start;
  struct made *made[BUCKETS]; // at the start, by hash
  kiln_value flat, offset[3]; // F; of the launch
  kiln_value *early;          // by value: its copy at the start; 0: none yet
  kiln_value *growth[2][2];   // growth_of by value, as far as it is known: in dimension 1 or 2; rows
};

#define NO_GROWTH UINT32_MAX // of a value that positions do not change

static bool is_id(const struct kiln_function *fn, kiln_value v) {
  return fn->insts[v].op == KILN_OP_GLOBAL_ID && fn->insts[v].imm < 3;
}

// The integer that a truncation v has the lower bits of, or that v equals as the extension of the lower half of an id;
// 0: v is neither.
static kiln_value wider(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *in = &fn->insts[v];
  kiln_value x = in->operand_count ? kiln_operands(fn, v)[0] : 0;
  if (in->op == KILN_OP_TRUNC)
    return x;
  if ((in->op != KILN_OP_SEXT && in->op != KILN_OP_ZEXT) || !fn->module->small_ids || in->type != i64() ||
      fn->insts[x].op != KILN_OP_TRUNC || fn->insts[x].type != kiln_scalar_type(KILN_I32))
    return 0;
  x = kiln_operands(fn, x)[0];
  return is_id(fn, x) ? x : 0;
}

// The value of a term; where it is the extension of an id's lower half, the id.
static kiln_value term_value(const struct kiln_function *fn, const struct kiln_term *term) {
  if (term->extension == KILN_OP_CONST)
    return term->value;
  kiln_value id = fn->module->small_ids ? wider(fn, term->value) : 0;
  return id && is_id(fn, id) ? id : 0;
}

// Whether the value can be computed at the start of the kernel, and copied there.
static bool is_early(const struct kiln_function *fn, kiln_value v) {
  return kiln_is_of_launch(fn, v) && !(kiln_depends_on(fn, v) & KILN_ON_VECTOR);
}

// Whether all lanes along the flattened index have the same value.
static bool is_uniform(const struct flatten *c, kiln_value v) {
  return c->along_rows ? is_early(c->fn, v)
                       : c->fn->insts[v].op == KILN_OP_CONST || c->fn->shapes[v].kind == KILN_SHAPE_UNIFORM;
}

static struct form form_of(struct flatten *c, kiln_value v);

static bool add_term(struct flatten *c, const struct kiln_term *term, struct form *out) {
  if (is_uniform(c, term->value) && (!term->scale || is_uniform(c, term->scale)))
    return true;
  kiln_value x = term_value(c->fn, term);
  struct form part = form_of(c, x);
  if (!part.affine || (term->scale && !is_uniform(c, term->scale)))
    return false;
  out->dims |= part.dims;
  out->early &= part.early && (!term->scale || is_early(c->fn, term->scale));
  out->has_step &= part.has_step && !(term->scale && part.step);
  out->step = (int64_t)((uint64_t)out->step + (uint64_t)part.step * (uint64_t)term->factor);
  return true;
}

// Finds the form of a sum whose operands are affine, so that it can be rewritten operand by operand.
static bool find_sum(struct flatten *c, kiln_value v, struct form *out) {
  const struct kiln_inst *in = &c->fn->insts[v];
  struct kiln_affine sum;
  if (in->op != KILN_OP_IADD && in->op != KILN_OP_ISUB && in->op != KILN_OP_PADD && in->op != KILN_OP_IMUL &&
      in->op != KILN_OP_SHL)
    return false;
  for (uint32_t i = 0; i < in->operand_count; i++)
    if (!form_of(c, kiln_operands(c->fn, v)[i]).affine)
      return false;
  kiln_affine_of(c->fn, v, KILN_AFFINE_PRODUCTS, &sum);
  bool affine = sum.base != v;
  for (uint32_t i = 0; i < sum.term_count && affine; i++)
    affine = sum.terms[i].value != v && add_term(c, &sum.terms[i], out);
  return affine;
}

static struct form find_form(struct flatten *c, kiln_value v) {
  const struct kiln_inst *in = &c->fn->insts[v];
  enum kiln_kind kind = kiln_type_kind(in->type);
  struct form form = {.known = true, .early = true, .has_step = true}, none = {.known = true};
  if (kiln_type_lanes(in->type) > 1 || (!kiln_kind_is_int(kind) && kind != KILN_PTR))
    return none;
  form.affine = true;
  if (is_uniform(c, v))
    return form;
  if (is_id(c->fn, v)) {
    form.dims = (uint8_t)(1 << in->imm);
    form.step = in->imm == 0;
    return form;
  }
  if (!in->region || !(kiln_depends_on(c->fn, v) & KILN_ON_GLOBAL_IDS))
    return none;
  if (wider(c->fn, v))
    return form_of(c, wider(c->fn, v));
  return find_sum(c, v, &form) ? form : none;
}

static struct form form_of(struct flatten *c, kiln_value v) {
  if (!c->forms[v].known)
    c->forms[v] = find_form(c, v);
  return c->forms[v];
}

// Whether the value may be linear in F.
static bool is_candidate(struct flatten *c, kiln_value v) {
  struct form form = form_of(c, v);
  return c->fn->insts[v].region && form.affine && form.dims == c->dims && form.has_step && form.step;
}

// Finds the values that are to be linear: operands of instructions that are not linear themselves.
static void find_wanted(struct flatten *c, struct kiln_arena *arena) {
  const struct kiln_function *fn = c->fn;
  c->forms = KILN_NEW_ARRAY(arena, struct form, fn->inst_count);
  c->wanted = KILN_NEW_ARRAY(arena, bool, fn->inst_count);
  c->seen = KILN_NEW_ARRAY(arena, bool, fn->inst_count);
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_ll_next_within(fn, fn->body, v))
    form_of(c, v); // operands first, so that it does not go far
  for (kiln_value v = 1; v < fn->inst_count; v++)
    for (uint32_t i = 0; fn->insts[v].region && !is_candidate(c, v) && i < fn->insts[v].operand_count; i++)
      c->wanted[kiln_operands(fn, v)[i]] |= is_candidate(c, kiln_operands(fn, v)[i]);
}

// The value to rewrite so that v is linear: v itself or, where v adds something uniform to another value or scales it,
// the root of that value.
static kiln_value root_of(struct flatten *c, kiln_value v) {
  for (;;) {
    kiln_value only = 0;
    unsigned count = 0;
    for (uint32_t i = 0; i < c->fn->insts[v].operand_count; i++) {
      kiln_value x = kiln_operands(c->fn, v)[i];
      only = form_of(c, x).dims ? x : only;
      count += form_of(c, x).dims != 0;
    }
    if (count != 1 || !is_candidate(c, only))
      return v;
    v = only;
  }
}

// The next value to rewrite, and the wanted value that it is for; 0: there are no more.
static kiln_value next_root(struct flatten *c, kiln_value *wanted) {
  while (++*wanted < c->fn->inst_count) {
    kiln_value root = c->wanted[*wanted] ? root_of(c, *wanted) : 0;
    if (root && !c->seen[root]) {
      c->seen[root] = true;
      return root;
    }
  }
  return 0;
}

// ---- uniform expressions

static bool is_const(const struct kiln_function *fn, kiln_value v, uint64_t bits) {
  return fn->insts[v].op == KILN_OP_CONST && fn->insts[v].imm == bits;
}

static bool is_same(const struct kiln_function *fn, kiln_value x, kiln_value y) {
  const struct kiln_inst *a = &fn->insts[x], *b = &fn->insts[y];
  const kiln_value *p = kiln_operands(fn, x), *q = kiln_operands(fn, y);
  if (a->op != b->op || a->type != b->type || a->imm != b->imm || a->imm2 != b->imm2 ||
      a->operand_count != b->operand_count)
    return false;
  bool commutes = a->op == KILN_OP_IADD || a->op == KILN_OP_IMUL || a->op == KILN_OP_EQ;
  return memcmp(p, q, a->operand_count * sizeof *p) == 0 || (commutes && p[0] == q[1] && p[1] == q[0]);
}

// The instruction that the start has already and that is the same as v, up to the order of operands, which has just
// been made; else v. So equal expressions are one value.
static kiln_value once(struct flatten *c, kiln_value v) {
  struct kiln_function *fn = c->start.fn;
  const struct kiln_inst *in = &fn->insts[v];
  uint64_t hash = in->op + in->imm;
  for (uint32_t i = 0; i < in->operand_count; i++)
    hash += kiln_operands(fn, v)[i];
  if (!in->region)
    return v;
  for (const struct made *made = c->made[hash % BUCKETS]; made; made = made->before)
    if (is_same(fn, made->v, v)) {
      fn->insts[made->v].flags &= in->flags; // it may wrap if either may
      if (made->v != v)
        kiln_remove(fn, v);
      return made->v;
    }
  struct made *made = KILN_NEW(c->arena, struct made);
  *made = (struct made){v, c->made[hash % BUCKETS]};
  c->made[hash % BUCKETS] = made;
  return v;
}

static kiln_value make2(struct flatten *c, enum kiln_op op, kiln_value x, kiln_value y) {
  return once(c, kiln_build2(&c->start, op, x, y));
}

static kiln_value make_item(struct flatten *c, enum kiln_op op, unsigned dimension) {
  return once(c, kiln_build_item(&c->start, op, dimension));
}

// The sum; no value (0) stands for the number 0.
static kiln_value add(struct flatten *c, kiln_value x, kiln_value y) {
  return !x || !y ? x + y : make2(c, KILN_OP_IADD, x, y);
}

static kiln_value times(struct flatten *c, kiln_value x, kiln_value y) {
  if (!x || !y)
    return 0;
  if (is_const(c->start.fn, x, 1) || is_const(c->start.fn, y, 1))
    return is_const(c->start.fn, x, 1) ? y : x;
  return make2(c, KILN_OP_IMUL, x, y);
}

// op: of the conversion, where the types differ.
static kiln_value converted(struct flatten *c, enum kiln_op op, kiln_value x, kiln_type type) {
  struct kiln_function *fn = c->start.fn;
  if (!x || fn->insts[x].type == type)
    return x;
  if (op == KILN_OP_TRUNC && fn->insts[x].op == KILN_OP_CONST)
    return kiln_const(fn, type, fn->insts[x].imm);
  return once(c, kiln_build1(&c->start, op, type, x));
}

// A copy of an early value at the start.
static kiln_value copy_early(struct flatten *c, kiln_value v) {
  const struct kiln_inst in = c->fn->insts[v];
  kiln_value x[3] = {0}, copy;
  if (kiln_op_is_free(kiln_op_of(&in)) || c->early[v])
    return c->early[v] ? c->early[v] : v;
  for (uint32_t i = 0; i < in.operand_count && i < 3; i++)
    x[i] = copy_early(c, kiln_operands(c->fn, v)[i]);
  copy = kiln_build(&c->start, kiln_op_of(&in), in.type, x, in.operand_count, in.imm, in.imm2, in.flags);
  return c->early[v] = once(c, copy);
}

// How much the id of a dimension grows with a step: in dimension d (by 1), or, with rows, in dimension 0 by as many
// positions as a row (d is 1) or a plane (d is 2) has. 0: the id does not grow.
static kiln_value growth_of_id(struct flatten *c, uint64_t dimension, unsigned d, bool rows, kiln_type type) {
  if (dimension != (rows ? 0 : d))
    return 0;
  kiln_value result = kiln_const(c->start.fn, type, 1);
  for (unsigned i = 0; rows && i < d; i++)
    result = times(c, result, converted(c, KILN_OP_TRUNC, make_item(c, KILN_OP_GLOBAL_SIZE, i), type));
  return result;
}

static kiln_value find_growth(struct flatten *c, kiln_value v, unsigned d, bool rows);

// How much the value grows with a step as in growth_of_id; of a pointer, in bytes.
static kiln_value growth_of(struct flatten *c, kiln_value v, unsigned d, bool rows) {
  kiln_value *known = &c->growth[d - 1][rows][v];
  if (!*known && form_of(c, v).dims)
    *known = find_growth(c, v, d, rows);
  return *known == NO_GROWTH ? 0 : *known;
}

static kiln_value find_growth(struct flatten *c, kiln_value v, unsigned d, bool rows) {
  struct kiln_function *fn = c->start.fn;
  kiln_type type = kiln_type_kind(c->fn->insts[v].type) == KILN_PTR ? i64() : c->fn->insts[v].type;
  kiln_value x = wider(c->fn, v), result = 0;
  struct kiln_affine sum = {.term_count = 0};
  if (is_id(c->fn, x ? x : v))
    result = growth_of_id(c, c->fn->insts[x ? x : v].imm, d, rows, type);
  else if (x)
    result = converted(c, KILN_OP_TRUNC, growth_of(c, x, d, rows), type);
  else
    kiln_affine_of(c->fn, v, KILN_AFFINE_PRODUCTS, &sum);
  for (uint32_t i = 0; i < sum.term_count; i++) {
    const struct kiln_term *term = &sum.terms[i];
    kiln_value y = term_value(c->fn, term), one = y ? growth_of(c, y, d, rows) : 0;
    if (!one)
      continue;
    kiln_value scale = term->scale ? copy_early(c, term->scale) : kiln_const(fn, type, 1);
    scale = converted(c, term->extension, scale, type);
    result = add(c, result, times(c, times(c, one, scale), kiln_const(fn, type, (uint64_t)term->factor)));
  }
  return result ? result : NO_GROWTH;
}

// ---- rewriting

static uint8_t dimensions(const struct kiln_function *fn) {
  return (uint8_t)(1 | uses_dimension(fn, 1) << 1 | uses_dimension(fn, 2) << 2);
}

static bool add_condition(struct flatten *c, kiln_value x, kiln_value y) {
  struct kiln_ll_flattened *out = c->out;
  const struct kiln_function *fn = c->start.fn;
  if (x == y)
    return true;
  if (!x || !y || (fn->insts[x].op == KILN_OP_CONST && fn->insts[y].op == KILN_OP_CONST))
    return false;
  kiln_value condition = make2(c, KILN_OP_EQ, x, y);
  for (uint32_t i = 0; i < out->condition_count; i++)
    if (out->conditions[i] == condition)
      return true;
  if (!condition || out->condition_count == KILN_LL_FLATTENED_CONDITIONS)
    return false;
  out->conditions[out->condition_count++] = condition;
  return true;
}

// Whether there is a width for which a step in the next dimension is as long as that many steps in dimension 0.
static bool may_be_width(const struct kiln_function *fn, kiln_value step, int64_t one) {
  const struct kiln_inst *in = &fn->insts[step];
  unsigned shift = 64 - kiln_kind_bits(kiln_type_kind(in->type));
  int64_t width = (int64_t)(in->imm << shift) >> shift;
  return in->op != KILN_OP_CONST || (width != INT64_MIN && width % one == 0 && width / one > 0);
}

// Whether the value is linear in F if conditions hold, which are added.
static bool is_flat(struct flatten *c, kiln_value v) {
  uint32_t before = c->out->condition_count;
  bool ok = c->forms[v].early;
  if (ok && !(c->dims & 2)) // F counts a dimension 1 that the kernel does not: it has one work-item
    ok = add_condition(c, make_item(c, KILN_OP_GLOBAL_SIZE, 1), kiln_const(c->start.fn, i64(), 1));
  for (unsigned d = 1; d < 3 && ok; d++) {
    if (!(c->dims >> d & 1))
      continue;
    kiln_value x = growth_of(c, v, d, false), y = growth_of(c, v, d, true);
    ok = (!x || may_be_width(c->start.fn, x, c->forms[v].step)) && add_condition(c, x, y);
  }
  if (!ok)
    c->out->condition_count = before;
  return ok;
}

// The expression with F in place of the position in dimension 0, and the first position in the others.
static kiln_value substitute(struct flatten *c, struct kiln_builder *b, kiln_value v) {
  const struct kiln_inst in = c->fn->insts[v];
  if (!form_of(c, v).dims)
    return v;
  if (is_id(c->fn, v))
    return in.imm ? c->offset[in.imm] : kiln_build2(b, KILN_OP_IADD, c->flat, c->offset[0]);
  if (in.op == KILN_OP_SEXT || in.op == KILN_OP_ZEXT)
    return substitute(c, b, wider(c->fn, v));
  kiln_value x[2] = {0};
  for (uint32_t i = 0; i < in.operand_count && i < 2; i++)
    x[i] = substitute(c, b, kiln_operands(c->fn, v)[i]);
  return kiln_build(b, kiln_op_of(&in), in.type, x, in.operand_count, in.imm, in.imm2, 0);
}

static void rewrite(struct flatten *c, kiln_value v) {
  struct kiln_builder b = kiln_builder_before(c->start.fn, v);
  bool is_pointer = kiln_type_kind(c->fn->insts[v].type) == KILN_PTR;
  kiln_value x[2] = {substitute(c, &b, v), kiln_const(b.fn, is_pointer ? i64() : c->fn->insts[v].type, 0)};
  kiln_ll_become(b.fn, v, is_pointer ? KILN_OP_PADD : KILN_OP_IADD, x, 2, is_pointer);
}

static void rewrite_all(struct flatten *c, struct kiln_arena *arena) {
  struct kiln_function *copy = c->start.fn;
  c->early = KILN_NEW_ARRAY(arena, kiln_value, c->fn->inst_count);
  for (unsigned i = 0; i < 4; i++)
    c->growth[i / 2][i % 2] = KILN_NEW_ARRAY(arena, kiln_value, c->fn->inst_count);
  c->flat = kiln_build_item(&c->start, KILN_OP_GLOBAL_ID, KILN_FLAT_DIMENSION);
  for (unsigned d = 0; d < 3; d++)
    c->offset[d] = kiln_build_item(&c->start, KILN_OP_GLOBAL_OFFSET, d);
  kiln_value wanted = 0;
  for (kiln_value root; (root = next_root(c, &wanted)) && !kiln_module_failed(copy->module);)
    if (is_flat(c, root))
      rewrite(c, root);
}

bool kiln_ll_arrange_flat(struct kiln_ll *ll, struct kiln_function *fn, struct kiln_ll_flattened *out) {
  if (!kiln_ll_asks(ll, KILN_CPU_SHAPE_FLATTENED) || !kiln_ll_may_flatten(fn))
    return false;
  *out = (struct kiln_ll_flattened){.rows = fn, .planes = !uses_dimension(fn, 2)};
  out->asks_groups = kiln_ll_replace_group_queries(fn);
  kiln_function_analyse_packed(fn);
  struct kiln_function *copy = out->fn = kiln_ll_copy(ll, fn);
  struct flatten c = {.fn = fn, .out = out, .arena = &ll->arena, .dims = dimensions(fn)};
  c.start = kiln_builder_before(copy, copy->regions[copy->body].first);
  find_wanted(&c, &ll->arena);
  rewrite_all(&c, &ll->arena);
  kiln_function_analyse_packed(copy);
  kiln_function_analyse(fn);
  fn->is_flat = copy->is_flat = true; // what it asks of its group was replaced
  return true;
}

// ---- what lanes along the flattened index would gain

static bool is_any_id(enum kiln_op op) {
  return op == KILN_OP_GLOBAL_ID || op == KILN_OP_LOCAL_ID || op == KILN_OP_GROUP_ID;
}

bool kiln_ll_flat_uses_ids(struct kiln_ll *ll, const struct kiln_function *fn) {
  struct flatten c = {.fn = fn, .along_rows = true, .dims = dimensions(fn)};
  kiln_value wanted = 0;
  find_wanted(&c, &ll->arena);
  while (next_root(&c, &wanted))
    continue;
  return kiln_ll_needs(fn, is_any_id, c.seen, KILN_NEW_ARRAY(&ll->arena, bool, fn->inst_count), &ll->arena);
}

// By value: whether it depends on an id of another dimension than 0, or on a group id. Uniform ones are values that the
// work-items of a row share.
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

// Whether the access has rows of adjacent elements whose distance is a constant so large that launches with such rows
// would not run along the flattened index.
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
