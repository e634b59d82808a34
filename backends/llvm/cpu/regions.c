// Analysis of a kernel with barriers: which nodes the group runs, which values are uniform over the group, and which
// values live across item regions and need a slot per work-item.
//
// Requires: verified, annotated (has_barrier), returns only at the end of the body.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): barrier.
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/group.h"
#include "backends/llvm/spmd/spmd.h"

#include <string.h>

struct analysis {
  struct kiln_ll *ll;
  const struct kiln_function *fn;
  struct kiln_ll_group *g;
  bool *escapes;    // by node: something inside jumps beyond it
  bool *shared_var; // by value: the variable lives in the item block
};

static const struct kiln_inst *inst_of(const struct analysis *a, kiln_value v) { return &a->fn->insts[v]; }

static bool is_leaving_jump(const struct kiln_inst *inst) { return inst->region && kiln_op_leaves(inst->op); }

// ---- nodes of the group

// Whether the group runs the region.
static bool is_group_region(const struct kiln_function *fn, const struct kiln_ll_group *g, uint32_t region) {
  kiln_value owner = fn->regions[region].owner;
  return !owner || g->is_group[fn->insts[owner].node];
}

static void find_escapes(struct analysis *a) {
  for (kiln_value v = 1; v < a->fn->inst_count; v++) {
    const struct kiln_inst *inst = inst_of(a, v);
    if (!is_leaving_jump(inst))
      continue;
    kiln_value target = (kiln_value)inst->imm;
    for (kiln_value owner = kiln_owner(a->fn, v); owner && owner != target; owner = kiln_owner(a->fn, owner))
      a->escapes[inst_of(a, owner)->node] = true;
  }
}

// Walks a region of the group from its end. Returns whether every work-item that enters the region reaches a barrier
// before it can leave the region. A test that leaves a loop before a barrier which all work-items reach must be
// uniform, since the barrier would be divergent otherwise: so the group can run the test.
static bool find_uniform_tests(struct analysis *a, uint32_t region, uint32_t depth) {
  kiln_value owner = a->fn->regions[region].owner;
  bool in_loop = owner && inst_of(a, owner)->op == KILN_OP_LOOP;
  bool armed = false;
  if (depth > KILN_LL_MAX_DEPTH)
    return false;
  for (kiln_value v = a->fn->regions[region].last; v; v = inst_of(a, v)->prev) {
    const struct kiln_inst *inst = inst_of(a, v);
    if (inst->op == KILN_OP_BARRIER)
      armed = true;
    if (!kiln_op_is_node(inst->op))
      continue;
    const struct kiln_node *node = &a->fn->nodes[inst->node];
    bool inside = false;
    if (node->has_barrier)
      for (uint32_t i = 0; i < node->region_count; i++)
        inside = find_uniform_tests(a, node->region_first + i, depth + 1);
    if (inst->op == KILN_OP_BLOCK && node->has_barrier) {
      armed = inside || (armed && !a->escapes[inst->node]);
    } else if (a->escapes[inst->node]) {
      if (armed && in_loop && !node->has_barrier && kiln_leaving_side(a->fn, v, owner, false) < 2)
        a->g->is_group[inst->node] = true;
      armed = false;
    }
  }
  return armed;
}

// ---- jumps that work-items take by themselves

bool kiln_ll_group_direct(const struct kiln_function *fn, const struct kiln_ll_group *g, kiln_value jump) {
  const struct kiln_inst *inst = &fn->insts[jump];
  kiln_value target = (kiln_value)inst->imm;
  for (kiln_value owner = kiln_owner(fn, jump); owner && owner != target; owner = kiln_owner(fn, owner)) {
    uint32_t node = fn->insts[owner].node;
    if (g->breaks[node] || g->continues[node])
      return false;
  }
  return inst->op == KILN_OP_CONTINUE || !g->continues[fn->insts[target].node];
}

