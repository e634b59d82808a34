// Splits what a loop around barriers adds to an id. A pointer or index that starts at a sum of ids and that every
// iteration moves by the same uniform amount, such as "p += width", becomes that start and a uniform distance from it:
// the CPU backend then computes the start again where it is needed, and keeps one distance for the whole group, instead
// of an element of the item block per work-item, from which addresses would be gathered.
//
// Only phis whose start is made of ids, uniform values and constants, with an id among them. Requires a verified,
// annotated function; leaves phis without uses to dce.
#include "jit/pass/common.h"

#define MAX_STEPS 4 // sums of an iteration

struct split {
  struct kiln_function *fn;
  struct kiln_jumps jumps;
  struct kiln_replaced phis;
  bool changed;
};

// What one value of the loop adds to the phi, in all: the amounts, each negated or not.
struct steps {
  kiln_value amounts[MAX_STEPS];
  bool negative[MAX_STEPS];
  uint32_t count;
  int64_t scale; // of a pointer
};

// Whether the value is made of values that are the same in the whole group, and of ids. *ids: whether there is an id.
static bool is_made_of_ids(const struct kiln_function *fn, kiln_value v, bool *ids) {
  uint32_t item_ids = KILN_ON_GLOBAL_IDS | KILN_ON_LOCAL_IDS;
  uint32_t of_group = KILN_ON_PARAM | KILN_ON_RECORD | KILN_ON_GLOBAL_SIZE | KILN_ON_GROUP_SIZE | KILN_ON_GROUP |
                      KILN_ON_GROUP_IDS | KILN_ON_GLOBAL | KILN_ON_MASK;
  uint32_t depends = kiln_depends_on(fn, v);
  *ids |= (depends & item_ids) != 0;
  return !(depends & ~(item_ids | of_group));
}

// Whether the value is the phi plus amounts that are the same in the whole group.
static bool find_steps(const struct kiln_function *fn, kiln_value phi, kiln_value v, struct steps *out) {
  while (v != phi) {
    const struct kiln_inst *inst = &fn->insts[v];
    const kiln_value *x = kiln_operands(fn, v);
    bool ids = false, is_sum = inst->op == KILN_OP_IADD || inst->op == KILN_OP_ISUB;
    if ((!is_sum && inst->op != KILN_OP_PADD) || out->count == MAX_STEPS || !is_made_of_ids(fn, x[1], &ids) || ids)
      return false;
    if (inst->op == KILN_OP_PADD && out->count && out->scale != (int64_t)inst->imm)
      return false;
    out->scale = inst->op == KILN_OP_PADD ? (int64_t)inst->imm : 1;
    out->negative[out->count] = inst->op == KILN_OP_ISUB;
    out->amounts[out->count++] = x[1];
    v = x[0];
  }
  return out->count > 0;
}

static void split(struct split *s, kiln_value loop, uint32_t index, kiln_value jump) {
  struct kiln_function *fn = s->fn;
  kiln_value phi = kiln_node(fn, loop)->header.items[index], start = kiln_operands(fn, loop)[index];
  kiln_type type = fn->insts[phi].type;
  enum kiln_kind kind = kiln_type_kind(type);
  struct steps steps = {.count = 0};
  bool ids = false;
  if (kiln_type_lanes(type) > 1 || (kind != KILN_PTR && kind != KILN_I32 && kind != KILN_I64) ||
      !is_made_of_ids(fn, start, &ids) || !ids || !find_steps(fn, phi, kiln_operands(fn, jump)[index], &steps))
    return;
  kiln_type number = kind == KILN_PTR ? kiln_scalar_type(KILN_I64) : type;
  for (uint32_t i = 0; i < steps.count; i++)
    if (fn->insts[steps.amounts[i]].type != number)
      return;
  kiln_value distance = kiln_loop_add_header(fn, loop, kiln_const(fn, number, 0)), next = distance;
  struct kiln_builder b = kiln_builder_before(fn, jump);
  for (uint32_t i = 0; i < steps.count; i++)
    next = kiln_build2(&b, steps.negative[i] ? KILN_OP_ISUB : KILN_OP_IADD, next, steps.amounts[i]);
  kiln_add_operand(fn, jump, next);
  b = kiln_builder_before(fn, fn->regions[kiln_node(fn, loop)->region_first].first);
  s->phis.by[phi] = kind == KILN_PTR ? kiln_build_padd(&b, start, distance, steps.scale)
                                     : kiln_build2(&b, KILN_OP_IADD, start, distance);
  s->changed = true;
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct split s = {.fn = subject};
  struct kiln_function *fn = s.fn;
  s.jumps = kiln_jumps_find(fn, arena);
  s.phis = kiln_replaced_new(fn, arena);
  kiln_facts_find(fn);
  for (uint32_t n = 0, nodes = fn->node_count; n < nodes; n++) {
    kiln_value loop = fn->nodes[n].inst;
    kiln_value jump = fn->nodes[n].has_barrier && fn->insts[loop].region && fn->insts[loop].op == KILN_OP_LOOP
                          ? kiln_jumps_only_continue(&s.jumps, fn, loop)
                          : 0;
    for (uint32_t i = 0, count = fn->nodes[n].header.count; jump && i < count; i++)
      split(&s, loop, i, jump);
  }
  if (s.changed)
    kiln_resolve_all(fn, &s.phis);
  return s.changed;
}

bool kiln_pass_split_induction(struct kiln_function *fn) {
  kiln_function_annotate(fn);
  return fn->has_barrier && kiln_pass_scratch(fn->module, fn, run);
}
