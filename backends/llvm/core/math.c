// Mathematical functions: calls to the functions of math.def, lane by lane.
#include "backends/llvm/core/emit.h"

#include "kiln/ir.h"

// f16: the neighbour of x towards y, by integer operations.
static LLVMValueRef nextafter_half(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef y) {
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef i16 = LLVMTypeOf(x);
  LLVMValueRef from = kiln_ll_half_to_float(ll, x), to = kiln_ll_half_to_float(ll, y);
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(from)), one = kiln_ll_splat(i16, 1);
  LLVMValueRef up = LLVMBuildFCmp(b, LLVMRealOGT, to, from, ""),
               positive = LLVMBuildFCmp(b, LLVMRealOGT, from, zero, "");
  LLVMValueRef away = LLVMBuildICmp(b, LLVMIntEQ, up, positive, "");
  LLVMValueRef result = LLVMBuildAdd(b, x, LLVMBuildSelect(b, away, one, LLVMConstAllOnes(i16), ""), "");
  LLVMValueRef sign = LLVMBuildAnd(b, y, kiln_ll_splat(i16, 0x8000), "");
  result = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, from, zero, ""), LLVMBuildOr(b, sign, one, ""), result, "");
  result = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, from, to, ""), y, result, "");
  return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, from, to, ""), kiln_ll_splat(i16, 0x7e00), result, "");
}

static LLVMValueRef lane(struct kiln_ll *ll, LLVMValueRef value, unsigned index) {
  return LLVMBuildExtractElement(ll->b, value, kiln_ll_i32(ll, index), "");
}

LLVMValueRef kiln_ll_math(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  enum kiln_op op = (enum kiln_op)in->op;
  enum kiln_kind kind = kiln_type_kind(in->type);
  uint32_t count = in->operand_count < 2 ? in->operand_count : 2;
  LLVMValueRef args[2] = {NULL};
  for (uint32_t i = 0; i < count; i++)
    args[i] = kiln_ll_operand(f, inst, i);
  if (kind == KILN_F16) {
    if (op == KILN_OP_NEXTAFTER && !kiln_ll_is_float(LLVMTypeOf(args[0])))
      return nextafter_half(ll, args[0], args[1]);
    for (uint32_t i = 0; i < count; i++)
      args[i] = kiln_ll_half_to_float(ll, args[i]);
  }
  enum kiln_kind computed = kind == KILN_F64 ? KILN_F64 : KILN_F32;
  unsigned lanes = kiln_type_lanes(in->type);
  LLVMValueRef result = NULL;
  if (lanes == 1) {
    result = ll->hooks->math(f, op, computed, args, count);
  } else {
    result = LLVMGetPoison(LLVMTypeOf(args[0]));
    for (unsigned i = 0; i < lanes; i++) {
      LLVMValueRef scalars[2] = {NULL};
      for (uint32_t k = 0; k < count; k++)
        scalars[k] = lane(ll, args[k], i);
      LLVMValueRef one = ll->hooks->math(f, op, computed, scalars, count);
      result = LLVMBuildInsertElement(ll->b, result, one, kiln_ll_i32(ll, i), "");
    }
  }
  return kind == KILN_F16 ? kiln_ll_float_to_half(ll, result) : result;
}
