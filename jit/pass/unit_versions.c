// Versions for strides that are one: where a loop, or a long sequence of accesses, has addresses such as
// x[(id + k) * incx], whether incx is one is asked once, before it.
//
//   if (incx == 1) { for (k …) s += x[id + k]; } else { for (k …) s += x[(id + k) * incx]; }
//
// Fewer accesses without a loop keep the guards that emitters test (docs/spmd.md), and so does a loop whose own counter
// is the id, which reads each element once: there memory takes more time than the test. The outermost loop that may be
// copied gets the versions. Requires a verified function.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): unit.
#include "jit/pass/unit_strides.h"
#include "jit/pass/version.h"

#define MAX_LOOP 400      // instructions
#define MAX_SEQUENCE 4096 // likewise, of what is no loop
#define MIN_ACCESSES 8    // of such a sequence
#define MAX_STRIDES 4     // that a condition asks for

struct search {
  struct kiln_function *fn;
  struct kiln_arena *arena;
  struct kiln_unit_strides found;
  bool changed;
  // Of what is looked at:
  kiln_value first;
  kiln_value strides[MAX_STRIDES];
  uint32_t stride_count, access_count, size;
  bool may_copy;
};

// What a counter of a loop around the one that is looked at starts from; another value is itself.
static kiln_value start_of(const struct search *s, kiln_value v) {
  kiln_value node = s->fn->insts[v].op == KILN_OP_PHI ? (kiln_value)s->fn->insts[v].imm : 0;
  for (; node; node = kiln_owner(s->fn, node))
    if (node == s->first)
      return v;
  return kiln_first_of_phi(s->fn, v);
}

// Whether a factor differs between neighbouring work-items: it is made of ids, or of a counter that starts from some.
static bool follows_id(const struct search *s, kiln_value v) {
  struct kiln_affine form;
  kiln_affine_of(s->fn, v, KILN_AFFINE_PRODUCTS | KILN_AFFINE_MAY_WRAP, &form);
  for (uint32_t i = 0; i < form.term_count; i++)
    if (kiln_depends_on(s->fn, start_of(s, form.terms[i].value)) & (KILN_ON_GLOBAL_ID | KILN_ON_LOCAL_ID))
      return true;
  return false;
}

static void add_stride(struct search *s, kiln_value stride) {
  for (uint32_t i = 0; i < s->stride_count; i++)
    if (s->strides[i] == stride)
      return;
  if (s->stride_count < MAX_STRIDES)
    s->strides[s->stride_count++] = stride;
}

// Counts an access if its neighbours lie side by side where a stride is one.
static void add_access(struct search *s, kiln_value access) {
  const struct kiln_function *fn = s->fn;
  struct kiln_affine form;
  bool has_stride = false;
  kiln_affine_of(fn, kiln_operands(fn, access)[0], KILN_AFFINE_PRODUCTS | KILN_AFFINE_MAY_WRAP, &form);
  for (uint32_t i = 0; i < form.term_count; i++) {
    kiln_value stride = form.terms[i].scale ? kiln_integer_param_of(fn, form.terms[i].scale) : 0;
    if (!stride || !s->found.units[stride] || !follows_id(s, form.terms[i].value))
      continue;
    add_stride(s, stride);
    has_stride = true;
  }
  s->access_count += has_stride;
}

// Looks at what is from first to before end. deep: at what is inside of its nodes, too.
static void look_at(struct search *s, kiln_value first, kiln_value end, bool deep) {
  const struct kiln_function *fn = s->fn;
  s->first = first;
  s->stride_count = s->access_count = s->size = 0;
  s->may_copy = true;
  for (kiln_value v = first; v != end && s->may_copy; v = kiln_walk_next(fn, v)) {
    const struct kiln_inst *inst = &fn->insts[v];
    enum kiln_op_effect effect = kiln_op_table[inst->op].effect;
    s->may_copy = effect != KILN_EFFECT_SYNC && effect != KILN_EFFECT_CROSS && inst->op != KILN_OP_CALL &&
                  inst->op != KILN_OP_VAR && inst->op != KILN_OP_RETURN && s->size < MAX_SEQUENCE;
    s->size++;
    if (kiln_op_is_access(inst->op) && (deep || inst->region == fn->insts[first].region))
      add_access(s, v);
  }
}

static void split(struct search *s, kiln_value first, kiln_value end) {
  struct kiln_function *fn = s->fn;
  struct kiln_builder b = kiln_builder_before(fn, first);
  kiln_value condition = 0, units[MAX_STRIDES];
  for (uint32_t i = 0; i < s->stride_count; i++) {
    units[i] = kiln_const(fn, fn->insts[s->strides[i]].type, s->found.units[s->strides[i]]);
    kiln_value is_unit = kiln_build2(&b, KILN_OP_EQ, s->strides[i], units[i]);
    condition = condition ? kiln_build2(&b, KILN_OP_BAND, condition, is_unit) : is_unit;
  }
  kiln_value node = kiln_build_if(&b, condition);
  if (!node)
    return;
  fn->insts[node].flags = KILN_IF_LIKELY;
  const struct kiln_version versions[2] = {{s->strides, units, s->stride_count}, {0}};
  kiln_versions_build(fn, s->arena, node, end, versions);
  s->changed = true;
}

static bool split_loop(struct search *s, kiln_value loop) {
  look_at(s, loop, s->fn->insts[loop].next, true);
  if (!s->may_copy || !s->access_count || s->size > MAX_LOOP)
    return false;
  split(s, loop, s->fn->insts[loop].next);
  return true;
}

static void visit(struct search *s, uint32_t region) {
  struct kiln_function *fn = s->fn;
  kiln_value first = fn->regions[region].first, last = fn->regions[region].last, next;
  while (first != last && !s->found.sides[first] && !kiln_op_is_node(fn->insts[first].op))
    first = fn->insts[first].next;
  look_at(s, first, last, false);
  if (s->may_copy && s->access_count >= MIN_ACCESSES) {
    split(s, first, last);
    return;
  }
  for (kiln_value v = first; v != last && !kiln_module_failed(fn->module); v = next) {
    next = fn->insts[v].next;
    if (!kiln_op_is_node(fn->insts[v].op) || (fn->insts[v].op == KILN_OP_LOOP && split_loop(s, v)))
      continue;
    for (uint32_t r = 0; r < kiln_node(fn, v)->region_count; r++)
      visit(s, kiln_node(fn, v)->region_first + r);
  }
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_function *fn = subject;
  struct search s = {.fn = fn, .arena = arena};
  kiln_facts_find(fn);
  s.found = kiln_unit_strides_find(fn, arena);
  if (s.found.any)
    visit(&s, fn->body);
  return s.changed;
}

bool kiln_pass_unit_versions(struct kiln_function *fn) {
  return fn->is_kernel && kiln_pass_scratch(fn->module, fn, run);
}
