// kiln_depends_on: random functions of long chains of operations, beside a search through their operands.
#include <criterion/criterion.h>

#include "jit/facts/facts.h"

enum { FUNCTIONS = 40, VALUES = 600 };

struct state {
  struct kiln_function *fn;
  struct kiln_builder b;
  uint64_t seed;
  kiln_value values[VALUES]; // of type i64
  uint32_t count;
};

static uint32_t pick(struct state *s, uint32_t count) {
  s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(s->seed >> 33) % count;
}

// Of each kind, what it is by the header.
static kiln_value leaf(struct state *s, unsigned kind) {
  static const enum kiln_op queries[] = {KILN_OP_GLOBAL_ID,   KILN_OP_LOCAL_ID,   KILN_OP_GROUP_ID,
                                         KILN_OP_GLOBAL_SIZE, KILN_OP_LOCAL_SIZE, KILN_OP_NUM_GROUPS};
  kiln_type i64 = kiln_scalar_type(KILN_I64);
  if (kind < 6)
    return kiln_build_item(&s->b, queries[kind], pick(s, 3));
  if (kind == 6)
    return s->fn->params[0].value;
  if (kind == 7)
    return kiln_const(s->fn, i64, pick(s, 100));
  kiln_value at = s->count ? s->values[pick(s, s->count)] : s->fn->params[0].value;
  kiln_value base = s->fn->params[kind == 8 ? 1 : 2].value;
  return kiln_build_load(&s->b, i64, kiln_build_padd(&s->b, base, kind == 8 ? at : kiln_const(s->fn, i64, 1), 8), 8, 0);
}

static uint32_t bits_of_leaf(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *in = &fn->insts[v];
  switch (in->op) {
  case KILN_OP_CONST:
    return 0;
  case KILN_OP_PARAM:
    return fn->params[in->imm].byval_bytes ? KILN_ON_RECORD : KILN_ON_PARAM;
  case KILN_OP_GLOBAL_ID:
    return (uint32_t)KILN_ON_GLOBAL_ID << in->imm;
  case KILN_OP_LOCAL_ID:
    return (uint32_t)KILN_ON_LOCAL_ID << in->imm;
  case KILN_OP_GROUP_ID:
    return (uint32_t)KILN_ON_GROUP_ID << in->imm;
  case KILN_OP_GLOBAL_SIZE:
    return KILN_ON_GLOBAL_SIZE;
  case KILN_OP_LOCAL_SIZE:
  case KILN_OP_NUM_GROUPS:
    return KILN_ON_GROUP_SIZE;
  case KILN_OP_PHI:
    return KILN_ON_PHI;
  case KILN_OP_LOAD:
    return KILN_ON_MEMORY;
  }
  return KILN_ON_ANYTHING;
}

static uint32_t search(const struct kiln_function *fn, kiln_value v, bool *seen) {
  uint32_t bits = 0;
  if (seen[v])
    return 0;
  seen[v] = true;
  if (kiln_effect_of(fn, v) != KILN_EFFECT_PURE)
    return bits_of_leaf(fn, v);
  if (fn->insts[v].op == KILN_OP_AND && fn->insts[kiln_operands(fn, v)[1]].op != KILN_OP_CONST)
    bits = KILN_ON_MASK;
  for (uint32_t i = 0; i < fn->insts[v].operand_count; i++)
    bits |= search(fn, kiln_operands(fn, v)[i], seen);
  return bits;
}

static void add(struct state *s) {
  static const enum kiln_op ops[] = {KILN_OP_IADD, KILN_OP_IMUL, KILN_OP_AND, KILN_OP_UMIN};
  uint32_t near = s->count < 6 ? s->count : 6; // so that chains become long
  kiln_value v;
  if (near < 2 || pick(s, 8) == 0)
    v = leaf(s, pick(s, 10));
  else
    v = kiln_build2(&s->b, ops[pick(s, 4)], s->values[s->count - 1 - pick(s, near)], s->values[pick(s, s->count)]);
  s->values[s->count++] = v;
}

