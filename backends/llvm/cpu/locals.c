// Where local variables lie in a group's local memory.
#include <string.h>

#include "backends/llvm/cpu/kernel.h"

// Assigns offsets to the local variables that fn uses, after those that are already there.
static uint32_t place_locals(struct kiln_ll *ll, const struct kiln_function *fn, uint32_t used) {
  uint32_t copies = fn->merged_groups ? fn->merged_groups : 1;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    if (fn->insts[v].op != KILN_OP_GLOBAL)
      continue;
    uint32_t g = (uint32_t)fn->insts[v].imm;
    const struct kiln_global *global = &ll->ir->globals[g];
    if (global->space != KILN_LOCAL || ll->local_offsets[g] != UINT32_MAX)
      continue;
    uint64_t room = (INT32_MAX - KILN_CPU_ALIGN - used) / copies;
    if (global->size > room) {
      kiln_ll_fail(ll, KILN_ERR_UNSUPPORTED, "'%s' uses more than 2 GiB of local memory", fn->name);
      return used;
    }
    used = (uint32_t)kiln_ll_align_up(used, copies > 1 ? KILN_CPU_ALIGN : global->align ? global->align : 1);
    ll->local_offsets[g] = used;
    used += (uint32_t)global->size * copies;
  }
  return used;
}

uint32_t kiln_ll_place_locals(struct kiln_ll *ll, const struct kiln_function *fn) {
  memset(ll->local_offsets, 0xff, ll->ir->global_count * sizeof *ll->local_offsets);
  uint32_t used = 0;
  for (uint32_t i = 0; i < ll->ir->function_count; i++) // functions that stay functions: the same offset in each kernel
    if (!ll->ir->functions[i]->is_kernel)
      used = place_locals(ll, ll->ir->functions[i], used);
  return (uint32_t)kiln_ll_align_up(place_locals(ll, fn, used), KILN_CPU_ALIGN);
}
