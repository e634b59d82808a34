// Integer and float arithmetic, comparisons and vector operations. Integer division, remainder and shifts are total:
// what LLVM leaves undefined is guarded; constants need no guard.
#include "backends/llvm/core/emit.h"
#include "kiln/op_cases.h"

// Operations that are one instruction or intrinsic of LLVM.
static const LLVMOpcode opcodes[KILN_OP_COUNT] = {
    [KILN_OP_IADD] = LLVMAdd,  [KILN_OP_ISUB] = LLVMSub,  [KILN_OP_IMUL] = LLVMMul,  [KILN_OP_SDIV] = LLVMSDiv,
    [KILN_OP_UDIV] = LLVMUDiv, [KILN_OP_SREM] = LLVMSRem, [KILN_OP_UREM] = LLVMURem, [KILN_OP_AND] = LLVMAnd,
    [KILN_OP_OR] = LLVMOr,     [KILN_OP_XOR] = LLVMXor,   [KILN_OP_BAND] = LLVMAnd,  [KILN_OP_BOR] = LLVMOr,
    [KILN_OP_BXOR] = LLVMXor,  [KILN_OP_FADD] = LLVMFAdd, [KILN_OP_FSUB] = LLVMFSub, [KILN_OP_FMUL] = LLVMFMul,
    [KILN_OP_FDIV] = LLVMFDiv, [KILN_OP_FREM] = LLVMFRem,
};
static const char *const intrinsics[KILN_OP_COUNT] = {
    [KILN_OP_SADD_SAT] = "llvm.sadd.sat", [KILN_OP_UADD_SAT] = "llvm.uadd.sat", [KILN_OP_SSUB_SAT] = "llvm.ssub.sat",
    [KILN_OP_USUB_SAT] = "llvm.usub.sat", [KILN_OP_SMIN] = "llvm.smin",         [KILN_OP_SMAX] = "llvm.smax",
    [KILN_OP_UMIN] = "llvm.umin",         [KILN_OP_UMAX] = "llvm.umax",         [KILN_OP_POPCOUNT] = "llvm.ctpop",
    [KILN_OP_FMA] = "llvm.fma",           [KILN_OP_SQRT] = "llvm.sqrt",         [KILN_OP_FLOOR] = "llvm.floor",
    [KILN_OP_CEIL] = "llvm.ceil",         [KILN_OP_TRUNCF] = "llvm.trunc",      [KILN_OP_RINT] = "llvm.rint",
    [KILN_OP_ROUND] = "llvm.round",
};

// ---- integers

static bool constant_bits(const struct kiln_ll_fn *f, kiln_value value, uint64_t *bits) {
  const struct kiln_inst *inst = kiln_inst(f->fn, value);
  if (inst->op != KILN_OP_CONST)
    return false;
  *bits = inst->imm;
  return true;
}

// Vectors have no integer division. The quotient of floats with more than twice the bits, rounded toward zero, is
// exact, since a quotient of integers is at least 1 / y away from the next integer.
static LLVMValueRef divide_by_floats(struct kiln_ll *ll, enum kiln_op op, LLVMValueRef x, LLVMValueRef y,
                                     unsigned bits) {
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef integer = LLVMTypeOf(x), wide = kiln_ll_like(x, bits == 32 ? ll->f64 : ll->f32), through = integer;
  bool is_signed = kiln_op_is_signed_division(op);
  LLVMValueRef n = x, d = y;
  if (bits < 32) {
    through = kiln_ll_like(x, ll->i32);
    n = is_signed ? LLVMBuildSExt(b, x, through, "") : LLVMBuildZExt(b, x, through, "");
    d = is_signed ? LLVMBuildSExt(b, y, through, "") : LLVMBuildZExt(b, y, through, "");
    is_signed = true;
  }
  n = is_signed ? LLVMBuildSIToFP(b, n, wide, "") : LLVMBuildUIToFP(b, n, wide, "");
  d = is_signed ? LLVMBuildSIToFP(b, d, wide, "") : LLVMBuildUIToFP(b, d, wide, "");
  LLVMValueRef q = LLVMBuildFDiv(b, n, d, "");
  q = is_signed ? LLVMBuildFPToSI(b, q, through, "") : LLVMBuildFPToUI(b, q, through, "");
  if (bits < 32)
    q = LLVMBuildTrunc(b, q, integer, "");
  if (kiln_op_is_quotient(op))
    return q;
  return LLVMBuildSub(b, x, LLVMBuildMul(b, q, y, ""), "");
}