static void find_exits(struct analysis *a) {
  const struct kiln_function *fn = a->fn;
  struct kiln_ll_group *g = a->g;
  memset(g->breaks, 0, fn->node_count * sizeof *g->breaks);
  memset(g->continues, 0, fn->node_count * sizeof *g->continues);
  for (bool changed = true; changed;) {
    changed = false;
    for (kiln_value v = 1; v < fn->inst_count; v++) {
      const struct kiln_inst *inst = inst_of(a, v);
      if (!is_leaving_jump(inst))
        continue;
      uint32_t target = inst_of(a, (kiln_value)inst->imm)->node;
      bool *mark = inst->op == KILN_OP_BREAK ? &g->breaks[target] : &g->continues[target];
      if (!g->is_group[target] || *mark)
        continue;
      if (!is_group_region(fn, g, inst->region) || !kiln_ll_group_direct(fn, g, v))
        *mark = changed = true;
    }
  }
}

// ---- uniform values

static bool is_group_query(enum kiln_op op) {
  return kiln_op_is_group_query(op) || op == KILN_OP_MAX_SUB_GROUP_SIZE || op == KILN_OP_NUM_SUB_GROUPS;
}

static bool may_be_uniform(const struct analysis *a, kiln_value v) {
  const struct kiln_inst *inst = inst_of(a, v);
  enum kiln_op op = (enum kiln_op)inst->op;
  if (kiln_op_table[op].effect == KILN_EFFECT_FREE)
    return true;
  if (op == KILN_OP_PHI) {
    uint32_t node = inst_of(a, (kiln_value)inst->imm)->node, index;
    if (!a->g->is_group[node])
      return false;
    return kiln_ll_header_of(a->fn, v, &index) ? !a->g->continues[node] : !a->g->breaks[node];
  }
  if (!inst->region || !is_group_region(a->fn, a->g, inst->region))
    return false;
  return kiln_effect_of(a->fn, v) == KILN_EFFECT_PURE || is_group_query(op);
}

// Combines the operands of a jump or loop with phis: a phi stays uniform only if all its operands are.
static bool meet(struct analysis *a, const struct kiln_value_list *phis, kiln_value from) {
  bool changed = false;
  const kiln_value *operands = kiln_operands(a->fn, from);
  for (uint32_t i = 0; i < phis->count; i++)
    if (a->g->uniform[phis->items[i]] && !a->g->uniform[operands[i]]) {
      a->g->uniform[phis->items[i]] = false;
      changed = true;
    }
  return changed;
}

static bool narrow(struct analysis *a, kiln_value v) {
  const struct kiln_inst *inst = inst_of(a, v);
  const struct kiln_function *fn = a->fn;
  if (!inst->region)
    return false;
  const struct kiln_value_list *phis = kiln_ll_target_phis(fn, v);
  if (phis)
    return meet(a, phis, v);
  if (!a->g->uniform[v])
    return false;
  for (uint32_t i = 0; i < inst->operand_count; i++)
    if (!a->g->uniform[kiln_operands(fn, v)[i]]) {
      a->g->uniform[v] = false;
      return true;
    }
  return false;
}

static void find_uniform(struct analysis *a) {
  for (kiln_value v = 1; v < a->fn->inst_count; v++)
    a->g->uniform[v] = may_be_uniform(a, v);
  for (bool changed = true; changed;) {
    changed = false;
    for (kiln_value v = 1; v < a->fn->inst_count; v++)
      changed |= narrow(a, v);
  }
}

// Makes tests on uniform values that leave group nodes the group's. Returns whether it found one that was not the
// group's before.
static bool promote_uniform_tests(struct analysis *a) {
  bool changed = false;
  for (uint32_t n = 0; n < a->fn->node_count; n++) {
    kiln_value v = a->fn->nodes[n].inst;
    const struct kiln_inst *inst = inst_of(a, v);
    if (inst->op != KILN_OP_IF || !inst->region || a->g->is_group[n] || !a->escapes[n] ||
        !is_group_region(a->fn, a->g, inst->region) || !a->g->uniform[kiln_operands(a->fn, v)[0]])
      continue;
    a->g->is_group[n] = changed = true;
  }
  return changed;
}

// ---- values that are recomputed rather than stored

// Ids that differ between the work-items of a group: recomputed at each use.
static bool is_item_id(enum kiln_op op) {
  return op == KILN_OP_GLOBAL_ID || op == KILN_OP_LOCAL_ID || op == KILN_OP_SUB_GROUP_SIZE ||
         op == KILN_OP_SUB_GROUP_ID || op == KILN_OP_SUB_GROUP_LOCAL_ID;
}

