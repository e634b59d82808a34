// Divisions of 64 bits. Processors divide such integers one by one, and vectors of them go lane by lane. Where all
// operands of a warp are below 2^51, as sizes and indices are, doubles divide instead: the distance of a quotient that
// is no integer from the next one is more than what rounding changes, and the remainder is exact.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): quotients.
#include "backends/llvm/spmd/spmd.h"
#include "backends/llvm/spmd/version.h"

#define SMALL_BITS 51            // of the operands, without a sign
#define MAGIC 6755399441055744.0 // 1.5 * 2^52: the last bit of the sum with an integer counts ones
#define MAGIC_BITS (UINT64_C(0x4338) << 48)

static LLVMValueRef to_double(struct kiln_ll_fn *f, LLVMValueRef x) {
  LLVMBuilderRef b = f->ll->b;
  LLVMTypeRef type = kiln_ll_like(x, f->ll->f64);
  LLVMValueRef bits = LLVMBuildAdd(b, x, kiln_ll_splat(LLVMTypeOf(x), MAGIC_BITS), "");
  return LLVMBuildFSub(b, LLVMBuildBitCast(b, bits, type, ""), kiln_ll_splat_float(type, MAGIC), "");
}

static LLVMValueRef to_long(struct kiln_ll_fn *f, LLVMValueRef x, LLVMTypeRef type) {
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef bits = LLVMBuildBitCast(b, LLVMBuildFAdd(b, x, kiln_ll_splat_float(LLVMTypeOf(x), MAGIC), ""), type, "");
  return LLVMBuildSub(b, bits, kiln_ll_splat(type, MAGIC_BITS), "");
}

// Whether an operand of some lane is too large for a double.
static LLVMValueRef is_large(struct kiln_ll_fn *f, LLVMValueRef x, LLVMValueRef y, bool is_signed) {
  LLVMBuilderRef b = f->ll->b;
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMValueRef limit = kiln_ll_splat(type, UINT64_C(1) << SMALL_BITS);
  if (is_signed)
    x = LLVMBuildAdd(b, x, limit, ""), y = LLVMBuildAdd(b, y, limit, "");
  LLVMValueRef past = kiln_ll_splat(type, SMALL_BITS + is_signed);
  LLVMValueRef rest = LLVMBuildLShr(b, LLVMBuildOr(b, x, y, ""), past, "");
  return kiln_ll_any(f, LLVMBuildICmp(b, LLVMIntNE, rest, kiln_ll_splat(type, 0), ""));
}

// x / 0 and x % 0 are 0.
static LLVMValueRef divide_small(struct kiln_ll_fn *f, enum kiln_op op, LLVMValueRef x, LLVMValueRef y) {
  LLVMBuilderRef b = f->ll->b;
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMValueRef n = to_double(f, x), d = to_double(f, y), zero = kiln_ll_splat(type, 0);
  LLVMValueRef result = LLVMBuildFDiv(b, n, d, "");
  result = kiln_ll_intrinsic_same(f->ll, "llvm.trunc", &result, 1);
  if (kiln_op_is_remainder(op))
    result = LLVMBuildFSub(b, n, LLVMBuildFMul(b, result, d, ""), "");
  return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, y, zero, ""), zero, to_long(f, result, type), "");
}

LLVMValueRef kiln_ll_divide_longs(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  kiln_value divisor = kiln_operands(f->fn, inst)[1];
  enum kiln_op op = kiln_op_of(in);
  if (in->type != kiln_scalar_type(KILN_I64) || kiln_inst(f->fn, divisor)->op == KILN_OP_CONST ||
      kiln_ll_is_power(f, divisor))
    return kiln_ll_compute_op(f, inst);
  LLVMValueRef x = LLVMBuildFreeze(f->ll->b, kiln_ll_operand(f, inst, 0), "");
  LLVMValueRef y = LLVMBuildFreeze(f->ll->b, kiln_ll_operand(f, inst, 1), ""), results[2];
  LLVMValueRef large = is_large(f, x, y, kiln_op_is_signed_division(op));
  struct kiln_ll_versions v;
  kiln_ll_begin_versions(f, &v, LLVMBuildNot(f->ll->b, large, ""), "divide.small");
  results[0] = divide_small(f, op, x, y);
  kiln_ll_other_version(f, &v);
  results[1] = kiln_ll_compute_op(f, inst);
  kiln_ll_end_versions(f, &v);
  return kiln_ll_merge_versions(f, &v, results);
}
