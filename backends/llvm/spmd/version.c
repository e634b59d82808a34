// Versions: code that is faster, but right only where a condition of the launch or of the warp holds, beside code that
// is right anywhere. All tests that choose between versions are emitted here; plan/plan.c keeps the budget of code for
// them.
#include "backends/llvm/spmd/version.h"

LLVMValueRef kiln_ll_begin_versions(struct kiln_ll_fn *f, struct kiln_ll_versions *v, LLVMValueRef condition,
                                    const char *name) {
  LLVMBasicBlockRef first = kiln_ll_block(f, name);
  v->other = kiln_ll_block(f, "version.other");
  v->done = kiln_ll_block(f, "version.end");
  LLVMValueRef branch = LLVMBuildCondBr(f->ll->b, condition, first, v->other);
  LLVMPositionBuilderAtEnd(f->ll->b, first);
  return branch;
}

void kiln_ll_other_version(struct kiln_ll_fn *f, struct kiln_ll_versions *v) {
  v->from[0] = LLVMGetInsertBlock(f->ll->b);
  LLVMBuildBr(f->ll->b, v->done);
  kiln_ll_continue_at(f, v->other);
}

void kiln_ll_end_versions(struct kiln_ll_fn *f, struct kiln_ll_versions *v) {
  v->from[1] = LLVMGetInsertBlock(f->ll->b);
  LLVMBuildBr(f->ll->b, v->done);
  kiln_ll_continue_at(f, v->done);
}

LLVMValueRef kiln_ll_merge_versions(struct kiln_ll_fn *f, struct kiln_ll_versions *v, LLVMValueRef values[2]) {
  LLVMValueRef phi = LLVMBuildPhi(f->ll->b, LLVMTypeOf(values[0]), "");
  LLVMAddIncoming(phi, values, v->from, 2);
  return phi;
}
