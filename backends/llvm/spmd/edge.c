// Loads at an edge (plan/edge.c): the elements that lie within the bounds by one masked load, and that of the bound for
// the other lanes.
#include "backends/llvm/spmd/spmd.h"

// What the clamps make of a position.
static LLVMValueRef clamped_at(struct kiln_ll_fn *f, kiln_value v, kiln_value position, LLVMValueRef at) {
  if (v == position)
    return at;
  const kiln_value *x = kiln_operands(f->fn, v);
  bool second = f->fn->shapes[x[1]].kind == KILN_SHAPE_LINEAR;
  LLVMValueRef args[2] = {clamped_at(f, x[second], position, at), kiln_ll_held(f, x[!second])};
  const char *name = kiln_inst(f->fn, v)->op == KILN_OP_SMIN ? "llvm.smin" : "llvm.smax";
  return kiln_ll_intrinsic(f->ll, name, &f->ll->i32, 1, args, 2);
}

// The address for position there, from the address of position here.
static LLVMValueRef address_at(struct kiln_ll_fn *f, LLVMValueRef from, LLVMValueRef here, LLVMValueRef there,
                               int64_t factor) {
  LLVMValueRef a = kiln_ll_extended(f->ll, here, KILN_OP_SEXT), b = kiln_ll_extended(f->ll, there, KILN_OP_SEXT);
  return kiln_ll_pointer_add(f->ll, from, LLVMBuildSub(f->ll->b, b, a, ""), factor);
}

LLVMValueRef kiln_ll_load_at_edge(struct kiln_ll_fn *f, kiln_value load, const struct kiln_ll_edge *edge) {
  LLVMBuilderRef b = f->ll->b;
  kiln_type type = kiln_value_type(f->fn, load);
  LLVMTypeRef element = kiln_ll_type(f->ll, type);
  unsigned align = kiln_ll_known_align(kiln_inst(f->fn, load), type);
  LLVMValueRef base = kiln_ll_first_lane_value(f, kiln_operands(f->fn, load)[0]);
  LLVMValueRef position = kiln_ll_held(f, edge->position);
  LLVMValueRef clamped = clamped_at(f, edge->term.value, edge->position, position);
  int64_t step = kiln_ll_shape(f, edge->position).stride;
  LLVMValueRef stride = kiln_ll_i32(f->ll, (uint64_t)step);
  LLVMValueRef lanes[2] = {kiln_ll_first_lane(f), kiln_ll_last_lane(f)};
  LLVMValueRef ends[2] = {lanes[step < 0], lanes[step > 0]}; // of the lowest position, and of the highest
  for (unsigned i = 0; i < 2; i++) {
    LLVMValueRef at = LLVMBuildAdd(b, position, LLVMBuildMul(b, ends[i], stride, ""), "");
    at = clamped_at(f, edge->term.value, edge->position, at);
    ends[i] = LLVMBuildLoad2(b, element, address_at(f, base, clamped, at, edge->term.factor), "");
    LLVMSetAlignment(ends[i], align);
  }
  LLVMValueRef positions = kiln_ll_wide(f, edge->position), limited = kiln_ll_wide(f, edge->term.value);
  LLVMValueRef inside = kiln_ll_mask_and(f, f->at.mask, LLVMBuildICmp(b, LLVMIntEQ, positions, limited, ""));
  LLVMValueRef below = LLVMBuildICmp(b, LLVMIntSLT, positions, limited, "");
  LLVMValueRef from = address_at(f, base, clamped, position, edge->term.factor);
  LLVMValueRef some = kiln_ll_load_contiguous(f, element, 1, 1, from, align, inside, false);
  LLVMValueRef others = LLVMBuildSelect(b, below, kiln_ll_broadcast(f, ends[0]), kiln_ll_broadcast(f, ends[1]), "");
  return LLVMBuildSelect(b, inside, some, others, "");
}