static LLVMValueRef build_div(struct kiln_ll *ll, enum kiln_op op, LLVMValueRef x, LLVMValueRef y, bool is_known) {
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef type = LLVMTypeOf(x);
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind && !is_known && kiln_ll_bits(type) <= 32)
    return divide_by_floats(ll, op, x, y, kiln_ll_bits(type));
  return LLVMBuildBinOp(b, opcodes[op], x, y, "");
}

// Whether the division is done as a shift: the divisor is a power of two, and not a vector of different powers, for
// which counting zeros does not pay.
static bool is_shift(const struct kiln_ll_fn *f, kiln_value inst, bool is_div, LLVMTypeRef type) {
  kiln_value divisor = kiln_operands(f->fn, inst)[1];
  bool is_one = LLVMGetTypeKind(type) != LLVMVectorTypeKind ||
                (divisor < f->fn->shape_count && f->fn->shapes[divisor].kind == KILN_SHAPE_UNIFORM);
  return (is_one || !is_div) && kiln_ll_is_power(f, divisor);
}

static LLVMValueRef divide(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef x, LLVMValueRef y) {
  LLVMBuilderRef b = f->ll->b;
  enum kiln_op op = (enum kiln_op)kiln_inst(f->fn, inst)->op;
  bool is_signed = kiln_op_is_signed_division(op), is_div = kiln_op_is_quotient(op);
  LLVMTypeRef type = LLVMTypeOf(x);
  unsigned bits = kiln_kind_bits(kiln_type_kind(kiln_value_type(f->fn, inst)));
  uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, divisor;
  if (constant_bits(f, kiln_operands(f->fn, inst)[1], &divisor) && divisor != 0 && !(is_signed && divisor == mask))
    return build_div(f->ll, op, x, y, true);
  LLVMValueRef zero = kiln_ll_splat(type, 0), one = kiln_ll_splat(type, 1);
  y = LLVMBuildFreeze(b, y, ""); // an undefined divisor must be one number in both the test and the division
  if (is_shift(f, inst, is_div, type))
    return kiln_ll_divide_by_power(f->ll, op, x, y);
  LLVMValueRef bad = LLVMBuildICmp(b, LLVMIntEQ, y, zero, "");
  if (!is_signed) {
    LLVMValueRef result = build_div(f->ll, op, x, LLVMBuildSelect(b, bad, one, y, ""), false);
    return LLVMBuildSelect(b, bad, zero, result, "");
  }
  // x / -1 is -x, which wraps for the smallest integer as the IR requires; x % -1 is 0.
  LLVMValueRef minus_one = LLVMBuildICmp(b, LLVMIntEQ, y, LLVMConstAllOnes(type), "");
  LLVMValueRef odd = LLVMBuildOr(b, bad, minus_one, "");
  LLVMValueRef result = build_div(f->ll, op, x, LLVMBuildSelect(b, odd, one, y, ""), false);
  if (!is_div)
    return LLVMBuildSelect(b, odd, zero, result, "");
  result = LLVMBuildSelect(b, minus_one, LLVMBuildNeg(b, x, ""), result, "");
  return LLVMBuildSelect(b, bad, zero, result, "");
}

// The upper halves of products of unsigned elements, in integers of twice the width: of the elements at even places,
// then of those at odd places. The plain form becomes one operation in LLVM, which LLVM 19 takes for undefined where it
// finds out that all elements of a factor are 1.
static LLVMValueRef multiply_high_pairs(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef y, unsigned bits) {
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef wide = LLVMVectorType(kiln_ll_int(ll, bits * 2), kiln_ll_lanes(x) / 2);
  LLVMValueRef low = kiln_ll_splat(wide, ((uint64_t)1 << bits) - 1), half = kiln_ll_splat(wide, bits);
  x = LLVMBuildBitCast(b, x, wide, ""), y = LLVMBuildBitCast(b, y, wide, "");
  LLVMValueRef even = LLVMBuildMul(b, LLVMBuildAnd(b, x, low, ""), LLVMBuildAnd(b, y, low, ""), "");
  LLVMValueRef odd = LLVMBuildMul(b, LLVMBuildLShr(b, x, half, ""), LLVMBuildLShr(b, y, half, ""), "");
  return LLVMBuildOr(b, LLVMBuildLShr(b, even, half, ""), LLVMBuildAnd(b, odd, LLVMBuildNot(b, low, ""), ""), "");
}

