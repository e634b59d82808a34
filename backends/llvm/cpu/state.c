// State: variables at program scope that kernels write, and variables that hold addresses of those. A program and its
// variants share them, although each variant has code of its own. So code gets the addresses from the launch.
#include "backends/llvm/cpu/kernel.h"
#include "backends/llvm/spmd/launch.h"

void kiln_ll_cpu_define_state(struct kiln_ll *ll) {
  LLVMValueRef *table = KILN_NEW_ARRAY(&ll->arena, LLVMValueRef, ll->ir->global_count + 1);
  unsigned count = 0;
  for (uint32_t i = 0; i < ll->ir->global_count; i++)
    if (kiln_ll_is_state(&ll->ir->globals[i]))
      table[++count] = ll->globals[i];
  if (!count)
    return;
  table[0] = LLVMConstIntToPtr(kiln_ll_i64(ll, count), ll->ptr);
  LLVMValueRef value = LLVMAddGlobal(ll->module, LLVMArrayType2(ll->ptr, count + 1), KILN_CPU_STATE);
  LLVMSetInitializer(value, LLVMConstArray2(ll->ptr, table, count + 1));
  LLVMSetVisibility(value, LLVMProtectedVisibility);
  LLVMSetGlobalConstant(value, true);
}

LLVMValueRef kiln_ll_cpu_state(struct kiln_ll_fn *f, uint32_t global) {
  struct kiln_ll *ll = f->ll;
  uint64_t number = 1;
  for (uint32_t i = 0; i < global; i++)
    number += kiln_ll_is_state(&ll->ir->globals[i]);
  LLVMValueRef index = kiln_ll_i64(ll, number);
  LLVMValueRef address = LLVMBuildGEP2(ll->b, ll->ptr, kiln_ll_word(f, KILN_LL_STATE), &index, 1, "");
  return LLVMBuildLoad2(ll->b, ll->ptr, address, "state");
}
