// The test of a checked access (plan/checked.c): its one term that varies is compared with that of lane 0.
#include "backends/llvm/spmd/spmd.h"

LLVMValueRef kiln_ll_check_access(struct kiln_ll_fn *f, kiln_value access) {
  LLVMBuilderRef b = f->ll->b;
  struct kiln_term term = f->form->plan[access]->neighbours.term;
  int64_t stride = f->form->plan[access]->neighbours.stride;
  LLVMValueRef value;
  if (f->group) { // only the address itself is sure to be at hand in an item region
    LLVMValueRef pointers = kiln_ll_wide(f, kiln_operands(f->fn, access)[0]);
    value = LLVMBuildPtrToInt(b, pointers, LLVMVectorType(f->ll->i64, f->form->lanes), "");
    stride = kiln_type_bytes(kiln_access_type(f->fn, access));
    term.extension = KILN_OP_CONST;
  } else {
    value = kiln_ll_wide(f, term.value);
  }
  LLVMTypeRef vector = LLVMTypeOf(value), type = LLVMGetElementType(vector);
  LLVMValueRef first = LLVMBuildExtractElement(b, value, kiln_ll_i32(f->ll, 0), "");
  LLVMValueRef wanted = LLVMBuildAdd(b, kiln_ll_broadcast(f, first), kiln_ll_iota(f, type, (uint64_t)stride), "");
  LLVMValueRef difference = LLVMBuildXor(b, value, wanted, "");
  difference = kiln_ll_intrinsic(f->ll, "llvm.vector.reduce.or", &vector, 1, &difference, 1);
  LLVMValueRef holds = LLVMBuildICmp(b, LLVMIntEQ, difference, LLVMConstNull(type), "");
  if (term.extension == KILN_OP_CONST)
    return holds;
  // The term does not wrap before it is extended.
  LLVMValueRef last = LLVMBuildExtractElement(b, value, kiln_ll_i32(f->ll, f->form->lanes - 1), "");
  bool is_signed = term.extension == KILN_OP_SEXT;
  LLVMIntPredicate grows = is_signed ? LLVMIntSLT : LLVMIntULT, falls = is_signed ? LLVMIntSGT : LLVMIntUGT;
  return LLVMBuildAnd(b, holds, LLVMBuildICmp(b, stride > 0 ? grows : falls, first, last, ""), "");
}
