// Warps of fewer lanes, in which more is known: id >> 3 and id & 7 are uniform and linear in 8 lanes, and neither of
// them is in 16. A kernel gets the smaller width where its accesses become so much cheaper that the warp costs less per
// work-item.
#include "backends/llvm/core/tally.h"
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/plan.h"
#include "backends/llvm/plan/width.h"

// What a warp of so many lanes costs, in operations, by the plan of its accesses. Gathers and scatters cost most.
static uint64_t cost_of_warp(const struct kiln_ll_fn *f, struct kiln_function *fn, unsigned lanes) {
  uint64_t cost = 0;
  fn->least_lanes = (uint8_t)lanes;
  kiln_function_analyse(fn);
  const struct kiln_ll_form *form = kiln_ll_begin_form(f, lanes, false);
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    if (!in->region)
      continue;
    uint64_t work = in->op != KILN_OP_PADD && kiln_op_table[in->op].effect == KILN_EFFECT_PURE &&
                    form->shapes[v].kind == KILN_SHAPE_VARYING;
    if (kiln_op_is_access(in->op))
      work = form->plan[v]->full == KILN_LL_GATHERED ? KILN_COST_ELEMENT_WORK * lanes : 1;
    cost += work * kiln_ll_iterations(fn, v);
  }
  return cost;
}

void kiln_ll_align_width(const struct kiln_ll_fn *f, struct kiln_function *fn, struct kiln_ll_width *width) {
  unsigned lanes = width->lanes;
  if (!fn->alignment || lanes <= 1 || lanes > KILN_ALIGNED_LANES || !kiln_ll_cuts_ids(fn))
    return;
  bool fixed = !f->ll->machine->interleave || f->ll->machine->schedule.registers || fn->has_sub_groups ||
               fn->merged_groups || lanes == KILN_ALIGNED_LANES;
  uint64_t least = fixed ? 0 : cost_of_warp(f, fn, lanes);
  for (unsigned fewer = lanes / 2; fewer >= 4 && !fixed; fewer /= 2) {
    uint64_t cost = cost_of_warp(f, fn, fewer) * (lanes / fewer);
    if (cost < least) {
      least = cost;
      width->lanes = fewer;
      width->reason = "fewer lanes have more in common";
    }
  }
  fn->least_lanes = (uint8_t)width->lanes;
  kiln_function_analyse(fn);
}
