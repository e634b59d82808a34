// Grid-stride loops: for (i = id; i < n; i += size), where they are the whole of a flat kernel. The order of two loops
// is changed: all work-items of a row run one iteration, then the next. So i is an id like any other, the tests of
// early guards hold for it, and no lane waits in the loop for another one.
//
//   for (distance = 0; first id + distance < n; distance += size)
//     for (each warp of the row) the body, with i = id + distance
//
// The loop becomes a BLOCK, and the distance is GLOBAL_OFFSET of dimension KILN_GRID_STRIDE_DIMENSION. A work-item runs
// its own iterations in their order. If i may wrap, the same is done for each work-item of the row by itself.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): grid.
#include "backends/llvm/arrange/arrange.h"
#include "backends/llvm/core/tally.h"
#include "backends/llvm/plan/form.h"

static unsigned bits_of(const struct kiln_function *fn, kiln_value v) {
  return kiln_kind_bits(kiln_type_kind(kiln_value_type(fn, v)));
}

static bool extends(enum kiln_op op) { return op == KILN_OP_SEXT || op == KILN_OP_ZEXT; }

// Whether the value is the same for a row of work-items, and made of ids, parameters and constants.
static bool is_of_row(const struct kiln_function *fn, kiln_value v) {
  uint32_t of_row = KILN_ON_PARAM | KILN_ON_RECORD | KILN_ON_GLOBAL_SIZE | KILN_ON_GLOBAL_ID << 1 |
                    KILN_ON_GLOBAL_ID << 2 | KILN_ON_VECTOR | KILN_ON_MASK;
  return !(kiln_depends_on(fn, v) & ~of_row);
}

// Whether the value is the id in dimension 0, or its distance from the offset.
static bool is_id(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *in = &fn->insts[v];
  const kiln_value *x = kiln_operands(fn, v);
  if (in->op != KILN_OP_ISUB)
    return in->op == KILN_OP_GLOBAL_ID && in->imm == 0;
  const struct kiln_inst *offset = &fn->insts[kiln_ll_converted(fn, x[1])];
  return is_id(fn, kiln_ll_converted(fn, x[0])) && offset->op == KILN_OP_GLOBAL_OFFSET && offset->imm == 0;
}

// Whether the value is the id plus what is the same for the row, up to multiples of 2 to the power of its bits.
static bool follows_id(const struct kiln_function *fn, kiln_value v) {
  while (!is_id(fn, kiln_ll_converted(fn, v))) {
    const struct kiln_inst *in = &fn->insts[v];
    const kiln_value *x = kiln_operands(fn, v);
    if (in->op == KILN_OP_IADD && (is_of_row(fn, x[0]) || is_of_row(fn, x[1])))
      v = x[is_of_row(fn, x[0])];
    else if (in->op == KILN_OP_TRUNC ||
             (in->op == KILN_OP_SEXT && fn->insts[x[0]].op == KILN_OP_IADD && fn->insts[x[0]].flags & KILN_INT_NSW))
      v = x[0];
    else
      return false;
  }
  return true;
}

// Whether the value is the size of the launch, in dimension 0 or in several: a product of sizes.
static bool is_size(const struct kiln_function *fn, kiln_value v) {
  bool has_first = false;
  v = kiln_ll_converted(fn, v);
  while (fn->insts[v].op == KILN_OP_IMUL) {
    const kiln_value x[2] = {kiln_ll_converted(fn, kiln_operands(fn, v)[0]),
                             kiln_ll_converted(fn, kiln_operands(fn, v)[1])};
    unsigned size = fn->insts[x[0]].op != KILN_OP_GLOBAL_SIZE;
    if (fn->insts[x[size]].op != KILN_OP_GLOBAL_SIZE)
      return false;
    has_first |= fn->insts[x[size]].imm == 0;
    v = x[!size];
  }
  return fn->insts[v].op == KILN_OP_GLOBAL_SIZE && (has_first || fn->insts[v].imm == 0);
}

// The value that next adds to phi, if it is the size of the launch; else 0.
static kiln_value step_of(const struct kiln_function *fn, kiln_value phi, kiln_value next) {
  if (fn->insts[next].op == KILN_OP_TRUNC)
    next = kiln_operands(fn, next)[0];
  const kiln_value *x = kiln_operands(fn, next);
  if (fn->insts[next].op != KILN_OP_IADD)
    return 0;
  for (unsigned i = 0; i < 2; i++) {
    kiln_value index = extends(kiln_op_of(&fn->insts[x[i]])) ? kiln_operands(fn, x[i])[0] : x[i];
    if (index == phi && is_size(fn, x[!i]))
      return x[!i];
  }
  return 0;
}