// The upper halves of products of 64 bits, from products of 32, which x86 has in vectors: LLVM would go lane by lane.
static LLVMValueRef multiply_high_parts(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef y, bool is_signed) {
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMValueRef low = kiln_ll_splat(type, UINT32_MAX), half = kiln_ll_splat(type, 32), sign = kiln_ll_splat(type, 63);
  LLVMValueRef x0 = LLVMBuildAnd(b, x, low, ""), x1 = LLVMBuildLShr(b, x, half, "");
  LLVMValueRef y0 = LLVMBuildAnd(b, y, low, ""), y1 = LLVMBuildLShr(b, y, half, "");
  LLVMValueRef carry = LLVMBuildLShr(b, LLVMBuildMul(b, x0, y0, ""), half, "");
  LLVMValueRef first = LLVMBuildAdd(b, LLVMBuildMul(b, x1, y0, ""), carry, "");
  LLVMValueRef second = LLVMBuildAdd(b, LLVMBuildMul(b, x0, y1, ""), LLVMBuildAnd(b, first, low, ""), "");
  LLVMValueRef high = LLVMBuildAdd(b, LLVMBuildMul(b, x1, y1, ""), LLVMBuildLShr(b, first, half, ""), "");
  high = LLVMBuildAdd(b, high, LLVMBuildLShr(b, second, half, ""), "");
  if (!is_signed)
    return high;
  // A negative factor was taken for a number that is greater by 2^64.
  high = LLVMBuildSub(b, high, LLVMBuildAnd(b, LLVMBuildAShr(b, x, sign, ""), y, ""), "");
  return LLVMBuildSub(b, high, LLVMBuildAnd(b, LLVMBuildAShr(b, y, sign, ""), x, ""), "");
}

static LLVMValueRef multiply_high(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef y, unsigned bits, bool is_signed) {
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef type = LLVMTypeOf(x), wide = kiln_ll_like(x, kiln_ll_int(ll, bits * 2));
  if (!is_signed && bits <= 32 && kiln_ll_lanes(x) % 2 == 0)
    return LLVMBuildBitCast(b, multiply_high_pairs(ll, x, y, bits), type, "");
  if (bits == 64 && ll->machine->cpu.x86 && kiln_ll_lanes(x) > 1)
    return multiply_high_parts(ll, x, y, is_signed);
  LLVMValueRef (*extend)(LLVMBuilderRef, LLVMValueRef, LLVMTypeRef, const char *) =
      is_signed ? LLVMBuildSExt : LLVMBuildZExt;
  LLVMValueRef product = LLVMBuildMul(b, extend(b, x, wide, ""), extend(b, y, wide, ""), "");
  return LLVMBuildTrunc(b, LLVMBuildLShr(b, product, kiln_ll_splat(wide, bits), ""), type, "");
}

// The count modulo the width.
static LLVMValueRef shift_count(struct kiln_ll *ll, LLVMValueRef count, unsigned bits) {
  return LLVMBuildAnd(ll->b, count, kiln_ll_splat(LLVMTypeOf(count), bits - 1), "");
}

static LLVMValueRef count_zeros(struct kiln_ll *ll, const char *name, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMValueRef args[2] = {x, LLVMConstInt(ll->i1, 0, false)}; // 0 gives the width
  return kiln_ll_intrinsic(ll, name, &type, 1, args, 2);
}