static const bool is_cheap[KILN_OP_COUNT] = {
    [KILN_OP_IADD] = true,   [KILN_OP_ISUB] = true, [KILN_OP_IMUL] = true, [KILN_OP_AND] = true,
    [KILN_OP_OR] = true,     [KILN_OP_XOR] = true,  [KILN_OP_SHL] = true,  [KILN_OP_LSHR] = true,
    [KILN_OP_ASHR] = true,   [KILN_OP_BNOT] = true, [KILN_OP_BAND] = true, [KILN_OP_BOR] = true,
    [KILN_OP_SMIN] = true,   [KILN_OP_SMAX] = true, [KILN_OP_UMIN] = true, [KILN_OP_UMAX] = true,
    [KILN_OP_SELECT] = true, [KILN_OP_EQ] = true,   [KILN_OP_NE] = true,   [KILN_OP_SLT] = true,
    [KILN_OP_SLE] = true,    [KILN_OP_ULT] = true,  [KILN_OP_ULE] = true,  [KILN_OP_TRUNC] = true,
    [KILN_OP_ZEXT] = true,   [KILN_OP_SEXT] = true, [KILN_OP_PADD] = true,
};

static bool is_constant_division(const struct analysis *a, kiln_value v) {
  return kiln_op_is_division(kiln_op_of(inst_of(a, v))) && inst_of(a, kiln_operands(a->fn, v)[1])->op == KILN_OP_CONST;
}

// What the operation itself costs; above KILN_COST_RECOMPUTED: too much.
static unsigned cost_of(const struct analysis *a, kiln_value v) {
  unsigned op = inst_of(a, v)->op;
  bool is_vector = !a->fn->shapes || a->fn->shapes[v].kind == KILN_SHAPE_VARYING;
  bool is_field = op == KILN_OP_LOAD && kiln_effect_of(a->fn, v) == KILN_EFFECT_PURE;
  if (!is_cheap[op] && !is_field && !is_item_id((enum kiln_op)op) && !is_constant_division(a, v))
    return KILN_COST_RECOMPUTED + 1;
  return (is_vector ? KILN_COST_VECTOR_OPERATION : 1) * (is_constant_division(a, v) ? KILN_COST_CONSTANT_DIVISION : 1) *
         kiln_type_lanes(inst_of(a, v)->type);
}

// Values made of ids, uniform values and constants. Recomputed, they keep their shape in every loop over work-items.
static void find_recomputed(struct analysis *a, uint8_t *cost) {
  struct kiln_ll_group *g = a->g;
  for (bool changed = true; changed;) {
    changed = false;
    for (kiln_value v = 1; v < a->fn->inst_count; v++) {
      const struct kiln_inst *inst = inst_of(a, v);
      if (!inst->region || g->uniform[v] || g->recomputed[v])
        continue;
      unsigned sum = 0;
      for (uint32_t i = 0; i < inst->operand_count && sum < KILN_COST_RECOMPUTED; i++) {
        kiln_value x = kiln_operands(a->fn, v)[i];
        sum += g->uniform[x] ? 0 : g->recomputed[x] ? cost[x] : KILN_COST_RECOMPUTED;
      }
      sum += sum < KILN_COST_RECOMPUTED ? cost_of(a, v) : 1; // which is at least 1
      if (sum > KILN_COST_RECOMPUTED)
        continue;
      cost[v] = (uint8_t)sum;
      g->recomputed[v] = changed = true;
    }
  }
}

// ---- loops whose accesses are contiguous over the group

static bool is_in_loop(const struct analysis *a, kiln_value v, kiln_value loop) {
  const struct kiln_inst *inst = inst_of(a, v);
  if (inst->op == KILN_OP_PHI)
    return (kiln_value)inst->imm == loop;
  return inst->region == a->fn->nodes[inst_of(a, loop)->node].region_first;
}

// Whether the group can compute a value of the loop for all work-items.
static bool is_counter(const struct analysis *a, kiln_value v, kiln_value loop) {
  struct kiln_worklist *work = kiln_ll_worklist(a->ll, a->fn, v);
  while (kiln_worklist_take(work, &v)) {
    const struct kiln_inst *inst = inst_of(a, v);
    bool is_inside = is_in_loop(a, v, loop);
    if (is_inside ? inst->op == KILN_OP_PHI : a->g->uniform[v]) // all phis are counters
      continue;
    if (!is_inside || kiln_effect_of(a->fn, v) != KILN_EFFECT_PURE)
      return false;
    kiln_worklist_add_all(work, kiln_operands(a->fn, v), inst->operand_count);
  }
  return true;
}

