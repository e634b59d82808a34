// Switches that fall through. The IR has none: the front end makes of
//
//   switch (x) { case 3: A; case 7: B; break; default: C; }
//
// a switch over x that yields two constants, the number of a run of groups and the number of the group in it that is
// entered, and a second switch over the runs, whose regions are "if (entry <= 0) A" and, for the last group, B. Here
// the pair is found again; flow.c prints it as the one switch of C that it was. What the ifs yield when they do not run
// their group is assigned before the switch; so their results live from there on.
#include "backends/opencl/print/print.h"

struct pair {
  kiln_value entry, node;
  kiln_value run, group; // results of entry; group may be 0
};

static kiln_value first_of(const struct kiln_function *fn, uint32_t region) { return fn->regions[region].first; }

// Which result of the entry the value is.
static uint32_t result_index(const struct kiln_function *fn, kiln_value entry, kiln_value value) {
  const struct kiln_value_list *results = &kiln_node(fn, entry)->results;
  uint32_t i = 0;
  while (i < results->count && results->items[i] != value)
    i++;
  return i;
}

static int64_t yielded(const struct kiln_function *fn, kiln_value entry, uint32_t index, kiln_value result) {
  kiln_value jump = first_of(fn, kiln_node(fn, entry)->region_first + index);
  kiln_value value = kiln_operands(fn, jump)[result_index(fn, entry, result)];
  return (int32_t)(uint32_t)fn->insts[value].imm;
}

static kiln_value group_result(const struct kiln_function *fn, kiln_value entry, kiln_value run) {
  const struct kiln_value_list *results = &kiln_node(fn, entry)->results;
  for (uint32_t i = 0; i < results->count; i++)
    if (results->items[i] != run)
      return results->items[i];
  return 0;
}

uint32_t kiln_cl_entered(const struct cl_printer *p, kiln_value node, uint32_t index, int64_t *group) {
  const struct kiln_function *fn = p->fn;
  const struct kiln_node *n = kiln_node(fn, node);
  kiln_value entry = p->nodes[fn->insts[node].node].entry, run = kiln_operands(fn, node)[0];
  kiln_value number = group_result(fn, entry, run);
  int64_t wanted = yielded(fn, entry, index, run);
  *group = number ? yielded(fn, entry, index, number) : 0;
  for (uint32_t i = 0; i + 1 < n->region_count; i++)
    if (n->cases[i] == wanted)
      return n->region_first + 1 + i;
  return n->region_first;
}

// ---- the search

static bool is_entry(const struct kiln_function *fn, struct pair *pair) {
  const struct kiln_inst *inst = &fn->insts[pair->entry];
  if (inst->op != KILN_OP_SWITCH || !inst->next || fn->insts[inst->next].op != KILN_OP_SWITCH)
    return false;
  pair->node = inst->next;
  pair->run = kiln_operands(fn, pair->node)[0];
  const struct kiln_node *node = kiln_node(fn, pair->entry);
  if (node->results.count > 2 || result_index(fn, pair->entry, pair->run) == node->results.count)
    return false;
  pair->group = group_result(fn, pair->entry, pair->run);
  for (uint32_t i = 0; i < node->region_count; i++) {
    const struct kiln_inst *jump = &fn->insts[first_of(fn, node->region_first + i)];
    if (jump->op != KILN_OP_YIELD)
      return false;
    for (uint32_t k = 0; k < jump->operand_count; k++) {
      const struct kiln_inst *value = &fn->insts[fn->operands[jump->operand_first + k]];
      if (value->op != KILN_OP_CONST || value->type != kiln_scalar_type(KILN_I32))
        return false;
    }
  }
  return true;
}

// "entry <= k"
static bool is_condition(const struct kiln_function *fn, const struct pair *pair, kiln_value value, int64_t *limit) {
  const struct kiln_inst *inst = &fn->insts[value];
  if (!pair->group || inst->op != KILN_OP_SLE || kiln_operands(fn, value)[0] != pair->group)
    return false;
  const struct kiln_inst *constant = &fn->insts[kiln_operands(fn, value)[1]];
  *limit = (int32_t)(uint32_t)constant->imm;
  return constant->op == KILN_OP_CONST;
}

// A value that is known before the entry, or that an earlier group of the region gives.
static bool is_known(const struct cl_printer *p, const struct pair *pair, uint32_t region, kiln_value value) {
  const struct kiln_function *fn = p->fn;
  const struct kiln_inst *inst = &fn->insts[value];
  if (kiln_op_table[inst->op].effect == KILN_EFFECT_FREE || p->values[value].position < p->values[pair->entry].position)
    return true;
  kiln_value source = inst->op == KILN_OP_PHI ? (kiln_value)inst->imm : value;
  return fn->insts[source].region == region && p->values[source].group;
}