LLVMValueRef kiln_ll_int_op(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef args[3] = {NULL};
  for (uint32_t i = 0; i < in->operand_count && i < 3; i++)
    args[i] = kiln_ll_operand(f, inst, i);
  LLVMValueRef x = args[0], y = args[1];
  unsigned bits = kiln_kind_bits(kiln_type_kind(in->type));
  switch (kiln_op_of(in)) {
  case KILN_OP_IADD:
  case KILN_OP_ISUB:
  case KILN_OP_IMUL:
  case KILN_OP_AND:
  case KILN_OP_BAND:
  case KILN_OP_OR:
  case KILN_OP_BOR:
  case KILN_OP_XOR:
  case KILN_OP_BXOR:
    return LLVMBuildBinOp(b, opcodes[in->op], x, y, "");
  case KILN_OP_SADD_SAT:
  case KILN_OP_UADD_SAT:
  case KILN_OP_SSUB_SAT:
  case KILN_OP_USUB_SAT:
  case KILN_OP_SMIN:
  case KILN_OP_SMAX:
  case KILN_OP_UMIN:
  case KILN_OP_UMAX:
  case KILN_OP_POPCOUNT:
    return kiln_ll_intrinsic_same(ll, intrinsics[in->op], args, in->operand_count);
  case KILN_OP_SDIV:
  case KILN_OP_UDIV:
  case KILN_OP_SREM:
  case KILN_OP_UREM:
    return divide(f, inst, x, y);
  case KILN_OP_SMUL_HI:
  case KILN_OP_UMUL_HI:
    return multiply_high(ll, x, y, bits, in->op == KILN_OP_SMUL_HI);
  case KILN_OP_BNOT:
    return LLVMBuildNot(b, x, "");
  case KILN_OP_SHL:
    return LLVMBuildShl(b, x, shift_count(ll, y, bits), "");
  case KILN_OP_LSHR:
    return LLVMBuildLShr(b, x, shift_count(ll, y, bits), "");
  case KILN_OP_ASHR:
    return LLVMBuildAShr(b, x, shift_count(ll, y, bits), "");
  case KILN_OP_ROTL:
    return kiln_ll_intrinsic_same(ll, "llvm.fshl", (LLVMValueRef[]){x, x, y}, 3);
  case KILN_OP_CLZ:
    return count_zeros(ll, "llvm.ctlz", x);
  case KILN_OP_CTZ:
    return count_zeros(ll, "llvm.cttz", x);
  case KILN_OP_ANY:
    return kiln_ll_lanes(x) > 1 ? kiln_ll_intrinsic_same(ll, "llvm.vector.reduce.or", args, 1) : x;
  case KILN_OP_ALL:
    return kiln_ll_lanes(x) > 1 ? kiln_ll_intrinsic_same(ll, "llvm.vector.reduce.and", args, 1) : x;
  case KILN_OP_AGREE: // of one work-item
    return x;
  case KILN_OP_DOT4:
    return kiln_ll_dot4(f, inst);
    KILN_CASES_FREE KILN_CASES_FLOAT KILN_CASES_MATH KILN_CASES_COMPARE KILN_CASES_FCOMPARE KILN_CASES_VECTOR
        KILN_CASES_CONVERT KILN_CASES_MEMORY KILN_CASES_ATOMIC KILN_CASES_CALL KILN_CASES_ITEM KILN_CASES_SUB_GROUP
            KILN_CASES_IMAGE KILN_CASES_FLOW KILN_CASES_GROUP case KILN_OP_COUNT : break;
  }
  return NULL;
}

// ---- floats

// The fast-math flags that the IR allows, without contraction, which an earlier pass has done.
static LLVMValueRef with_flags(LLVMValueRef value, uint16_t flags) {
  unsigned math = 0;
  math |= flags & KILN_FP_NNAN ? LLVMFastMathNoNaNs : 0;
  math |= flags & KILN_FP_NINF ? LLVMFastMathNoInfs : 0;
  math |= flags & KILN_FP_NSZ ? LLVMFastMathNoSignedZeros : 0;
  math |= flags & KILN_FP_ARCP ? LLVMFastMathAllowReciprocal : 0;
  math |= flags & KILN_FP_REASSOC ? LLVMFastMathAllowReassoc : 0;
  if (math && LLVMIsAInstruction(value) && LLVMCanValueUseFastMathFlags(value))
    LLVMSetFastMathFlags(value, math);
  return value;
}

// The other operand if one is a NaN; of equal operands the first. This is what minss and maxss compute, plus the NaN.
static LLVMValueRef min_max(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y, LLVMRealPredicate better) {
  LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
  LLVMValueRef take_y = LLVMBuildFCmp(b, better, y, x, "");
  return LLVMBuildSelect(b, is_nan, y, LLVMBuildSelect(b, take_y, y, x, ""), "");
}

