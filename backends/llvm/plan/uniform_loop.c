// The uniform-loop version of divergent loops such as for (i = id; i < n; i += size), which lanes leave only in the
// last iteration, and for (i = 0; i < id; i++), which they leave in the last few. While all lanes stay in the loop,
// which one scalar comparison tells, iterations run without a mask. The remainder of the loop runs under masks.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): loops_uniform, loops_wrapping, loops_falling_bound.
#include "backends/llvm/core/tally.h"
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/form.h"

bool kiln_ll_find_loop_test(const struct kiln_ll_fn *f, kiln_value condition, bool holds,
                            struct kiln_ll_loop_test *out) {
  struct kiln_inequality stays;
  if (!kiln_inequality_of(f->fn, condition, holds, &stays))
    return false;
  kiln_type type = kiln_value_type(f->fn, stays.low);
  unsigned bits = kiln_kind_bits(kiln_type_kind(type));
  if (!kiln_kind_is_int(kiln_type_kind(type)) || bits < 32)
    return false;
  *out = (struct kiln_ll_loop_test){
      .low = stays.low, .high = stays.high, .strict = stays.is_strict, .is_signed = stays.is_signed};
  struct kiln_shape low = kiln_ll_shape(f, out->low), high = kiln_ll_shape(f, out->high);
  bool is_low = low.kind == KILN_SHAPE_LINEAR;
  int64_t stride = is_low ? low.stride : high.stride;
  if ((is_low ? high.kind != KILN_SHAPE_UNIFORM : high.kind != KILN_SHAPE_LINEAR || low.kind != KILN_SHAPE_UNIFORM) ||
      stride == 0 || (is_low && stride < 0))
    return false;
  out->linear = is_low ? out->low : out->high;
  out->first = !is_low && stride > 0;
  return (stride < 0 ? -stride : stride) < (INT64_C(1) << 30) / KILN_LL_MAX_LANES;
}

struct content {
  unsigned size, accesses; // instructions; accesses whose lanes differ
  bool loads, stores;      // global memory
};

// Whether the jump leaves the iteration: it leads to anything but a loop inside of this loop, and is not the jump that
// ends all iterations.
static bool leaves(const struct kiln_function *fn, kiln_value jump, kiln_value loop) {
  const struct kiln_inst *in = kiln_inst(fn, jump);
  if (!kiln_op_leaves((enum kiln_op)in->op))
    return in->op == KILN_OP_RETURN || in->op == KILN_OP_UNREACHABLE;
  kiln_value target = (kiln_value)in->imm, owner = target;
  if (target == loop && in->op == KILN_OP_CONTINUE && kiln_owner(fn, jump) == loop)
    return false;
  do
    owner = kiln_owner(fn, owner);
  while (owner && owner != loop);
  return !owner || kiln_inst(fn, target)->op != KILN_OP_LOOP;
}

// Adds up the contents of a region of the loop. False: something other than test may turn lanes off beyond the end of
// its node. Loops inside do not if all lanes leave them together.
static bool look(const struct kiln_ll_fn *f, kiln_value loop, uint32_t region, kiln_value test, struct content *c) {
  const struct kiln_function *fn = f->fn;
  for (kiln_value v = fn->regions[region].first; v; v = fn->insts[v].next) {
    const struct kiln_inst *in = kiln_inst(fn, v);
    if (++c->size > KILN_COST_TWICE_LOOP)
      return false;
    if (kiln_op_is_access(in->op)) {
      kiln_value pointer = kiln_operands(fn, v)[0];
      unsigned space = kiln_type_space(kiln_value_type(fn, pointer));
      bool is_global = space != KILN_LOCAL && space != KILN_PRIVATE;
      c->accesses += kiln_ll_shape(f, pointer).kind != KILN_SHAPE_UNIFORM;
      c->loads |= is_global && in->op == KILN_OP_LOAD;
      c->stores |= is_global && in->op == KILN_OP_STORE;
    }
    if (leaves(fn, v, loop))
      return false;
    if (v == test || !kiln_op_is_node(in->op))
      continue;
    if (in->op == KILN_OP_LOOP && f->form->divergent[in->node])
      return false;
    const struct kiln_node *node = &fn->nodes[in->node];
    for (uint32_t r = 0; r < node->region_count; r++)
      if (!look(f, loop, node->region_first + r, test, c))
        return false;
  }
  return true;
}

kiln_value kiln_ll_uniform_loop(const struct kiln_ll_fn *f, kiln_value loop) {
  const struct kiln_function *fn = f->fn;
  uint32_t region = fn->nodes[kiln_inst(fn, loop)->node].region_first;
  if (!kiln_ll_may(f->ll, KILN_LL_UNIFORM_LOOP) || kiln_inst(fn, fn->regions[region].last)->op != KILN_OP_CONTINUE)
    return 0;
  struct kiln_ll_loop_test loop_test;
  struct content content = {0};
  kiln_value test = kiln_ll_first_effect(fn, fn->regions[region].first); // what is before the test runs once more
  unsigned side = kiln_leaving_side(fn, test, loop, true);
  if (side == 2 || !kiln_ll_find_loop_test(f, kiln_operands(fn, test)[0], side == 1, &loop_test) ||
      !look(f, loop, region, test, &content))
    return 0;
  // Without barriers the step is the grid size, mostly a multiple of 4 KiB. Loads of an iteration would wait for stores
  // of the previous one, whose addresses have the same lower bits. Masked iterations hide that.
  bool collides = !f->group && content.loads && content.stores;
  return content.accesses && !collides ? test : 0;
}
