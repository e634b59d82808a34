// The condition under which the lanes' strides put all of their lines into a few sets of the cache (large_stride.c).
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/spmd/spmd.h"

LLVMValueRef kiln_ll_strides_share_sets(struct kiln_ll_fn *f, const struct kiln_ll_shared_sets *sets) {
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef any = NULL;
  for (unsigned i = 0; i < sets->count; i++) {
    LLVMValueRef scale = f->values[sets->scales[i]];
    LLVMTypeRef type = LLVMTypeOf(scale);
    LLVMValueRef bytes = LLVMBuildMul(b, scale, LLVMConstInt(type, sets->factors[i], false), "");
    LLVMValueRef past = LLVMBuildAnd(b, bytes, LLVMConstInt(type, KILN_COST_SET_BYTES - 1, false), "");
    LLVMValueRef is_multiple = LLVMBuildICmp(b, LLVMIntEQ, past, LLVMConstNull(type), "");
    any = any ? LLVMBuildOr(b, any, is_multiple, "") : is_multiple;
  }
  return any;
}
