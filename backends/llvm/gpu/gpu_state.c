// Variables of program scope whose contents may change, or that hold addresses, in code for a variant of a program: it
// shares those of its program (kiln_code.variant_of). The driver fills their addresses into a table when it loads the
// code, and kernels read them there.
#include "backends/common/state.h"
#include "backends/llvm/gpu/gpu.h"

LLVMValueRef kiln_ll_gpu_state_table(struct kiln_ll *ll, uint32_t count, bool defined) {
  LLVMTypeRef type = LLVMArrayType2(ll->i64, count);
  LLVMValueRef table = LLVMAddGlobalInAddressSpace(ll->module, type, KILN_STATE_TABLE, ll->hooks->spaces[KILN_GLOBAL]);
  if (defined)
    LLVMSetInitializer(table, LLVMConstNull(type));
  LLVMSetExternallyInitialized(table, true);
  LLVMSetAlignment(table, 8);
  return table;
}

bool kiln_ll_gpu_has_images(const struct kiln_module *ir) {
  for (uint32_t i = 0; i < ir->function_count; i++)
    for (uint32_t k = 0; k < ir->functions[i]->param_count; k++)
      if (ir->functions[i]->is_kernel && ir->functions[i]->params[k].image != KILN_PARAM_PLAIN)
        return true;
  return false;
}

LLVMValueRef kiln_ll_gpu_state_in(struct kiln_ll *ll, LLVMValueRef table, uint32_t number, enum kiln_space space) {
  LLVMValueRef place = kiln_ll_address_at(ll, table, 8 * (int64_t)number);
  LLVMValueRef load = LLVMBuildLoad2(ll->b, ll->i64, place, "");
  LLVMSetAlignment(load, 8);
  kiln_ll_attach(ll->context, load, "invariant.load", NULL, 0);
  return LLVMBuildIntToPtr(ll->b, load, kiln_ll_ptr(ll, space), "");
}
