// Which integers are powers of two, or zero: 1 << n, and what a loop makes from a power by doubling or halving.
// Divisions by them are shifts.
#include "backends/llvm/core/emit.h"

// A value that a loop carries is a power if it starts with a power and every iteration continues with a power.
static bool add_phi(struct kiln_worklist *work, const struct kiln_function *fn, kiln_value phi) {
  uint32_t index;
  kiln_value loop = kiln_ll_header_of(fn, phi, &index);
  if (!loop)
    return false;
  kiln_worklist_add(work, kiln_operands(fn, loop)[index]);
  for (kiln_value jump = 0; (jump = kiln_ll_next_jump(fn, jump, KILN_OP_CONTINUE, loop));)
    kiln_worklist_add(work, kiln_operands(fn, jump)[index]);
  return true;
}

bool kiln_ll_is_power(const struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_function *fn = f->fn;
  struct kiln_worklist *work = kiln_ll_worklist(f->ll, fn, v);
  if (!kiln_kind_is_int(kiln_type_kind(fn->insts[v].type)))
    return false;
  while (kiln_worklist_take(work, &v)) {
    const struct kiln_inst *in = kiln_inst(fn, v);
    if (kiln_type_lanes(in->type) > 1)
      return false;
    switch (in->op) {
    case KILN_OP_CONST:
      if (in->imm & (in->imm - 1))
        return false;
      break;
    case KILN_OP_SHL:
    case KILN_OP_LSHR:
    case KILN_OP_ZEXT:
    case KILN_OP_TRUNC:
      kiln_worklist_add(work, kiln_operands(fn, v)[0]);
      break;
    case KILN_OP_IMUL:
    case KILN_OP_UDIV:
      kiln_worklist_add_all(work, kiln_operands(fn, v), 2);
      break;
    case KILN_OP_PHI:
      if (!add_phi(work, fn, v))
        return false;
      break;
    default:
      return false;
    }
  }
  return true;
}

LLVMValueRef kiln_ll_divide_by_power(struct kiln_ll *ll, enum kiln_op op, LLVMValueRef x, LLVMValueRef y) {
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMValueRef zero = kiln_ll_splat(type, 0), top = kiln_ll_splat(type, kiln_ll_bits(type) - 1);
  LLVMValueRef bad = LLVMBuildICmp(b, LLVMIntEQ, y, zero, "");
  LLVMValueRef rest = LLVMBuildSelect(b, bad, zero, LLVMBuildSub(b, y, kiln_ll_splat(type, 1), ""), "");
  if (op == KILN_OP_UREM)
    return LLVMBuildAnd(b, x, rest, "");
  LLVMValueRef sign = LLVMBuildAShr(b, x, top, "");
  if (op == KILN_OP_SREM) { // of the absolute value, with the sign of x; the smallest integer is a power, too
    LLVMValueRef size = LLVMBuildSub(b, LLVMBuildXor(b, x, sign, ""), sign, "");
    return LLVMBuildSub(b, LLVMBuildXor(b, LLVMBuildAnd(b, size, rest, ""), sign, ""), sign, "");
  }
  LLVMValueRef args[2] = {y, kiln_ll_i1(ll, false)};
  LLVMValueRef count = LLVMBuildAnd(b, kiln_ll_intrinsic(ll, "llvm.cttz", &type, 1, args, 2), top, "");
  if (op == KILN_OP_UDIV)
    return LLVMBuildSelect(b, bad, zero, LLVMBuildLShr(b, x, count, ""), "");
  // Rounds toward zero. A quotient by the smallest integer, which is negative, has the opposite sign.
  LLVMValueRef up = LLVMBuildAdd(b, x, LLVMBuildAnd(b, sign, rest, ""), ""), turned = LLVMBuildAShr(b, y, top, "");
  LLVMValueRef q = LLVMBuildAShr(b, up, count, "");
  return LLVMBuildSelect(b, bad, zero, LLVMBuildSub(b, LLVMBuildXor(b, q, turned, ""), turned, ""), "");
}