// Whether v is an access to global memory that is contiguous over the group and moves in each iteration.
static bool is_walk(const struct analysis *a, kiln_value v, kiln_value loop) {
  const struct kiln_inst *inst = inst_of(a, v);
  if (!kiln_op_is_access(inst->op))
    return false;
  kiln_value pointer = kiln_operands(a->fn, v)[0];
  return kiln_type_space(inst_of(a, pointer)->type) == KILN_GLOBAL && is_in_loop(a, pointer, loop) &&
         kiln_ll_is_contiguous(a->fn, a->fn->shapes, v);
}

// Whether the group can run the instruction iteration by iteration: it is no node except a test of counters that leaves
// the loop, uses no private variable, and uses no outside value that would need a slot per work-item.
static bool may_interchange(const struct analysis *a, kiln_value v, kiln_value loop) {
  const struct kiln_inst *inst = inst_of(a, v);
  const kiln_value *x = kiln_operands(a->fn, v);
  if (kiln_op_is_node(inst->op))
    return kiln_leaving_side(a->fn, v, loop, true) < 2 && is_counter(a, x[0], loop);
  if (inst->op == KILN_OP_CALL || inst->op == KILN_OP_VAR || inst->op == KILN_OP_PRINTF || inst->op == KILN_OP_BREAK)
    return false;
  for (uint32_t i = 0; i < inst->operand_count; i++) {
    bool is_private = kiln_type_kind(inst_of(a, x[i])->type) == KILN_PTR &&
                      (kiln_type_space(inst_of(a, x[i])->type) == KILN_PRIVATE ||
                       kiln_type_space(inst_of(a, x[i])->type) == KILN_GENERIC);
    if (is_private || (!is_in_loop(a, x[i], loop) && !a->g->uniform[x[i]] && !a->g->recomputed[x[i]]))
      return false;
  }
  return true;
}

// Whether the loop may become the outer loop, and the loop over warps the inner loop, and gains by that: memory is then
// accessed in order.
static bool is_interchanged(const struct analysis *a, kiln_value loop) {
  const struct kiln_inst *inst = inst_of(a, loop);
  const struct kiln_node *node = &a->fn->nodes[inst->node];
  if (inst->op != KILN_OP_LOOP || !inst->region || a->g->is_group[inst->node] || node->results.count ||
      !is_group_region(a->fn, a->g, inst->region))
    return false;
  const struct kiln_region *body = &a->fn->regions[node->region_first];
  if (inst_of(a, body->last)->op != KILN_OP_CONTINUE || (kiln_value)inst_of(a, body->last)->imm != loop)
    return false;
  for (uint32_t i = 0; i < node->header.count; i++)
    if (!a->g->uniform[kiln_operands(a->fn, loop)[i]] || !is_counter(a, kiln_operands(a->fn, body->last)[i], loop))
      return false;
  unsigned size = 0;
  bool walks = false;
  for (kiln_value v = body->first; v != body->last; v = inst_of(a, v)->next) {
    if (++size > KILN_COST_GROUP_WIDE || !may_interchange(a, v, loop))
      return false;
    walks |= is_walk(a, v, loop);
  }
  return walks;
}

static bool interchange(struct analysis *a) {
  bool any = false;
  for (uint32_t n = 0; n < a->fn->node_count && a->fn->shapes; n++)
    if (is_interchanged(a, a->fn->nodes[n].inst))
      a->g->is_group[n] = any = true;
  return any;
}

// ---- item regions

