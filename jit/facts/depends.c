// What each value is computed from, as bits (enum kiln_depends):
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

// Whether the load is of a record that is a parameter of the kernel, at a constant offset.
static bool is_field(const struct kiln_function *fn, kiln_value load) {
  kiln_value pointer = kiln_operands(fn, load)[0];
  uint64_t offset = 0, bytes = kiln_type_bytes(fn->insts[load].type);
  for (; fn->insts[pointer].op == KILN_OP_PADD; pointer = kiln_operands(fn, pointer)[0]) {
    const struct kiln_inst *index = &fn->insts[kiln_operands(fn, pointer)[1]];
    if (index->op != KILN_OP_CONST || index->imm > UINT32_MAX || fn->insts[pointer].imm > UINT32_MAX)
      return false;
    offset += index->imm * fn->insts[pointer].imm;
  }
  const struct kiln_inst *record = &fn->insts[pointer];
  uint64_t size = record->op == KILN_OP_PARAM && fn->is_kernel ? fn->params[record->imm].byval_bytes : 0;
  return bytes <= size && offset <= size - bytes && !(fn->insts[load].flags & KILN_MEM_VOLATILE);
}

enum kiln_op_effect kiln_effect_of(const struct kiln_function *fn, kiln_value v) {
  enum kiln_op op = kiln_op_of(&fn->insts[v]);
  return op == KILN_OP_LOAD && is_field(fn, v) ? KILN_EFFECT_PURE : (enum kiln_op_effect)kiln_op_table[op].effect;
}

uint32_t kiln_depends_find(const struct kiln_function *fn, kiln_value v, const uint32_t *depends) {
  const struct kiln_inst *inst = &fn->insts[v];
  const kiln_value *x = kiln_operands(fn, v);
  if (inst->op == KILN_OP_CONST || inst->op == KILN_OP_CONST_VEC)
    return 0;
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

uint32_t kiln_depends_on(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_function_priv *priv = kiln_function_priv(fn);
  return v < priv->facts_count ? priv->depends[v] : KILN_ON_ANYTHING;
}

bool kiln_is_of_launch(const struct kiln_function *fn, kiln_value v) {
  return !(kiln_depends_on(fn, v) & ~(uint32_t)KILN_ON_LAUNCH);
}
