// Versions of code that a condition chooses between.
#ifndef KILN_BACKENDS_LLVM_VERSION_H
#define KILN_BACKENDS_LLVM_VERSION_H

#include "backends/llvm/core/emit.h"

struct kiln_ll_versions {
  LLVMBasicBlockRef other, done, from[2];
};

// The builder continues in the version for where the condition holds; then, by kiln_ll_other_version, in the version
// for where it does not hold; then, by kiln_ll_end_versions, after both. Returns the branch.
LLVMValueRef kiln_ll_begin_versions(struct kiln_ll_fn *f, struct kiln_ll_versions *v, LLVMValueRef condition,
                                    const char *name);
void kiln_ll_other_version(struct kiln_ll_fn *f, struct kiln_ll_versions *v);
void kiln_ll_end_versions(struct kiln_ll_fn *f, struct kiln_ll_versions *v);
// A phi of the values that the two versions have made. To be called at the start of the code that follows both.
LLVMValueRef kiln_ll_merge_versions(struct kiln_ll_fn *f, struct kiln_ll_versions *v, LLVMValueRef values[2]);

#endif