// Operations on the sign bit; f16 may be held as integers.
static LLVMValueRef sign_op(struct kiln_ll_fn *f, enum kiln_op op, kiln_type type, LLVMValueRef x, LLVMValueRef y) {
  LLVMBuilderRef b = f->ll->b;
  if (kiln_ll_is_float(LLVMTypeOf(x))) {
    if (op == KILN_OP_FNEG)
      return LLVMBuildFNeg(b, x, "");
    if (op == KILN_OP_FABS)
      return kiln_ll_intrinsic_same(f->ll, "llvm.fabs", &x, 1);
    return kiln_ll_intrinsic_same(f->ll, "llvm.copysign", (LLVMValueRef[]){x, y}, 2);
  }
  uint64_t sign = UINT64_C(1) << (kiln_kind_bits(kiln_type_kind(type)) - 1);
  LLVMValueRef bit = kiln_ll_splat(LLVMTypeOf(x), sign), rest = kiln_ll_splat(LLVMTypeOf(x), sign - 1);
  if (op == KILN_OP_FNEG)
    return LLVMBuildXor(b, x, bit, "");
  x = LLVMBuildAnd(b, x, rest, "");
  return op == KILN_OP_FABS ? x : LLVMBuildOr(b, x, LLVMBuildAnd(b, y, bit, ""), "");
}

static LLVMValueRef arithmetic(struct kiln_ll *ll, enum kiln_op op, LLVMValueRef *args) {
  LLVMBuilderRef b = ll->b;
  LLVMValueRef x = args[0], y = args[1];
  switch (op) {
  case KILN_OP_FADD:
  case KILN_OP_FSUB:
  case KILN_OP_FMUL:
  case KILN_OP_FDIV:
  case KILN_OP_FREM:
    return LLVMBuildBinOp(b, opcodes[op], x, y, "");
  case KILN_OP_FMIN:
    return min_max(b, x, y, LLVMRealOLT);
  case KILN_OP_FMAX:
    return min_max(b, x, y, LLVMRealOGT);
  case KILN_OP_FMA:
    return kiln_ll_intrinsic_same(ll, intrinsics[op], args, 3);
  case KILN_OP_SQRT:
  case KILN_OP_FLOOR:
  case KILN_OP_CEIL:
  case KILN_OP_TRUNCF:
  case KILN_OP_RINT:
  case KILN_OP_ROUND:
    return kiln_ll_intrinsic_same(ll, intrinsics[op], args, 1);
  case KILN_OP_FNEG: // by sign_op
  case KILN_OP_FABS:
  case KILN_OP_COPYSIGN:
    KILN_CASES_BUT_FLOAT break;
  }
  LLVMValueRef root = kiln_ll_intrinsic_same(ll, "llvm.sqrt", args, 1);
  return LLVMBuildFDiv(b, kiln_ll_splat_float(LLVMTypeOf(x), 1), root, ""); // RSQRT
}

// x * y + z on f16, rounded once: the product of two f16 is exact in f32, and the sum is rounded to odd, so that the
// rounding to f16 sees on which side of a tie it is. The error of the sum is exact (Knuth's TwoSum).
static LLVMValueRef fma_half(struct kiln_ll *ll, LLVMValueRef *args) {
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef wide = kiln_ll_like(args[0], ll->f32), bits = kiln_ll_like(args[0], ll->i32);
  LLVMValueRef v[3];
  for (int i = 0; i < 3; i++)
    v[i] = kiln_ll_half_to_float(ll, args[i]);
  LLVMValueRef product = LLVMBuildFMul(b, v[0], v[1], ""), sum = LLVMBuildFAdd(b, product, v[2], "");
  LLVMValueRef back = LLVMBuildFSub(b, sum, product, "");
  LLVMValueRef error = LLVMBuildFAdd(b, LLVMBuildFSub(b, product, LLVMBuildFSub(b, sum, back, ""), ""),
                                     LLVMBuildFSub(b, v[2], back, ""), "");
  LLVMValueRef inexact = LLVMBuildFCmp(b, LLVMRealONE, error, LLVMConstNull(wide), ""); // false for NaN, of infinities
  // An even sum that is not exact goes to its neighbour on the side of the error: away is 0 or, against its sign, -1.
  LLVMValueRef raw = LLVMBuildBitCast(b, sum, bits, ""), sign = LLVMBuildBitCast(b, error, bits, "");
  LLVMValueRef away = LLVMBuildAShr(b, LLVMBuildXor(b, raw, sign, ""), kiln_ll_splat(bits, 31), "");
  LLVMValueRef even = LLVMBuildAnd(b, LLVMBuildNot(b, raw, ""), kiln_ll_splat(bits, 1), "");
  LLVMValueRef step = LLVMBuildSub(b, LLVMBuildXor(b, even, away, ""), away, "");
  raw = LLVMBuildSelect(b, inexact, LLVMBuildAdd(b, raw, step, ""), raw, "");
  return kiln_ll_float_to_half(ll, LLVMBuildBitCast(b, raw, wide, ""));
}

