// Dot products of bytes (KILN_OP_DOT4). Machines have dot products for some signs of the operands only; those for other
// signs are computed from them:
//
//   An operand whose bytes are all below 128 (KILN_DOT_FIRST_SMALL, …) has either sign.
//   Otherwise the top bit of each byte of x is inverted: signed bytes become unsigned ones that are greater by 128, or
//   unsigned bytes signed ones that are less by 128. That adds 128 times the sum of the bytes of y to the result, or
//   subtracts it. In both cases the difference is the dot product of 0x80808080, with the new sign, and y, which is
//   subtracted again. It depends on y alone, so that products of several x with one y share it.
#include "backends/llvm/core/emit.h"

enum { ANY_SIGN = KILN_DOT_FIRST_SIGNED | KILN_DOT_SECOND_SIGNED };

static bool has_signs(const struct kiln_ll *ll, unsigned signs) { return ll->machine->dot_signs >> signs & 1; }

// Signs that the machine has and that differ from the given ones at most for the operands in flips; ANY_SIGN + 1: the
// machine has no such signs.
static unsigned nearest_signs(const struct kiln_ll *ll, unsigned signs, unsigned flips) {
  for (unsigned flip = 0; flip <= ANY_SIGN; flip++)
    if (!(flip & ~flips) && has_signs(ll, signs ^ flip))
      return signs ^ flip;
  return ANY_SIGN + 1;
}

// The byte of each lane that begins at this bit.
static LLVMValueRef byte_at(struct kiln_ll *ll, LLVMValueRef x, unsigned bit, bool is_signed) {
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef type = LLVMTypeOf(x);
  if (is_signed)
    return LLVMBuildAShr(b, LLVMBuildShl(b, x, kiln_ll_splat(type, 24 - bit), ""), kiln_ll_splat(type, 24), "");
  return LLVMBuildAnd(b, LLVMBuildLShr(b, x, kiln_ll_splat(type, bit), ""), kiln_ll_splat(type, 255), "");
}

static LLVMValueRef by_multiplications(struct kiln_ll *ll, unsigned signs, LLVMValueRef x, LLVMValueRef y,
                                       LLVMValueRef sum) {
  for (unsigned bit = 0; bit < 32; bit += 8) {
    LLVMValueRef a = byte_at(ll, x, bit, signs & KILN_DOT_FIRST_SIGNED);
    LLVMValueRef c = byte_at(ll, y, bit, signs & KILN_DOT_SECOND_SIGNED);
    sum = LLVMBuildAdd(ll->b, sum, LLVMBuildMul(ll->b, a, c, ""), "");
  }
  return sum;
}

static bool is_uniform(const struct kiln_ll_fn *f, kiln_value v) {
  return v < f->fn->shape_count && f->fn->shapes[v].kind == KILN_SHAPE_UNIFORM;
}

LLVMValueRef kiln_ll_dot4(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef x[2] = {kiln_ll_operand(f, inst, 0), kiln_ll_operand(f, inst, 1)}, sum = kiln_ll_operand(f, inst, 2);
  unsigned small = in->flags & ANY_SIGN, signs = nearest_signs(ll, (unsigned)in->imm, small);
  if (signs <= ANY_SIGN)
    return ll->hooks->dot4(f, signs, x[0], x[1], sum);
  // What is the same in all lanes is changed by an operation on a scalar.
  unsigned side = !is_uniform(f, kiln_operands(f->fn, inst)[0]) && is_uniform(f, kiln_operands(f->fn, inst)[1]);
  signs = nearest_signs(ll, (unsigned)in->imm ^ 1u << side, small);
  if (signs > ANY_SIGN)
    return by_multiplications(ll, (unsigned)in->imm, x[0], x[1], sum);
  LLVMTypeRef type = LLVMTypeOf(sum);
  LLVMValueRef top = kiln_ll_splat(type, 0x80808080), other = x[!side];
  x[side] = LLVMBuildXor(ll->b, x[side], top, "");
  LLVMValueRef result = ll->hooks->dot4(f, signs, x[0], x[1], sum);
  x[side] = top, x[!side] = other;
  return LLVMBuildSub(ll->b, result, ll->hooks->dot4(f, signs, x[0], x[1], LLVMConstNull(type)), "");
}
