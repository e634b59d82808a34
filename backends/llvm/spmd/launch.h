// The words that the driver passes to a kernel about the launch and its group (backends/cpu/abi.h).
#ifndef KILN_BACKENDS_LLVM_LAUNCH_H
#define KILN_BACKENDS_LLVM_LAUNCH_H

#include "backends/llvm/core/emit.h"

// In the order of the members of launch and group; three of a kind are by dimension.
enum kiln_ll_word {
  KILN_LL_GLOBAL_SIZE = 0,
  KILN_LL_FULL_LOCAL = 3,
  KILN_LL_OFFSET = 6,
  KILN_LL_GROUPS = 9,
  KILN_LL_ARGS = 12,
  KILN_LL_PRINT,
  KILN_LL_PRINT_USER,
  KILN_LL_WORK_DIM,
  KILN_LL_NOALIAS,
  KILN_LL_LARGE,
  KILN_LL_STOP,
  KILN_LL_LEAVE,
  KILN_LL_STATE,
  KILN_LL_GROUP_ID,
  KILN_LL_GROUP_BASE = KILN_LL_GROUP_ID + 3,
  KILN_LL_LOCAL_SIZE = KILN_LL_GROUP_BASE + 3,
  KILN_LL_PLANE = KILN_LL_LOCAL_SIZE + 3,
  KILN_LL_ITEM_COUNT, // computed: work-items of a full group; work-items of rows that run together count once
};

// word: an enum kiln_ll_word plus the dimension. Loaded once per function. A group size that the kernel requires is a
// constant.
LLVMValueRef kiln_ll_word(struct kiln_ll_fn *f, unsigned word);
LLVMValueRef kiln_ll_live_items(struct kiln_ll_fn *f); // work-items of this group, counted in the same way

#endif