static void build(struct state *s, struct kiln_module *module) {
  kiln_type i64 = kiln_scalar_type(KILN_I64);
  struct kiln_param params[3] = {
      {.name = "n", .type_name = "ulong", .type = i64},
      {.name = "p", .type_name = "ulong", .type = kiln_ptr_type(KILN_GLOBAL)},
      {.name = "r", .type_name = "struct r", .type = kiln_ptr_type(KILN_CONSTANT), .byval_bytes = 16, .align = 8}};
  s->fn = kiln_module_add_function(module, "f", true, KILN_VOID, params, 3);
  s->b = kiln_builder_at_end(s->fn, s->fn->body);
  while (s->count < VALUES / 2)
    add(s);
  kiln_value loop = kiln_build_loop(&s->b, &s->values[0], 1), carried = kiln_node(s->fn, loop)->header.items[0];
  struct kiln_builder after = s->b;
  s->b = kiln_builder_at_end(s->fn, kiln_node(s->fn, loop)->region_first);
  s->values[s->count++] = carried;
  while (s->count < VALUES)
    add(s);
  kiln_build_store(&s->b, s->fn->params[1].value, s->values[VALUES - 1], 8, 0);
  kiln_build_break(&s->b, loop, NULL, 0);
  kiln_build_return(&after, 0);
}

Test(facts_depends, as_a_search_finds_it) {
  unsigned wide = 0;
  for (int i = 0; i < FUNCTIONS; i++) {
    struct kiln_module *module = kiln_module_new();
    struct state s = {.seed = (uint64_t)i * 977 + 5};
    char message[200] = "";
    build(&s, module);
    cr_assert(kiln_module_verify(module, message, sizeof message), "%s", message);
    cr_assert_eq(kiln_depends_on(s.fn, s.values[0]), (uint32_t)KILN_ON_ANYTHING, "nothing is known before it is found");
    kiln_function_analyse(s.fn);
    for (uint32_t k = 0; k < VALUES; k++) {
      bool *seen = calloc(s.fn->inst_count, 1);
      uint32_t expect = search(s.fn, s.values[k], seen), got = kiln_depends_on(s.fn, s.values[k]);
      cr_assert_eq(got, expect, "function %d, value %u: %x for %x", i, s.values[k], got, expect);
      wide +=
          (expect & (KILN_ON_PHI | KILN_ON_MEMORY | KILN_ON_RECORD)) == (KILN_ON_PHI | KILN_ON_MEMORY | KILN_ON_RECORD);
      free(seen);
    }
    kiln_value later = kiln_build2(&s.b, KILN_OP_IADD, s.values[0], s.values[1]);
    cr_assert_eq(kiln_depends_on(s.fn, later), (uint32_t)KILN_ON_ANYTHING, "it was added later");
    kiln_facts_forget(s.fn);
    cr_assert_eq(kiln_depends_on(s.fn, s.values[0]), (uint32_t)KILN_ON_ANYTHING);
    kiln_module_free(module);
  }
  cr_assert(wide > FUNCTIONS, "only %u values are made of all", wide);
}

static void expect_wrong(const struct kiln_function *fn, const char *text) {
  char message[200] = "";
  cr_assert(!kiln_facts_hold(fn, message, sizeof message));
  cr_assert(strstr(message, text), "%s", message);
}

Test(facts_depends, a_kept_fact_that_holds_no_longer_is_found) {
  struct kiln_module *module = kiln_module_new();
  struct state s = {.seed = 11};
  char message[200] = "";
  build(&s, module);
  kiln_function_analyse(s.fn);
  struct kiln_function_priv *priv = kiln_function_priv(s.fn);
  kiln_value sum = 0;
  for (kiln_value v = 1; v < s.fn->inst_count && !sum; v++)
    sum = s.fn->insts[v].region && s.fn->insts[v].op == KILN_OP_IADD ? v : 0;
  cr_assert(sum);
  struct kiln_affine form;
  kiln_affine_of(s.fn, sum, 0, &form);
  cr_assert(priv->affine.kept_count > 1);
  cr_assert(kiln_facts_hold(s.fn, message, sizeof message), "%s", message);

  priv->depends[sum] ^= KILN_ON_VECTOR;
  expect_wrong(s.fn, "depends on");
  priv->depends[sum] ^= KILN_ON_VECTOR;
  priv->zeros[sum] ^= 1;
  expect_wrong(s.fn, "zero bits");
  priv->zeros[sum] ^= 1;
  kiln_affine_of(s.fn, sum, 0, &form);
  priv->affine.kept[1].form.constant++;
  expect_wrong(s.fn, "affine form");
  cr_assert(kiln_facts_hold(s.fn, message, sizeof message), "%s", message); // it was found again
  // What a pass does that changes an operand and keeps the facts.
  kiln_value one = kiln_const(s.fn, kiln_scalar_type(KILN_I64), 1), operands[2] = {one, one};
  kiln_function_analyse(s.fn);
  kiln_set_operands(s.fn, sum, operands, 2);
  expect_wrong(s.fn, "are kept");
  kiln_facts_forget(s.fn);
  cr_assert(kiln_facts_hold(s.fn, message, sizeof message), "%s", message);
  kiln_module_free(module);
}
