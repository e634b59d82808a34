// Contiguous accesses in another order of the lanes (plan/permute.c): one vector access and one permutation.
#include "backends/llvm/spmd/spmd.h"

// The low bits of flip permute the lanes, and the higher bits select the vector, which begins so many elements before
// the element of lane 0.
static void begin_flipped(struct kiln_ll_fn *f, kiln_value access, unsigned bytes, struct kiln_ll_permuted *out) {
  struct kiln_ll *ll = f->ll;
  struct kiln_ll_flipped flipped = f->form->plan[access]->flipped;
  LLVMValueRef first = kiln_ll_held(f, flipped.x), bits = kiln_ll_held(f, flipped.flip);
  LLVMTypeRef type = LLVMTypeOf(first);
  LLVMValueRef low = LLVMConstInt(type, f->form->lanes - 1, false);
  out->flip = LLVMBuildTrunc(ll->b, LLVMBuildAnd(ll->b, bits, low, ""), ll->i32, "");
  out->address = kiln_ll_pointer_add(ll, kiln_ll_first_lane_value(f, kiln_operands(f->fn, access)[0]),
                                     LLVMBuildZExt(ll->b, out->flip, ll->i64, ""), -(int64_t)bytes);
  out->guard = LLVMBuildICmp(ll->b, LLVMIntEQ, LLVMBuildAnd(ll->b, first, low, ""), LLVMConstNull(type), "aligned");
}

void kiln_ll_begin_permuted(struct kiln_ll_fn *f, kiln_value access, struct kiln_ll_permuted *out) {
  kiln_value pointer = kiln_operands(f->fn, access)[0];
  unsigned bytes = kiln_ll_element_bytes(kiln_access_type(f->fn, access));
  if (f->form->plan[access]->flipped.x) {
    begin_flipped(f, access, bytes, out);
    return;
  }
  out->address = kiln_ll_address_at(f->ll, kiln_ll_held(f, pointer), -(int64_t)bytes * (f->form->lanes - 1));
  out->flip = kiln_ll_i32(f->ll, f->form->lanes - 1);
  out->guard = f->form->conditional[pointer] ? f->form->made->guards[pointer] : NULL;
}

// Permutes words by one instruction of AVX-512.
static LLVMValueRef permute_words(struct kiln_ll_fn *f, LLVMValueRef value, LLVMValueRef flip) {
  struct kiln_ll *ll = f->ll;
  LLVMTypeRef type = LLVMTypeOf(value), words = LLVMVectorType(ll->i32, 16);
  LLVMValueRef order = LLVMBuildXor(ll->b, kiln_ll_broadcast(f, flip), kiln_ll_iota(f, ll->i32, 1), "");
  LLVMValueRef args[2] = {LLVMBuildBitCast(ll->b, value, words, ""), order};
  value = kiln_ll_intrinsic(ll, "llvm.x86.avx512.permvar.si.512", NULL, 0, args, 2);
  return LLVMBuildBitCast(ll->b, value, type, "");
}

LLVMValueRef kiln_ll_permute(struct kiln_ll_fn *f, const struct kiln_ll_permuted *order, LLVMValueRef value) {
  struct kiln_ll *ll = f->ll;
  unsigned lanes = f->form->lanes;
  LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(value));
  if (LLVMIsAConstantInt(order->flip))
    return kiln_ll_flip_lanes(ll, value, (unsigned)LLVMConstIntGetZExtValue(order->flip));
  bool is_word = element == ll->i32 || element == ll->f32;
  if (ll->machine->cpu.has_avx512 && lanes == 16 && is_word)
    return permute_words(f, value, order->flip);
  for (unsigned bit = 1; bit < lanes; bit *= 2) {
    LLVMValueRef is_set = LLVMBuildAnd(ll->b, order->flip, kiln_ll_i32(ll, bit), "");
    is_set = LLVMBuildICmp(ll->b, LLVMIntNE, is_set, LLVMConstNull(ll->i32), "");
    value = LLVMBuildSelect(ll->b, is_set, kiln_ll_flip_lanes(ll, value, bit), value, "");
  }
  return value;
}