// Finds how long the loop goes on. Returns the jump that leaves it; 0: the loop is no grid-stride loop.
static kiln_value find_test(const struct kiln_function *fn, kiln_value loop, struct kiln_ll_grid_stride *out) {
  const struct kiln_node *node = kiln_node(fn, loop);
  kiln_value test = kiln_ll_first_effect(fn, fn->regions[node->region_first].first), phi = node->header.items[0];
  unsigned side = kiln_leaving_side(fn, test, loop, false);
  if (side == 2 || kiln_node(fn, test)->results.count || bits_of(fn, phi) < 32)
    return 0;
  const struct kiln_region *leaves = &fn->regions[kiln_node(fn, test)->region_first + side];
  if (leaves->first != leaves->last) // something is done once, at the end
    return 0;
  struct kiln_inequality stays;
  if (!kiln_inequality_of(fn, kiln_operands(fn, test)[0], side == 1, &stays))
    return 0;
  out->is_signed = stays.is_signed;
  out->reaches_bound = !stays.is_strict;
  out->bound = stays.high;
  return stays.low == phi && is_of_row(fn, out->bound) ? leaves->last : 0;
}

// Whether nothing leaves the loop but the jump, and each iteration is followed by the iteration whose index is larger
// by the size of the launch.
static bool is_grid_stride(const struct kiln_function *fn, kiln_value loop, kiln_value leaves,
                           struct kiln_ll_grid_stride *out) {
  kiln_value phi = kiln_node(fn, loop)->header.items[0];
  out->step = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (fn->insts[v].op == KILN_OP_RETURN && fn->insts[v].region && fn->insts[v].region != fn->body)
      return false;
  for (kiln_value jump = 0; (jump = kiln_ll_next_jump(fn, jump, KILN_OP_BREAK, loop));)
    if (jump != leaves)
      return false;
  for (kiln_value jump = 0; (jump = kiln_ll_next_jump(fn, jump, KILN_OP_CONTINUE, loop));) {
    kiln_value step = step_of(fn, phi, kiln_operands(fn, jump)[0]);
    if (!step || (out->step && step != out->step))
      return false;
    out->step = step;
  }
  return out->step;
}

// The loop that is all of the kernel but for operations without effect; 0: the kernel is more.
static kiln_value find_loop(const struct kiln_function *fn) {
  kiln_value v = fn->regions[fn->body].first;
  for (; v && fn->insts[v].op != KILN_OP_LOOP; v = fn->insts[v].next) {
    enum kiln_op_effect effect = kiln_effect_of(fn, v);
    if (fn->insts[v].op == KILN_OP_VAR || (effect != KILN_EFFECT_PURE && effect != KILN_EFFECT_ITEM))
      return 0;
  }
  const struct kiln_node *node = v ? kiln_node(fn, v) : NULL;
  bool is_all = node && fn->insts[fn->insts[v].next].op == KILN_OP_RETURN;
  return is_all && node->header.count == 1 && !node->results.count ? v : 0;
}

bool kiln_ll_arrange_grid_stride(struct kiln_ll *ll, struct kiln_function *fn, struct kiln_ll_grid_stride *out) {
  if (!kiln_ll_may(ll, KILN_LL_GRID_STRIDE) || !fn->is_flat || !fn->shapes || !fn->module->small_ids ||
      ll->machine->stops || !ll->job->options.optimize)
    return false;
  kiln_value loop = find_loop(fn), leaves = loop ? find_test(fn, loop, out) : 0;
  if (!leaves || !is_grid_stride(fn, loop, leaves, out) || !follows_id(fn, kiln_operands(fn, loop)[0]))
    return false;
  struct kiln_builder b = kiln_builder_before(fn, loop);
  kiln_value phi = kiln_node(fn, loop)->header.items[0];
  kiln_type type = kiln_value_type(fn, phi);
  kiln_value distance = kiln_build_item(&b, KILN_OP_GLOBAL_OFFSET, KILN_GRID_STRIDE_DIMENSION);
  if (bits_of(fn, phi) < 64)
    distance = kiln_build1(&b, KILN_OP_TRUNC, type, distance);
  out->index = kiln_build2(&b, KILN_OP_IADD, kiln_operands(fn, loop)[0], distance);
  if (!out->index)
    return false;
  fn->insts[loop].op = KILN_OP_BLOCK;
  fn->insts[loop].operand_count = 0;
  kiln_node(fn, loop)->header.count = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    struct kiln_inst *in = &fn->insts[v];
    if (in->region && in->op == KILN_OP_CONTINUE && in->imm == loop) {
      in->op = KILN_OP_BREAK;
      in->operand_count = 0;
    }
    for (uint32_t i = 0; in->region && i < in->operand_count; i++)
      if (fn->operands[in->operand_first + i] == phi)
        fn->operands[in->operand_first + i] = out->index;
  }
  out->block = loop;
  kiln_function_analyse(fn);
  return true;
}
