// Instructions that run lane by lane, since they have no vector form.
#include "backends/llvm/spmd/spmd.h"

// Stores a value in memory, one element per lane, component by component.
static LLVMValueRef spill(struct kiln_ll_fn *f, kiln_value v) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef wide = kiln_ll_to_memory(ll, kiln_value_type(f->fn, v), kiln_ll_wide(f, v));
  LLVMValueRef slot = kiln_ll_alloca(f, LLVMTypeOf(wide), 0, "lanes");
  LLVMBuildStore(ll->b, wide, slot);
  return slot;
}

static LLVMValueRef lane_address(struct kiln_ll_fn *f, LLVMValueRef slot, LLVMTypeRef element, LLVMValueRef lane,
                                 unsigned c) {
  LLVMValueRef index = LLVMBuildAdd(f->ll->b, lane, kiln_ll_i32(f->ll, (uint64_t)c * f->form->lanes), "");
  return LLVMBuildGEP2(f->ll->b, element, slot, &index, 1, "");
}

static LLVMValueRef lane_load(struct kiln_ll_fn *f, LLVMValueRef slot, kiln_type type, LLVMValueRef lane) {
  struct kiln_ll *ll = f->ll;
  LLVMTypeRef element = kiln_ll_memory_type(ll, kiln_type_element(type));
  unsigned n = kiln_type_lanes(type);
  LLVMValueRef result = n > 1 ? LLVMGetPoison(kiln_ll_vector(element, n)) : NULL;
  for (unsigned c = 0; c < n; c++) {
    LLVMValueRef value = LLVMBuildLoad2(ll->b, element, lane_address(f, slot, element, lane, c), "");
    result = n > 1 ? LLVMBuildInsertElement(ll->b, result, value, kiln_ll_i32(ll, c), "") : value;
  }
  return kiln_ll_from_memory(ll, type, result);
}

static void lane_store(struct kiln_ll_fn *f, LLVMValueRef slot, kiln_type type, LLVMValueRef lane, LLVMValueRef value) {
  struct kiln_ll *ll = f->ll;
  LLVMTypeRef element = kiln_ll_memory_type(ll, kiln_type_element(type));
  unsigned n = kiln_type_lanes(type);
  value = kiln_ll_to_memory(ll, type, value);
  for (unsigned c = 0; c < n; c++) {
    LLVMValueRef part = n > 1 ? LLVMBuildExtractElement(ll->b, value, kiln_ll_i32(ll, c), "") : value;
    LLVMBuildStore(ll->b, part, lane_address(f, slot, element, lane, c));
  }
}

LLVMValueRef kiln_ll_by_lane(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_ll_form *s = f->form;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef at_once = kiln_ll_spmd_atomic(f, inst);
  if (at_once)
    return at_once;
  bool is_void = kiln_type_kind(in->type) == KILN_VOID;
  const kiln_value *operands = kiln_operands(f->fn, inst);
  LLVMValueRef *slots = KILN_NEW_ARRAY(&ll->arena, LLVMValueRef, in->operand_count + 1), result = NULL;
  LLVMValueRef *given = KILN_NEW_ARRAY(&ll->arena, LLVMValueRef, in->operand_count + 1);
  for (uint32_t i = 0; i < in->operand_count; i++)
    slots[i] = s->shapes[operands[i]].kind == KILN_SHAPE_UNIFORM ? NULL : spill(f, operands[i]);
  LLVMTypeRef result_type = NULL;
  if (!is_void) {
    result_type =
        kiln_ll_vector(kiln_ll_memory_type(ll, kiln_type_element(in->type)), kiln_type_lanes(in->type) * s->lanes);
    result = kiln_ll_alloca(f, result_type, 0, "lanes");
  }
  for (uint32_t i = 0; i < in->operand_count; i++)
    given[i] = kiln_ll_held(f, operands[i]); // before the loop: in kernels with barriers the preamble may compute them
  LLVMValueRef first = kiln_ll_mask_bits(f, f->at.mask), one = kiln_ll_i64(ll, 1);
  LLVMValueRef bits = kiln_ll_begin_loop(f, "lane", first, "");
  LLVMBasicBlockRef body = LLVMGetInsertBlock(ll->b), done = kiln_ll_block(f, "lane.end");
  LLVMValueRef count_args[2] = {bits, kiln_ll_i1(ll, true)};
  LLVMValueRef wide_lane = kiln_ll_intrinsic(ll, "llvm.cttz", &ll->i64, 1, count_args, 2);
  LLVMValueRef lane = LLVMBuildTrunc(ll->b, wide_lane, ll->i32, "");

  // Runs the one-lane emitter with the lane's operands and id.
  struct kiln_ll_fn item = *f;
  for (unsigned d = 0; d < 3 && f->cpu.packed; d++)
    item.cpu.local_id[d] = LLVMBuildExtractElement(ll->b, f->cpu.lane_id[d], lane, "");
  if (!f->cpu.packed)
    item.cpu.local_id[0] = LLVMBuildAdd(ll->b, f->cpu.local_id[0], wide_lane, "");
  for (uint32_t i = 0; i < in->operand_count; i++)
    if (slots[i])
      given[i] = lane_load(f, slots[i], kiln_value_type(f->fn, operands[i]), lane);
  LLVMValueRef value = kiln_ll_compute_from(&item, inst, given);
  if (!is_void)
    lane_store(f, result, in->type, lane, value);

  LLVMValueRef next = LLVMBuildAnd(ll->b, bits, LLVMBuildSub(ll->b, bits, one, ""), "");
  kiln_ll_add_incoming(bits, next, LLVMGetInsertBlock(ll->b));
  LLVMBuildCondBr(ll->b, LLVMBuildICmp(ll->b, LLVMIntNE, next, LLVMConstNull(ll->i64), ""), body, done);
  LLVMPositionBuilderAtEnd(ll->b, done);
  if (is_void)
    return NULL;
  LLVMValueRef all = LLVMBuildLoad2(ll->b, result_type, result, "");
  return kiln_ll_hold(f, inst, kiln_ll_from_memory(ll, in->type, all));
}
