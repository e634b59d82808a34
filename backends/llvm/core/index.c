// Which integers only contribute to addresses. If the source says that a sum or product of them fits (the flag nsw),
// LLVM is told so: a wrong result then reaches only an address, which the IR leaves undefined. It must not reach
// anything else, since LLVM would make branches and comparisons undefined, too, and IR passes move pure operations to
// where the source would not have evaluated them.
#include "backends/llvm/core/emit.h"

enum { ITERATIONS = 8 };

// Whether the operand with this index contributes only to an address, provided that the result does (*by_result).
static bool makes_address(enum kiln_op op, uint32_t index, bool *by_result) {
  *by_result = op == KILN_OP_IADD || op == KILN_OP_ISUB || op == KILN_OP_IMUL || op == KILN_OP_SHL ||
               op == KILN_OP_SEXT || op == KILN_OP_ZEXT || op == KILN_OP_PADD || op == KILN_OP_PCAST;
  if (op == KILN_OP_SHL || op == KILN_OP_LOAD || op == KILN_OP_STORE || kiln_op_family(op) == KILN_FAMILY_ATOMIC)
    return index == 0;
  return *by_result || op == KILN_OP_COPY;
}

// One iteration over all uses; true if another one is needed.
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
  int iteration = 0;
  while (exclude(f->fn, only))
    if (++iteration == ITERATIONS)
      return; // uses far before their values: more iterations do not pay
  f->only_addresses = only;
}

bool kiln_ll_index(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  if ((in->op != KILN_OP_IADD && in->op != KILN_OP_ISUB && in->op != KILN_OP_IMUL) || !(in->flags & KILN_INT_NSW) ||
      !f->only_addresses || !f->only_addresses[inst])
    return false;
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef x = kiln_ll_operand(f, inst, 0), y = kiln_ll_operand(f, inst, 1);
  if (in->op == KILN_OP_IADD)
    *result = LLVMBuildNSWAdd(b, x, y, "");
  else if (in->op == KILN_OP_ISUB)
    *result = LLVMBuildNSWSub(b, x, y, "");
  else
    *result = LLVMBuildNSWMul(b, x, y, "");
  return true;
}
