// Operations between the work-items of a sub-group, at many lanes: the sub-group is the warp, its work-items are the
// lanes that are on. docs/ir.md, "Groups", says what each gives. Where a kernel reduces sub-groups and asks for their
// numbers alone, warps of several registers hold several of them (splits_sub_groups).
//
// Kernels aimed at its conditions (tests/gen/aimed.def): split_sub_groups.
#include "backends/llvm/spmd/spmd.h"
#include "kiln/op_cases.h"

// ---- combining two values

static LLVMValueRef combine(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef x, LLVMValueRef y) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  return kiln_ll_plain(f->ll, kiln_reduce_op((enum kiln_reduce)in->flags), x, y);
}

// The identity of the operation in every lane of type.
static LLVMValueRef neutral_in(LLVMTypeRef type, const struct kiln_inst *in, bool start) {
  uint64_t value = kiln_ll_neutral((enum kiln_reduce)in->flags, kiln_type_kind(in->type), start);
  LLVMTypeRef element = LLVMGetElementType(type);
  if (!kiln_ll_is_float(element))
    return kiln_ll_splat(type, value);
  unsigned lanes = LLVMGetVectorSize(type), width = kiln_kind_bits(kiln_type_kind(in->type));
  LLVMTypeRef bits = LLVMVectorType(LLVMIntTypeInContext(LLVMGetTypeContext(type), width), lanes);
  return LLVMConstBitCast(kiln_ll_splat(bits, value), type);
}

// The operand, with the identity in lanes that are off.
static LLVMValueRef operand_of_all(struct kiln_ll_fn *f, kiln_value inst) {
  LLVMValueRef x = kiln_ll_wide(f, kiln_operands(f->fn, inst)[0]), mask = f->at.mask;
  return mask ? LLVMBuildSelect(f->ll->b, mask, x, neutral_in(LLVMTypeOf(x), kiln_inst(f->fn, inst), false), "") : x;
}

// ---- reductions and scans

static LLVMValueRef reduce(struct kiln_ll_fn *f, kiln_value inst) {
  unsigned cluster = kiln_collective_cluster(kiln_inst(f->fn, inst)->imm), lanes = f->form->lanes;
  if (f->fn->splits_sub_groups && !cluster)
    cluster = f->ll->job->target.warp_size;
  LLVMValueRef x = operand_of_all(f, inst);
  for (unsigned distance = 1; distance < lanes && (!cluster || distance < cluster); distance *= 2)
    x = combine(f, inst, x, kiln_ll_flip_lanes(f->ll, x, distance));
  if (kiln_ll_shape(f, inst).kind == KILN_SHAPE_VARYING)
    return x;
  return LLVMBuildExtractElement(f->ll->b, x, kiln_ll_i32(f->ll, 0), "");
}

static LLVMValueRef scan(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef x = operand_of_all(f, inst), nothing = neutral_in(LLVMTypeOf(x), in, false);
  if (in->op == KILN_OP_GROUP_SCAN_EXCLUSIVE)
    x = kiln_ll_shift_lanes(f->ll, x, neutral_in(LLVMTypeOf(x), in, true), 1);
  for (unsigned distance = 1; distance < f->form->lanes; distance *= 2)
    x = combine(f, inst, kiln_ll_shift_lanes(f->ll, x, nothing, distance), x);
  return x;
}

// ---- votes

static LLVMValueRef vote(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  unsigned op = kiln_inst(f->fn, inst)->op;
  LLVMValueRef x = kiln_ll_wide(f, kiln_operands(f->fn, inst)[0]);
  LLVMValueRef mask = f->at.mask, none = LLVMConstNull(LLVMTypeOf(x));
  if (op == KILN_OP_GROUP_ALL || op == KILN_OP_AGREE)
    x = LLVMBuildNot(ll->b, x, "");
  if (mask) // lanes that are off may hold poison
    x = LLVMBuildSelect(ll->b, mask, x, none, "");
  LLVMValueRef bits = kiln_ll_mask_bits(f, x);
  if (op == KILN_OP_SUB_GROUP_BALLOT)
    return bits;
  return LLVMBuildICmp(ll->b, op == KILN_OP_GROUP_ANY ? LLVMIntNE : LLVMIntEQ, bits, LLVMConstNull(ll->i64), "");
}

