// Floating point for which AMDGPU has instructions or a library of its own: division and square roots within the error
// that the build options allow, minimum and maximum, and the mathematical functions. Functions that hardware computes
// well enough are LLVM intrinsics, the others functions of ocml.bc, which is linked when one of them is called.
#include <stdio.h>
#include <string.h>

#include "backends/llvm/gpu/amdgpu.h"

// half_ functions are within 8192 ulp for all arguments. The hardware's reciprocal alone is not precise enough for
// divisions: 1/y is 0 for y above 2^126.
static bool is_fast(const struct kiln_inst *in) {
  unsigned half = in->op == KILN_OP_FDIV ? 0 : KILN_FP_HALF;
  return in->flags & (KILN_FP_APPROX | KILN_FP_NATIVE | half);
}

// The result may be wrong by so many units in the last place.
static LLVMValueRef within(struct kiln_ll *ll, LLVMValueRef value, double ulps) {
  LLVMMetadataRef bound = LLVMValueAsMetadata(LLVMConstReal(ll->f32, ulps));
  if (LLVMIsAInstruction(value))
    kiln_ll_attach(ll->context, value, "fpmath", &bound, 1);
  return value;
}

static LLVMValueRef divide(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef y, unsigned flags, double ulps) {
  LLVMValueRef result = kiln_ll_gpu_with_flags(LLVMBuildFDiv(ll->b, x, y, ""), flags);
  return ulps > 0 ? within(ll, result, ulps) : result;
}

static LLVMValueRef square_root(struct kiln_ll *ll, LLVMValueRef x, unsigned flags, double ulps) {
  LLVMValueRef result = kiln_ll_gpu_with_flags(kiln_ll_intrinsic_same(ll, "llvm.sqrt", &x, 1), flags);
  return ulps > 0 ? within(ll, result, ulps) : result;
}

// Division and roots of any lanes.
static LLVMValueRef root_or_quotient(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef x = kiln_ll_operand(f, inst, 0);
  // The reciprocal of a root that was rounded to half is off by more than 1 ulp.
  bool by_float = in->op == KILN_OP_RSQRT && kiln_type_kind(in->type) == KILN_F16;
  x = by_float ? kiln_ll_half_to_float(ll, x) : x;
  bool is_single = kiln_type_kind(in->type) == KILN_F32 || by_float,
       exact = ll->job->options.flags & KILN_BUILD_EXACT_DIV;
  unsigned flags = kiln_ll_gpu_math_flags(in) |
                   (is_fast(in) && is_single ? LLVMFastMathApproxFunc | LLVMFastMathAllowReciprocal : 0);
  bool loose = is_single && (!exact || is_fast(in));
  if (in->op == KILN_OP_FDIV)
    return divide(ll, x, kiln_ll_operand(f, inst, 1), flags, loose ? 2.5 : 0);
  if (in->op == KILN_OP_SQRT)
    return square_root(ll, x, flags, loose ? 3 : 0);
  // RSQRT: 2 ulp; LLVM contracts both to one instruction where allowed.
  flags |= is_single ? LLVMFastMathAllowContract : 0;
  LLVMValueRef one = kiln_ll_splat_float(LLVMTypeOf(x), 1);
  LLVMValueRef result = divide(ll, one, square_root(ll, x, flags, is_single ? 2 : 0), flags, is_single ? 2 : 0);
  return by_float ? kiln_ll_float_to_half(ll, result) : result;
}

// ---- functions

static LLVMValueRef library_call(struct kiln_ll *ll, const char *op, LLVMValueRef *args, uint32_t count) {
  LLVMTypeRef type = LLVMTypeOf(args[0]), types[3] = {type, type, type};
  char name[48];
  snprintf(name, sizeof name, "__ocml_%s_f%d", op, type == ll->f64 ? 64 : type == ll->f32 ? 32 : 16);
  LLVMTypeRef function_type = LLVMFunctionType(type, types, count, false);
  LLVMValueRef function = LLVMGetNamedFunction(ll->module, name);
  if (!function) {
    function = LLVMAddFunction(ll->module, name, function_type);
    unsigned here = (unsigned)LLVMAttributeFunctionIndex;
    kiln_ll_attribute(ll->context, function, here, "nounwind", 0);
    kiln_ll_attribute(ll->context, function, here, "willreturn", 0);
    kiln_ll_attribute(ll->context, function, here, "memory", 0); // none
  }
  return LLVMBuildCall2(ll->b, function_type, function, args, count, "");
}

static LLVMValueRef approximate(struct kiln_ll *ll, const char *name, LLVMValueRef x, unsigned flags) {
  return kiln_ll_gpu_with_flags(kiln_ll_intrinsic_same(ll, name, &x, 1), flags | LLVMFastMathApproxFunc);
}

