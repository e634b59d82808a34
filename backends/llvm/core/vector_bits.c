// The last change to a module before code generation: selects by one bit of each element, as in CRCs and shift
// registers. x86 without mask registers selects by the sign of an element, so the bit is moved there; LLVM's passes,
// which turn a test of the sign into a comparison of x & bit with zero, would undo the change earlier.
#include "backends/llvm/core/emit.h"

// The index of the only bit that is set in every element of a constant; -1: there is no such bit.
static int single_bit(LLVMValueRef v, unsigned bits) {
  if (!LLVMIsAConstantDataVector(v))
    return -1;
  LLVMValueRef first = LLVMGetAggregateElement(v, 0);
  for (unsigned i = 1; i < LLVMGetVectorSize(LLVMTypeOf(v)); i++)
    if (LLVMGetAggregateElement(v, i) != first)
      return -1;
  uint64_t value = LLVMIsAConstantInt(first) ? LLVMConstIntGetZExtValue(first) : 0;
  return value && !(value & (value - 1)) && bits <= 64 ? __builtin_ctzll(value) : -1;
}

// Whether the comparison is only used by selects between vectors whose elements have the size of its operands.
static bool only_chooses(LLVMValueRef compare, unsigned bits) {
  for (LLVMUseRef use = LLVMGetFirstUse(compare); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsASelectInst(user) || LLVMGetOperand(user, 0) != compare || LLVMGetOperand(user, 1) == compare ||
        LLVMGetOperand(user, 2) == compare)
      return false;
    bool is_pointer = LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(user))) == LLVMPointerTypeKind;
    if (is_pointer || kiln_ll_bits(LLVMTypeOf(user)) != bits)
      return false;
  }
  return LLVMGetFirstUse(compare) != NULL;
}

static void choose_by_sign(LLVMBuilderRef b, LLVMValueRef compare) {
  LLVMValueRef test = LLVMGetOperand(compare, 0), zero = LLVMGetOperand(compare, 1);
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);
  if ((predicate != LLVMIntEQ && predicate != LLVMIntNE) || !LLVMIsNull(zero) || !LLVMIsAInstruction(test) ||
      LLVMGetInstructionOpcode(test) != LLVMAnd)
    return;
  LLVMTypeRef type = LLVMTypeOf(test);
  unsigned bits = kiln_ll_bits(type);
  int bit = single_bit(LLVMGetOperand(test, 1), bits);
  if (bit < 0 || (bits != 32 && bits != 64) || !only_chooses(compare, bits)) // smaller elements have no shifts
    return;
  LLVMPositionBuilderBefore(b, compare);
  LLVMValueRef moved = LLVMBuildShl(b, LLVMGetOperand(test, 0), kiln_ll_splat(type, bits - 1 - (unsigned)bit), "");
  LLVMValueRef is_set = LLVMBuildICmp(b, LLVMIntSLT, moved, LLVMConstNull(type), "");
  for (LLVMUseRef use; (use = LLVMGetFirstUse(compare));) {
    LLVMValueRef select = LLVMGetUser(use), set = LLVMGetOperand(select, 1);
    LLVMSetOperand(select, 0, is_set);
    if (predicate == LLVMIntNE)
      continue;
    LLVMSetOperand(select, 1, LLVMGetOperand(select, 2));
    LLVMSetOperand(select, 2, set);
  }
  LLVMInstructionEraseFromParent(compare);
}

void kiln_ll_choose_by_sign(LLVMModuleRef module) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef v = LLVMGetFirstInstruction(block), next; v; v = next) {
        next = LLVMGetNextInstruction(v);
        if (LLVMIsAICmpInst(v) && LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind &&
            LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(v, 0)))) == LLVMIntegerTypeKind)
          choose_by_sign(b, v);
      }
  LLVMDisposeBuilder(b);
}