// Numbers everything inside a node that work-items run by themselves.
static void number_inside(struct analysis *a, kiln_value node_value, uint32_t item_region, uint32_t depth) {
  const struct kiln_node *node = &a->fn->nodes[inst_of(a, node_value)->node];
  if (depth > KILN_LL_MAX_DEPTH) {
    kiln_ll_fail_too_deep(a->ll, a->fn);
    return;
  }
  for (uint32_t i = 0; i < node->header.count; i++)
    a->g->item_region[node->header.items[i]] = item_region;
  for (uint32_t i = 0; i < node->results.count; i++)
    a->g->item_region[node->results.items[i]] = item_region;
  for (uint32_t r = node->region_first; r < node->region_first + node->region_count; r++)
    for (kiln_value v = a->fn->regions[r].first; v; v = inst_of(a, v)->next) {
      a->g->item_region[v] = item_region;
      if (kiln_op_is_node(inst_of(a, v)->op))
        number_inside(a, v, item_region, depth + 1);
    }
}

static void number_region(struct analysis *a, uint32_t region, uint32_t depth) {
  uint32_t item_region = ++a->g->item_region_count;
  if (depth > KILN_LL_MAX_DEPTH) {
    kiln_ll_fail_too_deep(a->ll, a->fn);
    return;
  }
  for (kiln_value v = a->fn->regions[region].first; v; v = inst_of(a, v)->next) {
    const struct kiln_inst *inst = inst_of(a, v);
    a->g->item_region[v] = item_region; // the end of an item region takes its operands from it
    if (!kiln_op_is_node(inst->op)) {
      if (inst->op == KILN_OP_BARRIER)
        item_region = ++a->g->item_region_count;
      continue;
    }
    if (!a->g->is_group[inst->node]) {
      number_inside(a, v, item_region, depth + 1);
      continue;
    }
    const struct kiln_node *node = &a->fn->nodes[inst->node];
    for (uint32_t i = 0; i < node->region_count; i++)
      number_region(a, node->region_first + i, depth + 1);
    item_region = ++a->g->item_region_count;
  }
}

// ---- values that live across item regions

static void need_slot(struct analysis *a, kiln_value v) {
  kiln_type type = inst_of(a, v)->type;
  a->g->slot_size[v] = kiln_ll_memory_bytes(type) * kiln_ll_room(type);
}

static void phis_need_slots(struct analysis *a, const struct kiln_value_list *phis) {
  for (uint32_t i = 0; i < phis->count; i++)
    if (!a->g->uniform[phis->items[i]])
      need_slot(a, phis->items[i]);
}

static void find_slots(struct analysis *a) {
  const struct kiln_function *fn = a->fn;
  struct kiln_ll_group *g = a->g;
  for (uint32_t n = 0; n < fn->node_count; n++) {
    kiln_value v = fn->nodes[n].inst;
    if (!g->is_group[n] || !inst_of(a, v)->region)
      continue;
    phis_need_slots(a, &fn->nodes[n].header);
    phis_need_slots(a, &fn->nodes[n].results);
    bool tests = inst_of(a, v)->op == KILN_OP_IF || inst_of(a, v)->op == KILN_OP_SWITCH;
    kiln_value condition = tests ? kiln_operands(fn, v)[0] : 0;
    if (tests && !g->uniform[condition]) { // the group takes the condition of one work-item
      g->recomputed[condition] = false;
      need_slot(a, condition);
    }
  }
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *inst = inst_of(a, v);
    if (!inst->region)
      continue;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
      kiln_value x = kiln_operands(fn, v)[i];
      const struct kiln_inst *def = inst_of(a, x);
      if (!g->uniform[x] && g->item_region[x] && g->item_region[x] != g->item_region[v] && def->op != KILN_OP_VAR &&
          !g->recomputed[x])
        need_slot(a, x);
    }
  }
}

// ---- private variables: in the entry block if only one item region uses them and no pointer leaves it

static bool takes_address(enum kiln_op op, uint32_t operand) {
  if (op == KILN_OP_LOAD || op == KILN_OP_ATOMIC_LOAD || op == KILN_OP_COPY)
    return true;
  return operand == 0 && (op == KILN_OP_STORE || kiln_op_family(op) == KILN_FAMILY_ATOMIC);
}

static void find_variables(struct analysis *a) {
  const struct kiln_function *fn = a->fn;
  const kiln_value *variable = kiln_ll_variables_of(a->ll, fn);
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *inst = inst_of(a, v);
    for (uint32_t i = 0; inst->region && i < inst->operand_count; i++) {
      kiln_value root = variable[kiln_operands(fn, v)[i]];
      bool known = takes_address((enum kiln_op)inst->op, i) || (variable[v] && i == 0);
      if (root && (!known || a->g->item_region[v] != a->g->item_region[root]))
        a->shared_var[root] = true;
    }
  }
}

