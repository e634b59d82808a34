// Which integers only make addresses. Where the source says that such a sum or product fits (the flag nsw), LLVM may
// know it: a wrong result then reaches nothing but an address, which the IR leaves undefined. It must not reach
// anything else, because LLVM would make branches and comparisons undefined as well, and passes of the IR move pure
// operations to places where the source would not have evaluated them.
#include "backends/llvm/emit.h"

enum { ROUNDS = 8 };

// Whether operand number index of the instruction is used for an address, provided that its result is.
static bool makes_address(enum kiln_op op, uint32_t index, bool *by_result) {
  *by_result = false;
  switch ((int)op) {
  case KILN_OP_IADD:
  case KILN_OP_ISUB:
  case KILN_OP_IMUL:
  case KILN_OP_SEXT:
  case KILN_OP_ZEXT:
  case KILN_OP_PADD:
  case KILN_OP_PCAST:
    *by_result = true;
    return true;
  case KILN_OP_SHL:
    *by_result = true;
    return index == 0;
  case KILN_OP_LOAD:
  case KILN_OP_STORE:
  case KILN_OP_ATOMIC_LOAD:
  case KILN_OP_ATOMIC_STORE:
  case KILN_OP_ATOMIC_RMW:
  case KILN_OP_ATOMIC_CAS:
    return index == 0;
  case KILN_OP_COPY:
    return true;
  }
  return false;
}

// One round over all uses; true when another one is needed.
static bool exclude(const struct kiln_function *fn, bool *only) {
  bool changed = false;
  for (kiln_value user = fn->inst_count - 1; user > 0; user--) {
    const struct kiln_inst *in = kiln_inst(fn, user);
    if (!in->region && kiln_op_table[in->op].effect != KILN_EFFECT_FREE)
      continue;
    const kiln_value *operands = kiln_operands(fn, user);
    for (uint32_t i = 0; i < in->operand_count; i++) {
      bool by_result, fine = makes_address((enum kiln_op)in->op, i, &by_result) && (!by_result || only[user]);
      if (fine || !only[operands[i]])
        continue;
      only[operands[i]] = false;
      changed = true;
    }
  }
  return changed;
}

void kiln_ll_find_addresses(struct kiln_ll_fn *f) {
  bool *only = KILN_NEW_ARRAY(&f->ll->arena, bool, f->fn->inst_count);
  for (uint32_t i = 1; i < f->fn->inst_count; i++)
    only[i] = true;
  int round = 0;
  while (exclude(f->fn, only))
    if (++round == ROUNDS)
      return; // uses far before their values: not worth more rounds
  f->only_addresses = only;
}

bool kiln_ll_index(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  if (!(in->flags & KILN_INT_NSW) || !f->only_addresses || !f->only_addresses[inst])
    return false;
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef x = kiln_ll_operand(f, inst, 0), y = kiln_ll_operand(f, inst, 1);
  switch ((int)in->op) {
  case KILN_OP_IADD:
    *result = LLVMBuildNSWAdd(b, x, y, "");
    return true;
  case KILN_OP_ISUB:
    *result = LLVMBuildNSWSub(b, x, y, "");
    return true;
  case KILN_OP_IMUL:
    *result = LLVMBuildNSWMul(b, x, y, "");
    return true;
  }
  return false;
}
