// Plans a function: program order, how often each value is used and until where, and which values are folded into the
// expressions that use them instead of having a variable. Linear, but for uses inside deeply nested loops.
//
// A value is folded when it is pure (or a load with nothing between that may write), used once, not inside a loop that
// it stands before, and has no name from the source. Address arithmetic and integer extensions are cheap to repeat and
// folded at every use.
#include "backends/opencl/print/print.h"

enum { MAX_DEPTH = 20, MAX_FOLDED = 24, MAX_REPEATED = 12 };

static bool has_effect(const struct kiln_inst *inst) {
  switch (kiln_op_table[inst->op].effect) {
  case KILN_EFFECT_WRITE:
    return inst->op != KILN_OP_ASSUME;
  case KILN_EFFECT_SYNC:
    return true;
  case KILN_EFFECT_READ: // flags of an image's are others
    return inst->op != KILN_OP_IMAGE_READ && inst->flags & KILN_MEM_VOLATILE;
  case KILN_EFFECT_CROSS: // stays where it is
    return true;
  case KILN_EFFECT_PURE:
  case KILN_EFFECT_ITEM:
  case KILN_EFFECT_FREE:
  case KILN_EFFECT_FLOW:
    return false;
  }
  return false;
}

// ---- program order

static uint32_t add_position(struct cl_printer *p, kiln_value value, bool effect) {
  if (p->position_count == p->position_capacity) {
    uint32_t capacity = p->position_capacity ? p->position_capacity * 2 : 256;
    size_t old = p->position_capacity * sizeof(uint32_t), size = capacity * sizeof(uint32_t);
    p->order = kiln_arena_grow(&p->arena, p->order, old, size, 4);
    p->effects = kiln_arena_grow(&p->arena, p->effects, old, size, 4);
    p->position_capacity = capacity;
  }
  uint32_t position = p->position_count++;
  p->order[position] = value;
  p->effects[position] = (position ? p->effects[position - 1] : 0) + effect;
  return position;
}

static void walk(struct cl_printer *p, uint32_t region, uint32_t depth) {
  const struct kiln_function *fn = p->fn;
  p->region_depth[region] = depth;
  for (kiln_value id = fn->regions[region].first; id; id = fn->insts[id].next) {
    const struct kiln_inst *inst = &fn->insts[id];
    uint32_t position = add_position(p, id, has_effect(inst));
    p->values[id].position = position;
    if (inst->op == KILN_OP_BREAK)
      p->nodes[fn->insts[inst->imm].node].breaks++;
    else if (inst->op == KILN_OP_CONTINUE)
      p->nodes[fn->insts[inst->imm].node].continues++;
    if (!kiln_op_is_node(inst->op))
      continue;
    const struct kiln_node *node = kiln_node(fn, id);
    for (uint32_t i = 0; i < node->header.count; i++)
      p->values[node->header.items[i]].position = position;
    for (uint32_t i = 0; i < node->region_count; i++)
      walk(p, node->region_first + i, depth + 1);
    p->nodes[inst->node].end = add_position(p, 0, false);
    for (uint32_t i = 0; i < node->results.count; i++)
      p->values[node->results.items[i]].position = p->nodes[inst->node].end;
  }
}

// ---- uses

static uint32_t definition_region(const struct kiln_function *fn, kiln_value value) {
  const struct kiln_inst *inst = &fn->insts[value];
  if (inst->op != KILN_OP_PHI)
    return inst->region;
  const struct kiln_node *node = kiln_node(fn, (kiln_value)inst->imm);
  for (uint32_t i = 0; i < node->header.count; i++)
    if (node->header.items[i] == value)
      return node->region_first;
  return fn->insts[node->inst].region;
}

// How often the text of an operand appears in the text of the operation.
static uint32_t repeats(const struct kiln_function *fn, kiln_value value, uint32_t operand) {
  const struct kiln_inst *inst = &fn->insts[value];
  switch (inst->op) {
  case KILN_OP_INSERT:
    return operand == 0 ? 2 : 1;
  case KILN_OP_CTZ:
    return 2;
  case KILN_OP_SHUFFLE: {
    uint32_t lanes = kiln_type_lanes(kiln_value_type(fn, kiln_operands(fn, value)[0])), runs = 0;
    bool in_run = false;
    for (uint32_t i = 0; i < kiln_type_lanes(inst->type); i++) {
      uint8_t lane = fn->shuffles[inst->node][i];
      bool mine = lane != 0xff && (lane >= lanes) == (operand == 1);
      runs += mine && !in_run;
      in_run = mine || (lane == 0xff && in_run);
    }
    return runs;
  }
  }
  return 1;
}

bool kiln_cl_is_signed_index(const struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = &p->fn->insts[value];
  bool arithmetic = inst->op == KILN_OP_IADD || inst->op == KILN_OP_ISUB || inst->op == KILN_OP_IMUL;
  return arithmetic && inst->flags & KILN_INT_NSW && !p->values[value].elsewhere && kiln_type_lanes(inst->type) == 1;
}

// Uses come before what they use here.
bool kiln_cl_makes_address(const struct cl_printer *p, kiln_value user, uint32_t operand) {
  unsigned op = p->fn->insts[user].op;
  return (op == KILN_OP_PADD && operand == 1) || (op == KILN_OP_SEXT && !p->values[user].elsewhere) ||
         kiln_cl_is_signed_index(p, user);
}

