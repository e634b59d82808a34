// Variables of program scope that a program and its variants share: names by which the driver finds them, and in code
// for variants the table of their addresses.
#include <stdio.h>

#include "backends/common/state.h"
#include "backends/llvm/gpu/amdgpu.h"

// The number of a state variable, or, of the end, how many there are.
static uint32_t number_of(const struct kiln_ll *ll, uint32_t index) {
  uint32_t number = 0;
  for (uint32_t i = 0; i < index; i++)
    number += kiln_ll_is_state(&ll->ir->globals[i]);
  return number;
}

static bool shares_state(const struct kiln_ll *ll) {
  return ll->machine->amdgpu.shares_state || kiln_ll_gpu_has_images(ll->ir);
}

static LLVMValueRef add_table(struct kiln_ll *ll, bool defined) {
  LLVMValueRef table = kiln_ll_gpu_state_table(ll, number_of(ll, ll->ir->global_count), defined);
  LLVMSetVisibility(table, LLVMProtectedVisibility);
  return table;
}

void kiln_ll_amdgpu_define_state(struct kiln_ll *ll) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < ll->ir->global_count; i++) {
    if (!kiln_ll_is_state(&ll->ir->globals[i]))
      continue;
    char name[KILN_STATE_NAME_SIZE];
    snprintf(name, sizeof name, KILN_STATE_NAME, count++);
    LLVMValueRef value = ll->globals[i];
    LLVMValueRef alias = LLVMAddAlias2(ll->module, LLVMGlobalGetValueType(value),
                                       ll->hooks->spaces[ll->ir->globals[i].space], value, name);
    LLVMSetVisibility(alias, LLVMProtectedVisibility);
  }
  if (count && shares_state(ll))
    add_table(ll, true);
}

LLVMValueRef kiln_ll_amdgpu_state(struct kiln_ll_fn *f, uint32_t global) {
  struct kiln_ll *ll = f->ll;
  if (!shares_state(ll))
    return ll->globals[global];
  LLVMValueRef table = LLVMGetNamedGlobal(ll->module, KILN_STATE_TABLE);
  return kiln_ll_gpu_state_in(ll, table ? table : add_table(ll, false), number_of(ll, global),
                              ll->ir->globals[global].space);
}