static LLVMValueRef fused(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z) {
  LLVMValueRef args[3] = {x, y, z};
  return kiln_ll_intrinsic_same(ll, "llvm.fma", args, 3);
}

static LLVMValueRef negated_if(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef bits, unsigned bit) {
  LLVMBuilderRef b = ll->b;
  LLVMValueRef sign = LLVMBuildAnd(b, bits, kiln_ll_i32(ll, UINT64_C(1) << bit), "");
  sign = LLVMBuildShl(b, sign, kiln_ll_i32(ll, 31 - bit), "");
  return LLVMBuildBitCast(b, LLVMBuildXor(b, LLVMBuildBitCast(b, x, ll->i32, ""), sign, ""), ll->f32, "");
}

// half_sin, half_cos, half_tan: within 624, 624 and 962 ulp over their domain, from -2^16 to 2^16 (tested on all
// values). The hardware's sine takes angles in turns, in f32: for many turns the fraction is lost. So the nearest
// multiple of pi/2 is subtracted, in three parts, and the first terms of the series suffice for the remainder.
static LLVMValueRef half_angle(struct kiln_ll *ll, enum kiln_op op, LLVMValueRef x) {
  LLVMBuilderRef b = ll->b;
#define REAL(value) LLVMConstReal(ll->f32, value)
  LLVMValueRef shifted = fused(ll, x, REAL(0x1.45f306p-1), REAL(12582912)); // its last bits are those of the multiple
  LLVMValueRef multiple = LLVMBuildFSub(b, shifted, REAL(12582912), "");
  LLVMValueRef rest = fused(ll, multiple, REAL(-0x1.921fb6p0), x);
  rest = fused(ll, multiple, REAL(0x1.777a5cp-25), rest);
  rest = fused(ll, multiple, REAL(0x1.ee59dap-50), rest);
  LLVMValueRef square = LLVMBuildFMul(b, rest, rest, "");
  LLVMValueRef sine = fused(ll, square, REAL(0x1.1111p-7), REAL(-0x1.555556p-3));
  sine = LLVMBuildFMul(b, rest, fused(ll, square, sine, REAL(1)), "");
  LLVMValueRef cosine = fused(ll, square, REAL(-0x1.6c16cp-10), REAL(0x1.555556p-5));
  cosine = fused(ll, square, fused(ll, square, cosine, REAL(-0.5)), REAL(1));
#undef REAL
  LLVMValueRef quarters = LLVMBuildBitCast(b, shifted, ll->i32, "");
  LLVMValueRef is_odd = LLVMBuildTrunc(b, quarters, ll->i1, "");
  if (op == KILN_OP_TAN) {
    LLVMValueRef upper = negated_if(ll, LLVMBuildSelect(b, is_odd, cosine, sine, ""), quarters, 0);
    LLVMValueRef quotient = LLVMBuildFDiv(b, upper, LLVMBuildSelect(b, is_odd, sine, cosine, ""), "");
    return kiln_ll_gpu_with_flags(quotient, LLVMFastMathApproxFunc | LLVMFastMathAllowReciprocal);
  }
  if (op == KILN_OP_SIN)
    return negated_if(ll, LLVMBuildSelect(b, is_odd, cosine, sine, ""), quarters, 1);
  quarters = LLVMBuildAdd(b, quarters, kiln_ll_i32(ll, 1), "");
  return negated_if(ll, LLVMBuildSelect(b, is_odd, sine, cosine, ""), quarters, 1);
}

// Exponentials and logarithms of f32, which LLVM expands within the error of OpenCL C.
static const char *const logarithms[KILN_OP_COUNT] = {
    [KILN_OP_EXP] = "llvm.exp", [KILN_OP_EXP2] = "llvm.exp2", [KILN_OP_EXP10] = "llvm.exp10",
    [KILN_OP_LOG] = "llvm.log", [KILN_OP_LOG2] = "llvm.log2", [KILN_OP_LOG10] = "llvm.log10",
};

// The device's fastest way to compute op on f32; NULL: it has none.
static LLVMValueRef fast_single(struct kiln_ll *ll, enum kiln_op op, LLVMValueRef *args, unsigned flags) {
  if (op == KILN_OP_SIN || op == KILN_OP_COS)
    return approximate(ll, op == KILN_OP_SIN ? "llvm.sin" : "llvm.cos", args[0], flags);
  if (op != KILN_OP_TAN)
    return logarithms[op] ? approximate(ll, logarithms[op], args[0], flags) : NULL;
  LLVMValueRef sine = approximate(ll, "llvm.sin", args[0], flags);
  LLVMValueRef quotient = LLVMBuildFDiv(ll->b, sine, approximate(ll, "llvm.cos", args[0], flags), "");
  return kiln_ll_gpu_with_flags(quotient, flags | LLVMFastMathApproxFunc | LLVMFastMathAllowReciprocal);
}