LLVMValueRef kiln_ll_float_op(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  enum kiln_op op = (enum kiln_op)in->op;
  LLVMValueRef args[3] = {NULL};
  for (uint32_t i = 0; i < in->operand_count && i < 3; i++)
    args[i] = kiln_ll_operand(f, inst, i);
  if (op == KILN_OP_FNEG || op == KILN_OP_FABS || op == KILN_OP_COPYSIGN)
    return sign_op(f, op, in->type, args[0], args[1]);
  if (kiln_ll_is_float(LLVMTypeOf(args[0])))
    return with_flags(arithmetic(ll, op, args), in->flags);
  if (op == KILN_OP_FMA)
    return fma_half(ll, args);
  // f16 by way of f32: correctly rounded, since f32 has more than twice the bits.
  for (uint32_t i = 0; i < in->operand_count && i < 3; i++)
    args[i] = kiln_ll_half_to_float(ll, args[i]);
  return kiln_ll_float_to_half(ll, arithmetic(ll, op, args));
}

LLVMValueRef kiln_ll_plain(struct kiln_ll *ll, enum kiln_op op, LLVMValueRef x, LLVMValueRef y) {
  LLVMValueRef args[2] = {x, y};
  if (intrinsics[op])
    return kiln_ll_intrinsic_same(ll, intrinsics[op], args, 2);
  if (kiln_op_family(op) == KILN_FAMILY_INT)
    return LLVMBuildBinOp(ll->b, opcodes[op], x, y, "");
  if (kiln_ll_is_float(LLVMTypeOf(x)))
    return arithmetic(ll, op, args);
  args[0] = kiln_ll_half_to_float(ll, x);
  args[1] = kiln_ll_half_to_float(ll, y);
  return kiln_ll_float_to_half(ll, arithmetic(ll, op, args));
}

// ---- comparisons

LLVMValueRef kiln_ll_compare(struct kiln_ll_fn *f, kiln_value inst) {
  static const LLVMIntPredicate of_integers[KILN_OP_COUNT] = {
      [KILN_OP_EQ] = LLVMIntEQ,   [KILN_OP_NE] = LLVMIntNE,   [KILN_OP_SLT] = LLVMIntSLT,
      [KILN_OP_SLE] = LLVMIntSLE, [KILN_OP_ULT] = LLVMIntULT, [KILN_OP_ULE] = LLVMIntULE};
  static const LLVMRealPredicate of_floats[KILN_OP_COUNT] = {[KILN_OP_FEQ] = LLVMRealOEQ,
                                                             [KILN_OP_FNE] = LLVMRealUNE,
                                                             [KILN_OP_FLT] = LLVMRealOLT,
                                                             [KILN_OP_FLE] = LLVMRealOLE};
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef x = kiln_ll_operand(f, inst, 0), y = kiln_ll_operand(f, inst, 1);
  enum kiln_op op = kiln_op_of(kiln_inst(f->fn, inst));
  if (kiln_op_family(op) == KILN_FAMILY_COMPARE)
    return LLVMBuildICmp(b, of_integers[op], x, y, "");
  if (!kiln_ll_is_float(LLVMTypeOf(x))) {
    x = kiln_ll_half_to_float(f->ll, x);
    y = kiln_ll_half_to_float(f->ll, y);
  }
  return LLVMBuildFCmp(b, of_floats[op], x, y, "");
}

