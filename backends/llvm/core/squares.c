// The last change to a module before code generation for AVX and AVX2: differences of a vector and a broadcast scalar
// that are only squared, as in distances. Operations take only their second operand from memory, and the broadcast
// scalar is in a register. (AVX-512 can also broadcast from memory; its code became no faster.)
#include <string.h>

#include "backends/llvm/core/emit.h"

static bool is_splat(LLVMValueRef v) {
  if (!LLVMIsAShuffleVectorInst(v) || !LLVMIsAInsertElementInst(LLVMGetOperand(v, 0)))
    return false;
  for (unsigned i = 0; i < LLVMGetNumMaskElements(v); i++)
    if (LLVMGetMaskValue(v, i) != 0)
      return false;
  return true;
}

// Whether v is only multiplied by itself, so that its sign does not matter.
static bool is_only_squared(LLVMValueRef v, unsigned fma) {
  for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    bool is_fused = LLVMIsAIntrinsicInst(user) && LLVMGetIntrinsicID(LLVMGetCalledValue(user)) == fma;
    bool is_product = LLVMIsABinaryOperator(user) && LLVMGetInstructionOpcode(user) == LLVMFMul;
    if ((!is_product && !is_fused) || LLVMGetOperand(user, 0) != v || LLVMGetOperand(user, 1) != v ||
        (is_fused && LLVMGetOperand(user, 2) == v))
      return false;
  }
  return LLVMGetFirstUse(v) != NULL;
}

static void swap_difference(LLVMValueRef v, unsigned fma) {
  LLVMValueRef x = LLVMGetOperand(v, 0), number = LLVMGetOperand(v, 1);
  if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind || !is_splat(number) || is_splat(x) ||
      !is_only_squared(v, fma))
    return;
  LLVMSetOperand(v, 0, number);
  LLVMSetOperand(v, 1, x);
}

void kiln_ll_swap_differences(LLVMModuleRef module) {
  unsigned fma = LLVMLookupIntrinsicID("llvm.fma", strlen("llvm.fma"));
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef v = LLVMGetFirstInstruction(block); v; v = LLVMGetNextInstruction(v))
        if (LLVMGetInstructionOpcode(v) == LLVMFSub)
          swap_difference(v, fma);
}