// native_powr and the like: 2^(y log2 x), for x that is not negative.
static LLVMValueRef fast_power(struct kiln_ll *ll, LLVMValueRef *args, unsigned flags) {
  LLVMValueRef product = LLVMBuildFMul(ll->b, args[1], approximate(ll, "llvm.log2", args[0], flags), "");
  return approximate(ll, "llvm.exp2", product, flags);
}

static LLVMValueRef scalar_function(struct kiln_ll *ll, const void *user, LLVMValueRef *args, uint32_t count) {
  const struct kiln_inst *in = user;
  enum kiln_op op = (enum kiln_op)in->op;
  if (LLVMTypeOf(args[0]) == ll->f32) {
    unsigned flags = kiln_ll_gpu_math_flags(in);
    if (in->flags & KILN_FP_HALF && (op == KILN_OP_SIN || op == KILN_OP_COS || op == KILN_OP_TAN))
      return half_angle(ll, op, args[0]);
    LLVMValueRef result = is_fast(in) ? fast_single(ll, op, args, flags) : NULL;
    if (!result && op == KILN_OP_POW && in->flags & KILN_FP_NATIVE)
      result = fast_power(ll, args, flags);
    if (result)
      return result;
    if (logarithms[op])
      return kiln_ll_gpu_with_flags(kiln_ll_intrinsic_same(ll, logarithms[op], args, 1), flags);
  }
  LLVMValueRef result = library_call(ll, op == KILN_OP_FREM ? "fmod" : kiln_op_table[op].name, args, count);
  if (op != KILN_OP_EXPM1 && op != KILN_OP_LOG1P)
    return result;
  LLVMValueRef signed_zero[2] = {result, args[0]}; // the library gives 0 for -0
  return kiln_ll_intrinsic_same(ll, "llvm.copysign", signed_zero, 2);
}

static LLVMValueRef function(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  uint32_t count = in->operand_count < 2 ? in->operand_count : 2;
  // f16 is computed in f32, except by the functions that depend on the bits of the type.
  bool by_float = kiln_type_kind(in->type) == KILN_F16 && in->op != KILN_OP_NEXTAFTER && in->op != KILN_OP_FREM;
  LLVMValueRef args[2] = {NULL};
  for (uint32_t i = 0; i < count; i++)
    args[i] = kiln_ll_operand(f, inst, i);
  return kiln_ll_gpu_by_element(ll, kiln_ll_type(ll, in->type), args, count, by_float, scalar_function, in);
}

bool kiln_ll_amdgpu_math(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result) {
  enum kiln_op op = kiln_op_of(kiln_inst(f->fn, inst));
  if (op == KILN_OP_FDIV || op == KILN_OP_SQRT || op == KILN_OP_RSQRT) {
    *result = root_or_quotient(f, inst);
    return true;
  }
  if (op == KILN_OP_FMIN || op == KILN_OP_FMAX) {
    *result = kiln_ll_gpu_extremum(f, inst);
    return true;
  }
  if (op == KILN_OP_FREM || kiln_op_family(op) == KILN_FAMILY_MATH) {
    *result = function(f, inst);
    return true;
  }
  return false;
}

// ---- after the passes

// The product that a value is, up to its sign; NULL: the value is no product, or the sign of a zero does not matter.
static LLVMValueRef product_of(LLVMValueRef value) {
  if (LLVMIsAUnaryOperator(value))
    value = LLVMGetOperand(value, 0);
  bool is_product = LLVMIsABinaryOperator(value) && LLVMGetInstructionOpcode(value) == LLVMFMul;
  return is_product && !(LLVMGetFastMathFlags(value) & LLVMFastMathNoSignedZeros) ? value : NULL;
}

static void keep_sign(struct kiln_ll *ll, LLVMValueRef rounded) {
  LLVMValueRef product = LLVMIsAFPTruncInst(rounded) ? product_of(LLVMGetOperand(rounded, 0)) : NULL;
  if (!product)
    return;
  LLVMTypeRef type = LLVMTypeOf(product);
  LLVMPositionBuilderBefore(ll->b, product);
  LLVMValueRef args[3] = {LLVMGetOperand(product, 0), LLVMGetOperand(product, 1), kiln_ll_splat_float(type, -0.0)};
  LLVMValueRef sum = kiln_ll_intrinsic_same(ll, "llvm.fma", args, 3);
  LLVMSetFastMathFlags(sum, LLVMGetFastMathFlags(product));
  LLVMReplaceAllUsesWith(product, sum);
  LLVMInstructionEraseFromParent(product);
}

void kiln_ll_amdgpu_keep_signs(struct kiln_ll *ll) {
  ll->b = LLVMCreateBuilderInContext(ll->context);
  for (LLVMValueRef fn = LLVMGetFirstFunction(ll->module); fn; fn = LLVMGetNextFunction(fn))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in))
        keep_sign(ll, in);
  LLVMDisposeBuilder(ll->b);
}
