// Vectors of the lanes and their components. Nothing here knows the kernel's values.
#include "backends/llvm/spmd/spmd.h"

#include <string.h>

LLVMValueRef kiln_ll_iota(struct kiln_ll_fn *f, LLVMTypeRef element, uint64_t step) {
  LLVMValueRef parts[KILN_LL_MAX_LANES];
  for (unsigned i = 0; i < f->form->lanes; i++)
    parts[i] = LLVMConstInt(element, i * step, false);
  return LLVMConstVector(parts, f->form->lanes);
}

LLVMValueRef kiln_ll_broadcast(struct kiln_ll_fn *f, LLVMValueRef value) {
  int list[16 * KILN_LL_MAX_LANES];
  unsigned n = kiln_ll_lanes(value), lanes = f->form->lanes;
  if (n == 1)
    value = LLVMBuildInsertElement(f->ll->b, LLVMGetPoison(LLVMVectorType(LLVMTypeOf(value), lanes)), value,
                                   kiln_ll_i32(f->ll, 0), "");
  for (unsigned i = 0; i < n * lanes; i++)
    list[i] = (int)(f->at.in_memory_order ? i % n : i / lanes);
  return kiln_ll_shuffle(f->ll, value, NULL, list, n * lanes);
}

LLVMValueRef kiln_ll_component(struct kiln_ll_fn *f, LLVMValueRef value, unsigned c) {
  unsigned lanes = f->form->lanes;
  return kiln_ll_lanes(value) == lanes ? value : kiln_ll_slice(f->ll, value, c * lanes, lanes);
}

// A power of two of parts is joined by pairs: LLVM hands a vector of 48 elements from block to block element by
// element.
LLVMValueRef kiln_ll_join_components(struct kiln_ll_fn *f, LLVMValueRef *parts, unsigned count) {
  int list[16 * KILN_LL_MAX_LANES];
  unsigned lanes = f->form->lanes;
  LLVMValueRef result = parts[0], pairs[16];
  if ((count & (count - 1)) == 0) {
    memcpy(pairs, parts, count * sizeof *parts);
    return kiln_ll_concatenate(f->ll, pairs, count);
  }
  for (unsigned i = 1, have = lanes; i < count; i++, have += lanes) { // both operands of a shuffle are equally long
    for (unsigned k = 0; k < have; k++)
      list[k] = k < lanes ? (int)k : 0;
    LLVMValueRef next = have == lanes ? parts[i] : kiln_ll_shuffle(f->ll, parts[i], NULL, list, have);
    for (unsigned k = 0; k < have + lanes; k++)
      list[k] = (int)k;
    result = kiln_ll_shuffle(f->ll, result, next, list, have + lanes);
  }
  return result;
}

LLVMValueRef kiln_ll_of_lane(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef wide, LLVMValueRef lane) {
  unsigned n = kiln_type_lanes(type);
  if (n == 1)
    return LLVMBuildExtractElement(f->ll->b, wide, lane, "");
  LLVMValueRef result = LLVMGetPoison(kiln_ll_type(f->ll, type));
  for (unsigned c = 0; c < n; c++)
    result = LLVMBuildInsertElement(f->ll->b, result,
                                    LLVMBuildExtractElement(f->ll->b, kiln_ll_component(f, wide, c), lane, ""),
                                    kiln_ll_i32(f->ll, c), "");
  return result;
}

LLVMValueRef kiln_ll_repeat(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n) {
  int list[16 * KILN_LL_MAX_LANES];
  unsigned lanes = f->form->lanes;
  for (unsigned i = 0; i < n * lanes; i++)
    list[i] = (int)(f->at.in_memory_order ? i / n : i % lanes);
  return n == 1 ? value : kiln_ll_shuffle(f->ll, value, NULL, list, n * lanes);
}
