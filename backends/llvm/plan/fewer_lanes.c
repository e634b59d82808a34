// Warps of fewer lanes, in which more is known: id >> 3 and id & 7 are uniform and linear in 8 lanes, and neither of
// them is in 16. A kernel gets the smaller width where its accesses become so much cheaper that the warp costs less per
// work-item.
#include "backends/llvm/core/tally.h"
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/plan.h"
#include "backends/llvm/plan/width.h"

#define LEAST_LANES 4

static void analyse(struct kiln_function *fn, unsigned lanes) {
  fn->least_lanes = (uint8_t)lanes;
  kiln_function_analyse_again(fn);
}

// What a warp of so many lanes costs, in operations, by the plan of its accesses. Gathers and scatters cost most.
static uint64_t cost_of_warp(const struct kiln_ll_fn *f, struct kiln_function *fn, unsigned lanes) {
  uint64_t cost = 0;
  analyse(fn, lanes);
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
  bool fixed = !f->ll->machine->cpu.interleave || f->ll->machine->cpu.schedule.registers || fn->has_sub_groups ||
               fn->merged_groups || lanes == KILN_ALIGNED_LANES || lanes / 2 < LEAST_LANES;
  uint64_t least = UINT64_MAX;
  for (unsigned some = LEAST_LANES; some <= lanes && !fixed; some *= 2) {
    uint64_t cost = cost_of_warp(f, fn, some) * (lanes / some);
    if (cost <= least) {
      least = cost;
      width->lanes = some;
    }
  }
  if (width->lanes < lanes)
    width->reason = "fewer lanes have more in common";
  if (fn->least_lanes != width->lanes)
    analyse(fn, width->lanes);
}