// ---- vectors

// A lane number modulo the number of lanes.
static LLVMValueRef lane_number(struct kiln_ll *ll, LLVMValueRef index, unsigned lanes) {
  LLVMTypeRef type = LLVMTypeOf(index);
  if (lanes & (lanes - 1))
    return LLVMBuildURem(ll->b, index, LLVMConstInt(type, lanes, false), "");
  return LLVMBuildAnd(ll->b, index, LLVMConstInt(type, lanes - 1, false), "");
}

static LLVMValueRef splat_value(struct kiln_ll *ll, LLVMValueRef x, unsigned lanes) {
  LLVMTypeRef type = kiln_ll_vector(LLVMTypeOf(x), lanes);
  LLVMValueRef poison = LLVMGetPoison(type);
  LLVMValueRef one = LLVMBuildInsertElement(ll->b, poison, x, LLVMConstInt(ll->i32, 0, false), "");
  return LLVMBuildShuffleVector(ll->b, one, poison, LLVMConstNull(kiln_ll_vector(ll->i32, lanes)), "");
}

#define MAX_PARTS 64 // of a vector that is put together from parts of its components

// The vector that v is cast from; NULL: v is no cast.
static LLVMValueRef cast_vector(LLVMValueRef v) {
  LLVMValueRef from = LLVMIsABitCastInst(v) ? LLVMGetOperand(v, 0) : NULL;
  return from && LLVMGetTypeKind(LLVMTypeOf(from)) == LLVMVectorTypeKind ? from : NULL;
}

// Components that are all cast from vectors of one type become one vector of all their parts: LLVM selects the
// unpacking instructions for that, but shuffles each component alone where it is cast before. NULL: the components are
// no such casts.
static LLVMValueRef vector_of_parts(struct kiln_ll_fn *f, kiln_value inst, unsigned lanes) {
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef from[16] = {NULL};
  for (unsigned i = 0; i < lanes; i++) {
    from[i] = cast_vector(kiln_ll_operand(f, inst, i));
    if (!from[i] || LLVMTypeOf(from[i]) != LLVMTypeOf(from[0]))
      return NULL;
  }
  unsigned parts = LLVMGetVectorSize(LLVMTypeOf(from[0]));
  if (lanes * parts > MAX_PARTS)
    return NULL;
  LLVMValueRef result = LLVMGetPoison(LLVMVectorType(LLVMGetElementType(LLVMTypeOf(from[0])), lanes * parts));
  for (unsigned i = 0; i < lanes * parts; i++) {
    LLVMValueRef part = LLVMBuildExtractElement(b, from[i / parts], kiln_ll_i32(f->ll, i % parts), "");
    result = LLVMBuildInsertElement(b, result, part, kiln_ll_i32(f->ll, i), "");
  }
  return LLVMBuildBitCast(b, result, kiln_ll_type(f->ll, kiln_inst(f->fn, inst)->type), "");
}

static LLVMValueRef vector(struct kiln_ll_fn *f, kiln_value inst, unsigned lanes) {
  LLVMValueRef result = vector_of_parts(f, inst, lanes);
  if (result)
    return result;
  result = LLVMGetPoison(kiln_ll_type(f->ll, kiln_inst(f->fn, inst)->type));
  for (unsigned i = 0; i < lanes; i++)
    result = LLVMBuildInsertElement(f->ll->b, result, kiln_ll_operand(f, inst, i), kiln_ll_i32(f->ll, i), "");
  return result;
}

