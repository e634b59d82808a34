// Shuffles of vectors.
#include "backends/llvm/spmd/spmd.h"

#define MAX_ELEMENTS (16 * KILN_LL_MAX_LANES)

LLVMValueRef kiln_ll_shuffle(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef y, const int *list, unsigned count) {
  LLVMValueRef numbers[MAX_ELEMENTS];
  for (unsigned i = 0; i < count; i++)
    numbers[i] = list[i] < 0 ? LLVMGetPoison(ll->i32) : kiln_ll_i32(ll, (unsigned)list[i]);
  return LLVMBuildShuffleVector(ll->b, x, y ? y : LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(numbers, count), "");
}

LLVMValueRef kiln_ll_flip_lanes(struct kiln_ll *ll, LLVMValueRef x, unsigned flip) {
  int list[KILN_LL_MAX_LANES];
  unsigned lanes = kiln_ll_lanes(x);
  for (unsigned i = 0; i < lanes; i++)
    list[i] = (int)(i ^ flip);
  return kiln_ll_shuffle(ll, x, NULL, list, lanes);
}

LLVMValueRef kiln_ll_shift_lanes(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef first, unsigned distance) {
  int list[KILN_LL_MAX_LANES];
  unsigned lanes = kiln_ll_lanes(x);
  for (unsigned i = 0; i < lanes; i++)
    list[i] = (int)(i >= distance ? i - distance : lanes);
  return kiln_ll_shuffle(ll, x, first, list, lanes);
}

LLVMValueRef kiln_ll_slice(struct kiln_ll *ll, LLVMValueRef x, unsigned from, unsigned count) {
  int list[MAX_ELEMENTS];
  unsigned size = LLVMGetVectorSize(LLVMTypeOf(x));
  if (count == 1)
    return LLVMBuildExtractElement(ll->b, x, kiln_ll_i32(ll, from), "");
  for (unsigned i = 0; i < count; i++)
    list[i] = from + i < size ? (int)(from + i) : -1;
  return kiln_ll_shuffle(ll, x, NULL, list, count);
}

LLVMValueRef kiln_ll_concatenate(struct kiln_ll *ll, LLVMValueRef *parts, unsigned count) {
  int list[MAX_ELEMENTS];
  for (unsigned size = 2 * LLVMGetVectorSize(LLVMTypeOf(parts[0])); count > 1; count /= 2, size *= 2) {
    for (unsigned i = 0; i < size; i++)
      list[i] = (int)i;
    for (unsigned i = 0; i < count; i += 2)
      parts[i / 2] = kiln_ll_shuffle(ll, parts[i], parts[i + 1], list, size);
  }
  return parts[0];
}