// ---- slots in the item block: by falling alignment, so that each array is aligned

static uint32_t slot_align(const struct analysis *a, kiln_value v) {
  const struct kiln_inst *inst = inst_of(a, v);
  if (inst->op != KILN_OP_VAR)
    return a->g->slot_size[v];
  uint32_t align = kiln_ll_var_align(a->ll, inst);
  return align < KILN_CPU_ALIGN ? align : KILN_CPU_ALIGN;
}

static void place_slots(struct analysis *a) {
  const struct kiln_function *fn = a->fn;
  struct kiln_ll_group *g = a->g;
  uint64_t used = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    g->slot[v] = UINT32_MAX;
    if (!a->shared_var[v])
      continue;
    uint32_t align = slot_align(a, v);
    uint64_t size = kiln_ll_align_up(inst_of(a, v)->imm, align);
    g->slot_size[v] = size > INT32_MAX ? INT32_MAX : (uint32_t)size;
  }
  for (uint32_t align = KILN_CPU_ALIGN; align; align /= 2) {
    if (align == 4 && g->exit_slot != UINT32_MAX) {
      g->exit_slot = (uint32_t)used;
      used += 4;
    }
    for (kiln_value v = 1; v < fn->inst_count && used < INT32_MAX; v++)
      if (g->slot_size[v] && slot_align(a, v) == align && (!g->home[v] || g->home[v] == v)) {
        g->slot[v] = (uint32_t)used;
        used += g->slot_size[v];
      }
  }
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (g->home[v])
      g->slot[v] = g->slot[g->home[v]];
  if (used >= INT32_MAX)
    kiln_ll_fail(a->ll, KILN_ERR_UNSUPPORTED, "'%s' keeps more than 2 GiB per work-item across barriers", fn->name);
  g->item_bytes = (uint32_t)used;
}

const struct kiln_ll_group *kiln_ll_group_analyse(struct kiln_ll *ll, const struct kiln_function *fn) {
  struct kiln_arena *arena = &ll->arena;
  struct kiln_ll_group *g = KILN_NEW(arena, struct kiln_ll_group);
  uint32_t nodes = fn->node_count + 1, values = fn->inst_count;
  g->is_group = KILN_NEW_ARRAY(arena, bool, nodes);
  g->breaks = KILN_NEW_ARRAY(arena, bool, nodes);
  g->continues = KILN_NEW_ARRAY(arena, bool, nodes);
  g->uniform = KILN_NEW_ARRAY(arena, bool, values);
  g->recomputed = KILN_NEW_ARRAY(arena, bool, values);
  g->item_region = KILN_NEW_ARRAY(arena, uint32_t, values);
  g->slot = KILN_NEW_ARRAY(arena, uint32_t, values);
  g->slot_size = KILN_NEW_ARRAY(arena, uint32_t, values);
  g->home = KILN_NEW_ARRAY(arena, kiln_value, values);
  struct analysis a = {ll, fn, g, KILN_NEW_ARRAY(arena, bool, nodes), KILN_NEW_ARRAY(arena, bool, values)};
  for (uint32_t n = 0; n < fn->node_count; n++)
    g->is_group[n] = fn->nodes[n].has_barrier;
  find_escapes(&a);
  find_uniform_tests(&a, fn->body, 0);
  bool again = false;
  do {
    do {
      find_exits(&a);
      find_uniform(&a);
    } while (promote_uniform_tests(&a));
    memset(g->recomputed, 0, values * sizeof *g->recomputed);
    find_recomputed(&a, KILN_NEW_ARRAY(arena, uint8_t, values));
    again = !again && interchange(&a);
  } while (again);
  number_region(&a, fn->body, 0);
  find_slots(&a);
  kiln_ll_group_coalesce_slots(ll, fn, g);
  find_variables(&a);
  g->exit_slot = UINT32_MAX;
  for (uint32_t n = 0; n < fn->node_count; n++)
    if (g->breaks[n] || g->continues[n])
      g->exit_slot = 0;
  place_slots(&a);
  return g;
}
