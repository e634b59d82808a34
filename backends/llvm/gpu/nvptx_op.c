// Operations that NVIDIA GPUs do their own way: loads of constants, conversions to integers, dot products; the others
// have files of their own.
#include "backends/llvm/gpu/nvptx.h"

#include <stdio.h>

// ---- memory

static bool load_constant(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  if (kiln_type_space(kiln_value_type(f->fn, kiln_operands(f->fn, inst)[0])) != KILN_CONSTANT)
    return false;
  *result = kiln_ll_memory(f, inst);
  if (LLVMIsALoadInst(*result) && !(in->flags & KILN_MEM_VOLATILE))
    kiln_ll_attach(f->ll->context, *result, "invariant.load", NULL, 0);
  return true;
}

// ---- conversions

// From float to 32 bits one instruction saturates and rounds in any mode, and a NaN gives 0. LLVM takes its intrinsics
// of the instruction for conversions of values in range.
static bool to_int(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result) {
  static const char modes[] = {
      [KILN_ROUND_EVEN] = 'n', [KILN_ROUND_ZERO] = 'z', [KILN_ROUND_UP] = 'p', [KILN_ROUND_DOWN] = 'm'};
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef x = kiln_ll_operand(f, inst, 0);
  if (LLVMTypeOf(x) != ll->f32 || kiln_ll_type(ll, in->type) != ll->i32)
    return false;
  char text[40];
  snprintf(text, sizeof text, "cvt.r%ci.%c32.f32 $0, $1;", modes[in->imm & 3], in->op == KILN_OP_FTOS ? 's' : 'u');
  *result = kiln_ll_nvptx_assembly(ll, text, "=r,f", ll->i32, &x, 1, false);
  return true;
}

// ---- dot products

static LLVMValueRef dot4(struct kiln_ll *ll, const void *user, LLVMValueRef *args, uint32_t count) {
  unsigned signs = *(const unsigned *)user;
  char text[48];
  snprintf(text, sizeof text, "dp4a.%c32.%c32 $0, $1, $2, $3;", signs & KILN_DOT_FIRST_SIGNED ? 's' : 'u',
           signs & KILN_DOT_SECOND_SIGNED ? 's' : 'u');
  return kiln_ll_nvptx_assembly(ll, text, "=r,r,r,r", ll->i32, args, count, false);
}

LLVMValueRef kiln_ll_nvptx_dot4(struct kiln_ll_fn *f, unsigned signs, LLVMValueRef x, LLVMValueRef y,
                                LLVMValueRef sum) {
  LLVMValueRef args[3] = {x, y, sum};
  return kiln_ll_gpu_by_element(f->ll, LLVMTypeOf(sum), args, 3, false, dot4, &signs);
}

bool kiln_ll_nvptx_own(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result) {
  enum kiln_op op = kiln_op_of(kiln_inst(f->fn, inst));
  enum kiln_op_family family = kiln_op_family(op);
  if (family == KILN_FAMILY_FLOAT || family == KILN_FAMILY_MATH)
    return kiln_ll_nvptx_math(f, inst, result);
  if (family == KILN_FAMILY_GROUP && op != KILN_OP_BARRIER) {
    *result = kiln_ll_gpu_group(f, inst);
    return true;
  }
  if (family == KILN_FAMILY_ATOMIC) {
    *result = kiln_ll_nvptx_atomic(f, inst);
    return true;
  }
  if (op == KILN_OP_PADD)
    return kiln_ll_gpu_padd(f, inst, result);
  if (kiln_ll_gpu_pointer_op(f, inst, result))
    return true;
  if (op == KILN_OP_LOAD)
    return load_constant(f, inst, result);
  if (op == KILN_OP_FTOS || op == KILN_OP_FTOU)
    return to_int(f, inst, result);
  return false;
}
