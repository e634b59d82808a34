// Sums of two products of bfloat16 values (vdpbf16ps).
//
// In a chain of FMAs, each of which adds a product to the result of the one before, every second FMA becomes the sum of
// its own product, the product of the FMA before, and what that FMA adds to. LLVM removes the FMAs in between, which
// are then unused. The instruction takes both factors of a side as the halves of 32 bits. It rounds in its own way, and
// takes subnormal numbers for zero, so that only FMAs count that may be contracted anywhere.
#include "backends/llvm/cpu/kernel.h"
#include "backends/llvm/spmd/spmd.h"

enum { MAX_CHAIN = 256 };

static bool is_second(const struct kiln_function *fn, kiln_value v) {
  unsigned count = 0;
  for (; count < MAX_CHAIN && kiln_is_bfloat_sum(fn, v); v = kiln_operands(fn, v)[2])
    count++;
  return count < MAX_CHAIN && count && count % 2 == 0;
}

// Beyond a barrier only what the IR says to live has a value, which a factor's bits may not.
static bool may_have_pairs(const struct kiln_ll_fn *f) { return f->ll->machine->cpu.bfloat_pairs && !f->group; }

bool kiln_ll_has_pairs(const struct kiln_ll_fn *f) {
  bool found = false;
  for (kiln_value v = 1; v < f->fn->inst_count && may_have_pairs(f) && !found; v++)
    found = kiln_inst(f->fn, v)->region && is_second(f->fn, v);
  return found;
}

// 32 bits with these halves.
static LLVMValueRef joined(struct kiln_ll *ll, LLVMValueRef low, bool low_upper, LLVMValueRef high, bool high_upper) {
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef type = LLVMTypeOf(low);
  LLVMValueRef sixteen = kiln_ll_splat(type, 16);
  low = low_upper ? LLVMBuildLShr(b, low, sixteen, "") : LLVMBuildAnd(b, low, kiln_ll_splat(type, 0xffff), "");
  high = high_upper ? LLVMBuildAnd(b, high, kiln_ll_splat(type, 0xffff0000), "") : LLVMBuildShl(b, high, sixteen, "");
  return LLVMBuildOr(b, high, low, "");
}

// In each lane: a factor of the FMA second, and the same factor of the FMA first, before it. Factors that are the same
// in all lanes are joined as scalars.
static LLVMValueRef factors(struct kiln_ll_fn *f, kiln_value first, kiln_value second, unsigned side) {
  struct kiln_bfloat low = {0}, high = {0};
  kiln_bfloat_of(f->fn, kiln_operands(f->fn, first)[side], &low);
  kiln_bfloat_of(f->fn, kiln_operands(f->fn, second)[side], &high);
  if (kiln_ll_shape(f, low.word).kind != KILN_SHAPE_UNIFORM || kiln_ll_shape(f, high.word).kind != KILN_SHAPE_UNIFORM)
    return joined(f->ll, kiln_ll_wide(f, low.word), low.upper, kiln_ll_wide(f, high.word), high.upper);
  LLVMValueRef x = kiln_ll_held(f, low.word), y = kiln_ll_held(f, high.word);
  return kiln_ll_broadcast(f, joined(f->ll, x, low.upper, y, high.upper));
}

static LLVMValueRef of_register(struct kiln_ll *ll, unsigned detail, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum) {
  (void)detail;
  unsigned lanes = kiln_ll_lanes(sum);
  LLVMTypeRef pairs = LLVMVectorType(LLVMBFloatTypeInContext(ll->context), 2 * lanes);
  const char *name = lanes == 4   ? "llvm.x86.avx512bf16.dpbf16ps.128"
                     : lanes == 8 ? "llvm.x86.avx512bf16.dpbf16ps.256"
                                  : "llvm.x86.avx512bf16.dpbf16ps.512";
  LLVMValueRef args[] = {sum, LLVMBuildBitCast(ll->b, x, pairs, ""), LLVMBuildBitCast(ll->b, y, pairs, "")};
  return kiln_ll_intrinsic(ll, name, NULL, 0, args, 3);
}

bool kiln_ll_cpu_own(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result) {
  // Where masks are split, the function is compiled without AVX512BW, and so without the instruction.
  if (!may_have_pairs(f) || !f->form || f->cpu.split_masks || !f->at.is_wide || f->form->lanes < 4 ||
      !is_second(f->fn, inst))
    return false;
  kiln_value first = kiln_operands(f->fn, inst)[2];
  const LLVMValueRef args[] = {factors(f, first, inst, 0), factors(f, first, inst, 1),
                               kiln_ll_wide(f, kiln_operands(f->fn, first)[2])};
  *result = kiln_ll_in_parts(f->ll, of_register, 0, 16, args);
  return true;
}
