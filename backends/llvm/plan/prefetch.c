// Loads whose memory is prefetched for a later warp.
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/find.h"

const bool *kiln_ll_find_prefetches(const struct kiln_ll_fn *f) {
  const struct kiln_function *fn = f->fn;
  bool *contiguous = KILN_NEW_ARRAY(&f->ll->arena, bool, fn->inst_count), works = false;
  bool *loads = KILN_NEW_ARRAY(&f->ll->arena, bool, fn->node_count + 1); // by node: contains contiguous loads
  unsigned size = 0, count = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = kiln_inst(fn, v);
    if (!in->region || kiln_ll_is_guarded_off(f, in->region))
      continue;
    size++;
    if (in->op != KILN_OP_LOAD)
      continue;
    kiln_value pointer = kiln_operands(fn, v)[0];
    if (kiln_type_space(kiln_value_type(fn, pointer)) != KILN_GLOBAL ||
        kiln_ll_shape(f, pointer).kind == KILN_SHAPE_UNIFORM || contiguous[pointer])
      continue;
    contiguous[pointer] = kiln_ll_is_contiguous(fn, f->form->shapes, v);
    if (contiguous[pointer] || f->ll->machine->cpu.has_avx512)
      count++;
    else
      size += KILN_COST_ELEMENT_WORK * f->form->lanes;
    for (kiln_value node = kiln_owner(fn, v); node; node = kiln_owner(fn, node))
      loads[fn->insts[node].node] = true;
  }
  for (uint32_t n = 0; n < fn->node_count; n++) {
    const struct kiln_inst *in = &fn->insts[fn->nodes[n].inst];
    works |= in->region && in->op == KILN_OP_LOOP && !loads[n];
  }
  return fn->is_kernel && !works && size >= KILN_COST_PREFETCH_WORK * count ? contiguous : NULL;
}
