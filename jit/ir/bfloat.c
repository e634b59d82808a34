// Values that are bfloat16: half of the bits of an integer, as the upper half of a float.
#include "jit/ir/internal.h"

bool kiln_bfloat_of(const struct kiln_function *fn, kiln_value v, struct kiln_bfloat *out) {
  const struct kiln_inst *inst = &fn->insts[v];
  uint64_t constant;
  if (inst->type != kiln_scalar_type(KILN_F32) || inst->op != KILN_OP_BITCAST)
    return false;
  inst = &fn->insts[kiln_operands(fn, v)[0]];
  v = kiln_operands(fn, v)[0];
  if ((inst->op != KILN_OP_SHL && inst->op != KILN_OP_AND) || !kiln_const_splat(fn, kiln_operands(fn, v)[1], &constant))
    return false;
  bool upper = inst->op == KILN_OP_AND;
  *out = (struct kiln_bfloat){kiln_operands(fn, v)[0], upper};
  return constant == (upper ? 0xffff0000 : 16) && inst->type == kiln_scalar_type(KILN_I32);
}

bool kiln_is_bfloat_sum(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *inst = &fn->insts[v];
  struct kiln_bfloat factor;
  return inst->op == KILN_OP_FMA && inst->flags & KILN_FP_CONTRACT &&
         kiln_bfloat_of(fn, kiln_operands(fn, v)[0], &factor) && kiln_bfloat_of(fn, kiln_operands(fn, v)[1], &factor);
}
