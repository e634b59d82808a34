// Masks of the lanes that are on.
#include "backends/llvm/spmd/spmd.h"

LLVMTypeRef kiln_ll_mask_type(const struct kiln_ll_fn *f) { return LLVMVectorType(f->ll->i1, f->form->lanes); }

LLVMValueRef kiln_ll_mask(struct kiln_ll_fn *f) {
  return f->at.mask ? f->at.mask : LLVMConstAllOnes(kiln_ll_mask_type(f));
}

// A select, not an "and": the condition may be poison in lanes that are off.
LLVMValueRef kiln_ll_mask_and(struct kiln_ll_fn *f, LLVMValueRef mask, LLVMValueRef condition) {
  return mask ? LLVMBuildSelect(f->ll->b, mask, condition, LLVMConstNull(kiln_ll_mask_type(f)), "") : condition;
}

LLVMValueRef kiln_ll_mask_bits(struct kiln_ll_fn *f, LLVMValueRef mask) {
  unsigned lanes = f->form->lanes;
  if (!mask)
    return kiln_ll_i64(f->ll, UINT64_MAX >> (64 - lanes));
  LLVMValueRef bits = LLVMBuildBitCast(f->ll->b, mask, kiln_ll_int(f->ll, lanes), "");
  return lanes == 64 ? bits : LLVMBuildZExt(f->ll->b, bits, f->ll->i64, "");
}

LLVMValueRef kiln_ll_any(struct kiln_ll_fn *f, LLVMValueRef mask) {
  unsigned lanes = f->form->lanes;
  for (; f->cpu.split_masks && lanes > 16; lanes /= 2) {
    LLVMValueRef low = kiln_ll_slice(f->ll, mask, 0, lanes / 2);
    mask = LLVMBuildOr(f->ll->b, low, kiln_ll_slice(f->ll, mask, lanes / 2, lanes / 2), "");
  }
  LLVMTypeRef bits = kiln_ll_int(f->ll, lanes);
  return LLVMBuildICmp(f->ll->b, LLVMIntNE, LLVMBuildBitCast(f->ll->b, mask, bits, ""), LLVMConstNull(bits), "any");
}

LLVMValueRef kiln_ll_first_lane(struct kiln_ll_fn *f) {
  if (!f->at.mask)
    return kiln_ll_i32(f->ll, 0);
  LLVMValueRef args[2] = {kiln_ll_mask_bits(f, f->at.mask), kiln_ll_i1(f->ll, true)};
  LLVMValueRef zeros = kiln_ll_intrinsic(f->ll, "llvm.cttz", &f->ll->i64, 1, args, 2);
  return LLVMBuildTrunc(f->ll->b, zeros, f->ll->i32, "");
}

LLVMValueRef kiln_ll_last_lane(struct kiln_ll_fn *f) {
  if (!f->at.mask)
    return kiln_ll_i32(f->ll, f->form->lanes - 1);
  LLVMValueRef args[2] = {kiln_ll_mask_bits(f, f->at.mask), kiln_ll_i1(f->ll, true)};
  LLVMValueRef zeros = kiln_ll_intrinsic(f->ll, "llvm.ctlz", &f->ll->i64, 1, args, 2);
  return LLVMBuildTrunc(f->ll->b, LLVMBuildSub(f->ll->b, kiln_ll_i64(f->ll, 63), zeros, ""), f->ll->i32, "");
}
