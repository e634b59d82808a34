// What each value is computed from, as bits (enum kiln_depends), in one walk over the function in the order of the
// program, in which operands come before what takes them:
//
//   i = global_id(0); n = param 1    KILN_ON_GLOBAL_ID; KILN_ON_PARAM
//   p = i * n + 1                    KILN_ON_GLOBAL_ID | KILN_ON_PARAM
//   x = load p                       KILN_ON_MEMORY: what address it is loaded from is another question
//   loop (s = 0) ... s + x           KILN_ON_PHI | KILN_ON_MEMORY
#include "jit/facts/facts.h"

// By operation: what a value that is not computed from its operands is. 0 of others: KILN_ON_OTHER.
static const uint32_t leaves[KILN_OP_COUNT] = {
    [KILN_OP_UNDEF] = KILN_ON_UNDEF,
    [KILN_OP_PARAM] = KILN_ON_PARAM,
    [KILN_OP_GLOBAL] = KILN_ON_GLOBAL,
    [KILN_OP_VAR] = KILN_ON_VAR,
    [KILN_OP_PHI] = KILN_ON_PHI,
    [KILN_OP_LOAD] = KILN_ON_MEMORY,
    [KILN_OP_GLOBAL_SIZE] = KILN_ON_GLOBAL_SIZE,
    [KILN_OP_GLOBAL_OFFSET] = KILN_ON_GLOBAL_SIZE,
    [KILN_OP_LOCAL_SIZE] = KILN_ON_GROUP_SIZE,
    [KILN_OP_FULL_LOCAL_SIZE] = KILN_ON_GROUP_SIZE,
    [KILN_OP_NUM_GROUPS] = KILN_ON_GROUP_SIZE,
    [KILN_OP_WORK_DIM] = KILN_ON_GROUP,
    [KILN_OP_NOALIAS] = KILN_ON_GROUP,
    [KILN_OP_GROUP_ID] = KILN_ON_GROUP_ID,
    [KILN_OP_GLOBAL_ID] = KILN_ON_GLOBAL_ID,
    [KILN_OP_LOCAL_ID] = KILN_ON_LOCAL_ID,
};

static uint32_t leaf(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *inst = &fn->insts[v];
  if (inst->op == KILN_OP_PARAM && fn->params[inst->imm].byval_bytes)
    return KILN_ON_RECORD;
  if (inst->op == KILN_OP_GROUP_ID || inst->op == KILN_OP_GLOBAL_ID || inst->op == KILN_OP_LOCAL_ID)
    return inst->imm < 3 ? leaves[inst->op] << inst->imm : KILN_ON_OTHER;
  return leaves[inst->op] ? leaves[inst->op] : KILN_ON_OTHER;
}

static uint32_t find(const struct kiln_function *fn, kiln_value v, const uint32_t *depends) {
  const struct kiln_inst *inst = &fn->insts[v];
  const kiln_value *x = kiln_operands(fn, v);
  bool is_load = inst->op == KILN_OP_LOAD;
  if (is_load ? kiln_effect_of(fn, v) != KILN_EFFECT_PURE : kiln_op_table[inst->op].effect != KILN_EFFECT_PURE)
    return leaf(fn, v);
  uint32_t bits = kiln_type_lanes(inst->type) > 1 ? KILN_ON_VECTOR : 0;
  if (inst->op == KILN_OP_AND && fn->insts[x[1]].op != KILN_OP_CONST)
    bits |= KILN_ON_MASK;
  for (uint32_t i = 0; i < inst->operand_count; i++)
    bits |= depends[x[i]];
  return bits;
}

void kiln_facts_find(struct kiln_function *fn) {
  struct kiln_function_priv *priv = kiln_function_priv(fn);
  priv->depends_count = 0;
  if (!KILN_IR_RESERVE(fn->module, priv->depends, 0, priv->depends_capacity, fn->inst_count))
    return;
  uint32_t *depends = priv->depends;
  for (kiln_value v = 0; v < fn->inst_count; v++) {
    unsigned op = fn->insts[v].op;
    if (!fn->insts[v].region)
      depends[v] = op == KILN_OP_CONST || op == KILN_OP_CONST_VEC ? 0 : leaf(fn, v);
  }
  for (kiln_value v = fn->regions[fn->body].first, next; v; v = next) {
    depends[v] = find(fn, v, depends);
    next = kiln_op_is_node(fn->insts[v].op) || !fn->insts[v].next ? kiln_walk_next(fn, v) : fn->insts[v].next;
  }
  depends[0] = 0;
  priv->depends_count = fn->inst_count;
}

void kiln_facts_forget(struct kiln_function *fn) { kiln_function_priv(fn)->depends_count = 0; }

uint32_t kiln_depends_on(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_function_priv *priv = kiln_function_priv(fn);
  return v < priv->depends_count ? priv->depends[v] : KILN_ON_ANYTHING;
}