static LLVMValueRef shuffle(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  const uint8_t *list = f->fn->shuffles[in->node];
  unsigned lanes = kiln_type_lanes(in->type);
  LLVMValueRef x = kiln_ll_operand(f, inst, 0), y = kiln_ll_operand(f, inst, 1);
  unsigned from = kiln_ll_lanes(x);
  LLVMTypeRef element = kiln_ll_type(ll, kiln_type_element(in->type));
  LLVMTypeRef pair = LLVMVectorType(element, 1);
  if (from == 1) { // scalars become vectors of one element
    LLVMValueRef zero = LLVMConstInt(ll->i32, 0, false);
    x = LLVMBuildInsertElement(ll->b, LLVMGetPoison(pair), x, zero, "");
    y = LLVMBuildInsertElement(ll->b, LLVMGetPoison(pair), y, zero, "");
  }
  LLVMValueRef mask[16];
  for (unsigned i = 0; i < lanes; i++)
    mask[i] = list[i] < 2 * from ? LLVMConstInt(ll->i32, list[i], false) : LLVMGetPoison(ll->i32);
  LLVMValueRef result = LLVMBuildShuffleVector(ll->b, x, y, LLVMConstVector(mask, lanes), "");
  for (unsigned i = 0; i < lanes; i++) // undefined lanes are 0, as in the interpreter
    if (list[i] >= 2 * from)
      result = LLVMBuildInsertElement(ll->b, result, LLVMConstNull(element), LLVMConstInt(ll->i32, i, false), "");
  if (lanes == 1)
    result = LLVMBuildExtractElement(ll->b, result, LLVMConstInt(ll->i32, 0, false), "");
  return result;
}

LLVMValueRef kiln_ll_vector_op(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  unsigned lanes = kiln_type_lanes(in->type);
  LLVMValueRef x = in->operand_count && in->op != KILN_OP_SHUFFLE ? kiln_ll_operand(f, inst, 0) : NULL;
  switch (kiln_op_of(in)) {
  case KILN_OP_SELECT:
    return LLVMBuildSelect(b, x, kiln_ll_operand(f, inst, 1), kiln_ll_operand(f, inst, 2), "");
  case KILN_OP_SPLAT:
    return lanes > 1 ? splat_value(ll, x, lanes) : x;
  case KILN_OP_VEC:
    return lanes == 1 ? x : vector(f, inst, lanes);
  case KILN_OP_EXTRACT:
    if (kiln_ll_lanes(x) == 1)
      return x;
    return LLVMBuildExtractElement(b, x, lane_number(ll, kiln_ll_operand(f, inst, 1), kiln_ll_lanes(x)), "");
  case KILN_OP_INSERT:
    if (lanes == 1)
      return kiln_ll_operand(f, inst, 1);
    return LLVMBuildInsertElement(b, x, kiln_ll_operand(f, inst, 1),
                                  lane_number(ll, kiln_ll_operand(f, inst, 2), lanes), "");
  case KILN_OP_SHUFFLE:
    return shuffle(f, inst);
    KILN_CASES_BUT_VECTOR break;
  }
  return NULL;
}

// ---- identities of reductions and scans

struct bits {
  uint64_t f16, f32, f64;
};

static uint64_t float_bits(enum kiln_kind kind, struct bits bits) {
  return kind == KILN_F16 ? bits.f16 : kind == KILN_F32 ? bits.f32 : bits.f64;
}

static const struct bits one = {0x3c00, 0x3f800000, 0x3ff0000000000000}, minus_zero = {0x8000, 0x80000000, 1ull << 63},
                         infinity = {0x7c00, 0x7f800000, 0x7ff0000000000000},
                         nan_bits = {0x7e00, 0x7fc00000, 0x7ff8000000000000};

uint64_t kiln_ll_neutral(enum kiln_reduce reduce, enum kiln_kind kind, bool start) {
  unsigned bits = kiln_kind_bits(kind);
  uint64_t all = UINT64_MAX >> (64 - bits), sign = UINT64_C(1) << (bits - 1);
  switch (reduce) {
  case KILN_REDUCE_ADD:
  case KILN_REDUCE_OR:
  case KILN_REDUCE_XOR:
  case KILN_REDUCE_UMAX:
  case KILN_REDUCE_COUNT:
    return 0;
  case KILN_REDUCE_MUL:
    return 1;
  case KILN_REDUCE_AND:
  case KILN_REDUCE_UMIN:
    return all;
  case KILN_REDUCE_SMIN:
    return all ^ sign;
  case KILN_REDUCE_SMAX:
    return sign;
  case KILN_REDUCE_FADD:
    return start ? 0 : float_bits(kind, minus_zero);
  case KILN_REDUCE_FMUL:
    return float_bits(kind, one);
  case KILN_REDUCE_FMIN:
    return float_bits(kind, start ? infinity : nan_bits);
  case KILN_REDUCE_FMAX:
    return start ? float_bits(kind, infinity) | sign : float_bits(kind, nan_bits);
  }
  return 0;
}
