// Interchange of dimensions 0 and 1. If most accesses of neighbouring work-items in dimension 0 are far apart, and in
// dimension 1 adjacent, the dimensions are interchanged: the kernel's dimension 0 becomes dimension 1 and the other way
// round, the driver exchanges the sizes, and lanes become contiguous in memory. Flat kernels are compiled so. The
// groups of other kernels are chosen by the caller of the launch, so that the driver asks for an interchanged variant
// when it knows their size. If only some accesses of a flat kernel are like that, the driver runs tiles rather than
// long rows, so that the next row finds the lines of the previous one in the cache. Only speed depends on the answers.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): columns.
#include "backends/llvm/arrange/arrange.h"
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/form.h"
#include "backends/llvm/plan/width.h"

static bool is_near(struct kiln_ll_stride stride) {
  return stride.known && stride.step >= -KILN_COST_LINE && stride.step <= KILN_COST_LINE;
}

// How far an address moves along dimension 0 (kiln_ll_likely_strides: along dimension 1).
static struct kiln_ll_stride along_0(const struct kiln_function *fn, kiln_value pointer) {
  struct kiln_shape shape = fn->shapes[pointer];
  return (struct kiln_ll_stride){shape.kind != KILN_SHAPE_VARYING, shape.kind == KILN_SHAPE_LINEAR ? shape.stride : 0};
}

static bool is_access(const struct kiln_inst *in) { return in->region && kiln_op_is_access(in->op); }

bool kiln_ll_gains_by_tiles(struct kiln_ll *ll, const struct kiln_function *fn) {
  const struct kiln_ll_stride *along_1 = fn->shapes ? kiln_ll_likely_strides(ll, fn, NULL) : NULL;
  for (kiln_value v = 1; fn->shapes && v < fn->inst_count; v++) {
    if (!is_access(kiln_inst(fn, v)))
      continue;
    kiln_value pointer = kiln_operands(fn, v)[0];
    if (!is_near(along_0(fn, pointer)) && is_near(along_1[pointer]) && along_1[pointer].step)
      return true;
  }
  return false;
}

// ---- interchange

static uint64_t cost(struct kiln_ll_stride stride, uint32_t bytes) {
  if (!is_near(stride))
    return KILN_COST_STRIDED;
  return stride.step <= (int64_t)bytes && stride.step >= -(int64_t)bytes ? 1 : 2;
}

// What the accesses of a kernel cost if lanes lie along dimension 0, and 1. moves: whether some address moves by less
// than a line along the dimension.
static void add_costs(struct kiln_ll *ll, const struct kiln_function *fn, uint64_t costs[2], bool moves[2]) {
  const struct kiln_ll_stride *along_1 = kiln_ll_likely_strides(ll, fn, NULL);
  costs[0] = costs[1] = 0;
  moves[0] = moves[1] = false;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = kiln_inst(fn, v);
    if (!is_access(in) || kiln_ll_is_fallback(fn, v))
      continue;
    kiln_value pointer = kiln_operands(fn, v)[0];
    kiln_type type = kiln_access_type(fn, v);
    uint64_t iterations =
        kiln_ll_iterations(fn, v) * kiln_type_lanes(type); // a vector is a load of several unrolled iterations
    struct kiln_ll_stride strides[2] = {along_0(fn, pointer), along_1[pointer]};
    for (unsigned d = 0; d < 2; d++) {
      moves[d] |= strides[d].step && is_near(strides[d]);
      costs[d] += iterations * cost(strides[d], kiln_type_bytes(type));
    }
  }
}

// Whether the accesses of the kernel are far cheaper if lanes lie along dimension 1.
static bool is_faster(struct kiln_ll *ll, const struct kiln_function *fn) {
  uint64_t costs[2];
  bool moves[2];
  add_costs(ll, fn, costs, moves);
  return moves[1] && costs[0] >= KILN_COST_INTERCHANGE_GAIN * costs[1];
}

static bool has_dimension(enum kiln_op op) {
  return op == KILN_OP_GLOBAL_ID || op == KILN_OP_LOCAL_ID || op == KILN_OP_GROUP_ID || op == KILN_OP_GLOBAL_SIZE ||
         op == KILN_OP_LOCAL_SIZE || op == KILN_OP_FULL_LOCAL_SIZE || op == KILN_OP_NUM_GROUPS ||
         op == KILN_OP_GLOBAL_OFFSET;
}

static void turn(uint32_t size[3]) {
  uint32_t first = size[0];
  size[0] = size[1];
  size[1] = first;
}

static void exchange(struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    struct kiln_inst *in = &fn->insts[v];
    if (has_dimension(kiln_op_of(in)) && in->imm < 2)
      in->imm ^= 1;
  }
  turn(fn->required_group_size);
  turn(fn->group_size_hint);
  fn->alignment = KILN_ALIGNED_NONE; // the driver asks about dimension 0
  kiln_function_analyse(fn);
}

bool kiln_ll_may_interchange_groups(const struct kiln_function *fn) {
  return !fn->is_flat && !fn->has_sub_groups && fn->shapes && !kiln_ll_uses(fn, KILN_OP_CALL);
}

// Whether lanes may lie along dimension 1 where that is faster.
static bool may_interchange(const struct kiln_ll *ll) {
  return kiln_ll_asks(ll, KILN_CPU_SHAPE_AUTO) || kiln_ll_asks(ll, KILN_CPU_SHAPE_FLATTENED);
}

bool kiln_ll_gains_by_columns(struct kiln_ll *ll, const struct kiln_function *fn) {
  return may_interchange(ll) && !fn->has_barrier && kiln_ll_may_interchange_groups(fn) && is_faster(ll, fn);
}

bool kiln_ll_arrange_columns(struct kiln_ll *ll, struct kiln_function *fn) {
  if (kiln_ll_asks(ll, KILN_CPU_SHAPE_COLUMNS) && kiln_ll_may_interchange_groups(fn)) {
    exchange(fn);
    return true;
  }
  if (!fn->is_flat || !fn->shapes || kiln_ll_uses(fn, KILN_OP_CALL)) // its callees may use ids
    return false;
  if (!kiln_ll_asks(ll, KILN_CPU_SHAPE_COLUMNS) && (!may_interchange(ll) || !is_faster(ll, fn)))
    return false;
  exchange(fn);
  return true;
}

bool kiln_ll_gains_by_merging(struct kiln_ll *ll, const struct kiln_function *fn) {
  uint64_t costs[2];
  bool moves[2];
  if (!fn->may_merge || !fn->shapes || !kiln_ll_asks(ll, KILN_CPU_SHAPE_AUTO) || !ll->machine->cpu.interleave)
    return false;
  struct kiln_function *merged = kiln_ll_copy(ll, fn);
  kiln_function_analyse_merged(merged);
  add_costs(ll, merged, costs, moves);
  return moves[0] && costs[0] < costs[1];
}