// ---- values of other lanes

// A lane number that is uniform, or the same in all lanes that are on.
static LLVMValueRef lane_number(struct kiln_ll_fn *f, kiln_value v) {
  LLVMValueRef x = kiln_ll_shape(f, v).kind == KILN_SHAPE_UNIFORM
                       ? kiln_ll_held(f, v)
                       : LLVMBuildExtractElement(f->ll->b, kiln_ll_wide(f, v), kiln_ll_first_lane(f), "");
  return LLVMBuildAnd(f->ll->b, x, kiln_ll_i32(f->ll, f->form->lanes - 1), "");
}

// Lanes that are off may hold poison.
static LLVMValueRef broadcast(struct kiln_ll_fn *f, kiln_value inst) {
  kiln_value v = kiln_operands(f->fn, inst)[0];
  if (kiln_ll_shape(f, v).kind == KILN_SHAPE_UNIFORM)
    return kiln_ll_held(f, v);
  LLVMValueRef lane = lane_number(f, kiln_operands(f->fn, inst)[1]);
  return LLVMBuildFreeze(f->ll->b, LLVMBuildExtractElement(f->ll->b, kiln_ll_wide(f, v), lane, ""), "");
}

// Shuffles through memory, since the order is not constant.
static LLVMValueRef shuffle_by(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef x, LLVMValueRef lanes) {
  struct kiln_ll *ll = f->ll;
  unsigned bytes = kiln_type_bytes(type);
  LLVMValueRef slot = kiln_ll_alloca(f, LLVMTypeOf(x), 0, "lanes");
  LLVMBuildStore(ll->b, x, slot);
  lanes = LLVMBuildZExt(ll->b, lanes, kiln_ll_like(lanes, ll->i64), "");
  LLVMValueRef pointers = kiln_ll_pointer_add(ll, slot, lanes, bytes);
  return kiln_ll_gather(f, type, pointers, bytes);
}

static LLVMValueRef shuffle(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const kiln_value *operands = kiln_operands(f->fn, inst);
  int list[KILN_LL_MAX_LANES];
  unsigned count = f->form->lanes;
  if (kiln_ll_shape(f, inst).kind == KILN_SHAPE_UNIFORM) // the same in all lanes anyway
    return kiln_ll_held(f, operands[0]);
  LLVMValueRef x = kiln_ll_wide(f, operands[0]), lanes = kiln_ll_wide(f, operands[1]);
  x = LLVMBuildFreeze(ll->b, x, "");
  lanes = LLVMBuildAnd(ll->b, lanes, kiln_ll_splat(LLVMTypeOf(lanes), count - 1), "");
  if (!LLVMIsConstant(lanes))
    return shuffle_by(f, kiln_value_type(f->fn, inst), x, lanes);
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef lane = LLVMGetAggregateElement(lanes, i);
    list[i] = lane && LLVMIsAConstantInt(lane) ? (int)LLVMConstIntGetZExtValue(lane) : 0;
  }
  return kiln_ll_shuffle(f->ll, x, NULL, list, f->form->lanes);
}

LLVMValueRef kiln_ll_group_op(struct kiln_ll_fn *f, kiln_value inst) {
  if (kiln_inst(f->fn, inst)->op == KILN_OP_AGREE)
    return vote(f, inst);
  switch (kiln_op_of(kiln_inst(f->fn, inst))) {
  case KILN_OP_GROUP_ALL:
  case KILN_OP_GROUP_ANY:
  case KILN_OP_SUB_GROUP_BALLOT:
    return vote(f, inst);
  case KILN_OP_GROUP_BROADCAST:
    return broadcast(f, inst);
  case KILN_OP_SUB_GROUP_SHUFFLE:
    return shuffle(f, inst);
  case KILN_OP_GROUP_REDUCE:
    return reduce(f, inst);
  case KILN_OP_GROUP_SCAN_INCLUSIVE:
  case KILN_OP_GROUP_SCAN_EXCLUSIVE:
    return scan(f, inst);
  case KILN_OP_BARRIER:
  case KILN_OP_SUB_GROUP_BARRIER: // lanes run in step
    KILN_CASES_BUT_GROUP break;
  }
  return NULL;
}