static void use(struct cl_printer *p, kiln_value user, uint32_t operand) {
  const struct kiln_function *fn = p->fn;
  kiln_value value = kiln_operands(fn, user)[operand];
  struct cl_value *v = &p->values[value];
  const struct cl_value *u = &p->values[user];
  enum cl_sign sign = kiln_cl_is_signed_index(p, user) ? CL_SIGNED : kiln_cl_operand_sign(fn, user, operand);
  v->elsewhere |= !kiln_cl_makes_address(p, user, operand);
  if (sign != CL_ANY && v->votes > -30000 && v->votes < 30000)
    v->votes += sign == CL_SIGNED ? 1 : -1;
  if (kiln_op_table[fn->insts[value].op].effect == KILN_EFFECT_FREE) {
    v->uses = 1;
    return;
  }
  uint32_t count = repeats(fn, user, operand) * (u->folded ? u->uses : 1);
  v->uses = v->uses + count < v->uses ? UINT32_MAX : v->uses + count;
  uint32_t position = u->folded ? u->last_use : u->position, region = fn->insts[user].region;
  v->use_region = u->folded ? u->use_region : region;
  v->root = u->folded ? u->root : user;
  v->in_loop |= u->folded && u->in_loop;
  v->conditional |= (fn->insts[user].op == KILN_OP_SELECT && operand > 0) || (u->folded && u->conditional);
  uint32_t depth = u->folded ? u->depth + 1u : 0;
  v->depth = depth > v->depth ? (uint8_t)depth : v->depth;
  for (uint32_t home = definition_region(fn, value); region != home && region;) {
    kiln_value owner = fn->regions[region].owner;
    if (!owner)
      break;
    if (fn->insts[owner].op == KILN_OP_LOOP) {
      v->in_loop = true;
      uint32_t end = p->nodes[fn->insts[owner].node].end;
      position = position > end ? position : end;
    }
    region = fn->insts[owner].region;
  }
  if (position > v->last_use)
    v->last_use = position;
}

// ---- folding

// Cheap enough to be written at each use.
static bool is_repeatable(const struct cl_printer *p, const struct kiln_inst *inst) {
  const struct kiln_function *fn = p->fn;
  if (inst->name || kiln_type_lanes(inst->type) != 1)
    return false;
  if (inst->op == KILN_OP_PADD || inst->op == KILN_OP_PCAST)
    return true;
  if (inst->op != KILN_OP_SEXT && inst->op != KILN_OP_ZEXT)
    return false;
  return kiln_type_kind(fn->insts[fn->operands[inst->operand_first]].type) == KILN_I32;
}

// Its one use gives it to a phi, whose variable has the name.
static bool is_for_phi(const struct cl_printer *p, const struct cl_value *v, uint32_t region) {
  unsigned op = p->fn->insts[v->root].op;
  return v->depth == 0 && v->use_region == region &&
         (op == KILN_OP_YIELD || op == KILN_OP_BREAK || op == KILN_OP_CONTINUE || op == KILN_OP_LOOP);
}

static bool folds(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = &p->fn->insts[value];
  const struct cl_value *v = &p->values[value];
  enum kiln_op_effect effect = kiln_op_table[inst->op].effect;
  bool load = inst->op == KILN_OP_LOAD && !(inst->flags & KILN_MEM_VOLATILE);
  if ((effect != KILN_EFFECT_PURE && effect != KILN_EFFECT_ITEM && !load) || inst->op == KILN_OP_VAR)
    return false;
  if (v->uses == 0)
    return true;
  if (effect == KILN_EFFECT_ITEM && v->conditional) // PoCL 3.1 does not link some kernels with such queries
    return false;
  if (v->depth >= MAX_DEPTH)
    return false;
  if (is_repeatable(p, inst) && v->uses <= MAX_REPEATED)
    return true;
  if (v->uses > 1 || v->in_loop || (inst->name && !is_for_phi(p, v, inst->region)) ||
      p->folded_into[v->root] >= MAX_FOLDED)
    return false;
  if (!load)
    return true;
  return v->use_region == inst->region && p->effects[v->last_use - 1] == p->effects[v->position];
}

void kiln_cl_plan(struct cl_printer *p) {
  const struct kiln_function *fn = p->fn;
  p->values = KILN_NEW_ARRAY(&p->arena, struct cl_value, fn->inst_count + 1);
  p->nodes = KILN_NEW_ARRAY(&p->arena, struct cl_node_info, fn->node_count + 1);
  p->region_depth = KILN_NEW_ARRAY(&p->arena, uint32_t, fn->region_count + 1);
  p->folded_into = KILN_NEW_ARRAY(&p->arena, uint32_t, fn->inst_count + 1);
  p->position_count = 0;
  walk(p, fn->body, 0);
  kiln_cl_find_falls(p);
  for (uint32_t i = p->position_count; i-- > 0;) {
    kiln_value id = p->order[i];
    if (!id || fn->insts[id].op == KILN_OP_ASSUME)
      continue;
    struct cl_value *v = &p->values[id];
    if (v->is_entered)
      continue;
    if (fn->insts[id].op == KILN_OP_SWITCH && v->folded) { // printed as one with the next
      use(p, id, 0);
      continue;
    }
    v->folded = v->group && fn->insts[id].op == KILN_OP_SELECT ? v->uses == 0 : folds(p, id);
    if (v->folded && v->uses == 0)
      continue;
    if (v->folded)
      p->folded_into[v->root]++;
    for (uint32_t k = 0; k < fn->insts[id].operand_count; k++)
      use(p, id, k);
  }
}