// Whether the if or select can be a group, with what it leaves as it is when it is skipped.
static bool is_group(const struct cl_printer *p, const struct pair *pair, kiln_value value) {
  const struct kiln_function *fn = p->fn;
  const struct kiln_inst *inst = &fn->insts[value];
  if (inst->op == KILN_OP_SELECT)
    return is_known(p, pair, inst->region, kiln_operands(fn, value)[2]);
  if (inst->op != KILN_OP_IF)
    return false;
  kiln_value skip = first_of(fn, kiln_node(fn, value)->region_first + 1);
  if (fn->insts[skip].op != KILN_OP_YIELD)
    return false;
  for (uint32_t i = 0; i < fn->insts[skip].operand_count; i++)
    if (!is_known(p, pair, inst->region, kiln_operands(fn, skip)[i]))
      return false;
  return true;
}

// Marks the groups of one region of the second switch. Counts the conditions, and takes the uses of each off.
static bool mark_run(struct cl_printer *p, const struct pair *pair, uint32_t region, uint32_t *uses,
                     uint32_t *conditions) {
  const struct kiln_function *fn = p->fn;
  int64_t limit, last = INT64_MIN;
  bool rest = false;
  for (kiln_value value = first_of(fn, region); value; value = fn->insts[value].next) {
    const struct kiln_inst *inst = &fn->insts[value];
    if (is_condition(fn, pair, value, &limit)) {
      p->values[value].is_entered = p->values[value].folded = true;
      ++*conditions;
      continue;
    }
    bool chooses = inst->op == KILN_OP_IF || inst->op == KILN_OP_SELECT;
    kiln_value condition = chooses ? kiln_operands(fn, value)[0] : 0;
    if (!chooses || !is_condition(fn, pair, condition, &limit)) {
      rest = true;
      continue;
    }
    if (rest || limit < last || fn->insts[condition].region != region || !is_group(p, pair, value))
      return false;
    p->values[value].group = limit + 1;
    uses[condition]--;
    last = limit;
  }
  for (kiln_value value = first_of(fn, region); value; value = fn->insts[value].next)
    if (p->values[value].is_entered && uses[value])
      return false;
  return true;
}

static void unmark(struct cl_printer *p, kiln_value node) {
  const struct kiln_node *n = kiln_node(p->fn, node);
  for (uint32_t i = 0; i < n->region_count; i++)
    for (kiln_value value = first_of(p->fn, n->region_first + i); value; value = p->fn->insts[value].next) {
      p->values[value].group = 0;
      p->values[value].is_entered = p->values[value].folded = false;
    }
}

// The results of the groups live from the entry on; the entry is read where the second switch stands.
static void take(struct cl_printer *p, const struct pair *pair) {
  const struct kiln_function *fn = p->fn;
  const struct kiln_node *n = kiln_node(fn, pair->node);
  struct cl_value *entry = &p->values[pair->entry];
  p->nodes[fn->insts[pair->node].node].entry = pair->entry;
  entry->folded = true;
  entry->uses = 1;
  entry->root = pair->node;
  entry->last_use = p->values[pair->node].position;
  entry->use_region = fn->insts[pair->node].region;
  for (uint32_t i = 0; i < n->region_count; i++)
    for (kiln_value value = first_of(fn, n->region_first + i); value; value = fn->insts[value].next)
      if (p->values[value].group && fn->insts[value].op == KILN_OP_IF)
        for (uint32_t k = 0; k < kiln_node(fn, value)->results.count; k++)
          p->values[kiln_node(fn, value)->results.items[k]].position = entry->position;
}

static uint32_t *count_uses(struct cl_printer *p) {
  const struct kiln_function *fn = p->fn;
  uint32_t *uses = KILN_NEW_ARRAY(&p->arena, uint32_t, fn->inst_count + 1);
  for (uint32_t i = 0; i < p->position_count; i++)
    for (uint32_t k = 0; p->order[i] && k < fn->insts[p->order[i]].operand_count; k++)
      uses[kiln_operands(fn, p->order[i])[k]]++;
  return uses;
}

void kiln_cl_find_falls(struct cl_printer *p) {
  uint32_t *uses = NULL;
  for (uint32_t i = 0; i < p->position_count; i++) {
    struct pair pair = {.entry = p->order[i]};
    if (!pair.entry || !is_entry(p->fn, &pair))
      continue;
    uses = uses ? uses : count_uses(p);
    const struct kiln_node *n = kiln_node(p->fn, pair.node);
    bool fits = uses[pair.run] == 1;
    uint32_t conditions = 0;
    for (uint32_t r = 0; r < n->region_count && fits; r++)
      fits = mark_run(p, &pair, n->region_first + r, uses, &conditions);
    if (fits && (!pair.group || conditions == uses[pair.group]))
      take(p, &pair);
    else
      unmark(p, pair.node);
  }
}
