// Floating point where AMDGPU has instructions or a library of its own: division and square roots within the error that
// the build options allow, minimum and maximum, and the mathematical functions. Those that the hardware computes well
// enough are LLVM's intrinsics, the others functions of ocml.bc, which is linked when one of them is called.
#include <stdio.h>
#include <string.h>

#include "backends/llvm/amdgpu.h"

// Fast-math flags of LLVM for what the IR allows. Never contraction.
static unsigned math_flags(const struct kiln_inst *in) {
  unsigned math = 0;
  math |= in->flags & KILN_FP_NNAN ? LLVMFastMathNoNaNs : 0;
  math |= in->flags & KILN_FP_NINF ? LLVMFastMathNoInfs : 0;
  math |= in->flags & KILN_FP_NSZ ? LLVMFastMathNoSignedZeros : 0;
  math |= in->flags & KILN_FP_ARCP ? LLVMFastMathAllowReciprocal : 0;
  math |= in->flags & KILN_FP_REASSOC ? LLVMFastMathAllowReassoc : 0;
  return math;
}

static bool is_fast(const struct kiln_inst *in) { return in->flags & (KILN_FP_APPROX | KILN_FP_NATIVE | KILN_FP_HALF); }

static LLVMValueRef with_flags(LLVMValueRef value, unsigned flags) {
  if (flags && LLVMIsAInstruction(value) && LLVMCanValueUseFastMathFlags(value))
    LLVMSetFastMathFlags(value, flags);
  return value;
}

// The result may be wrong by so many units in the last place.
static LLVMValueRef within(struct kiln_ll *ll, LLVMValueRef value, double ulps) {
  LLVMMetadataRef bound = LLVMValueAsMetadata(LLVMConstReal(ll->f32, ulps));
  if (LLVMIsAInstruction(value))
    LLVMSetMetadata(value, LLVMGetMDKindIDInContext(ll->context, "fpmath", 6),
                    LLVMMetadataAsValue(ll->context, LLVMMDNodeInContext2(ll->context, &bound, 1)));
  return value;
}

static LLVMValueRef divide(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef y, unsigned flags, double ulps) {
  LLVMValueRef result = with_flags(LLVMBuildFDiv(ll->b, x, y, ""), flags);
  return ulps > 0 ? within(ll, result, ulps) : result;
}

static LLVMValueRef square_root(struct kiln_ll *ll, LLVMValueRef x, unsigned flags, double ulps) {
  LLVMValueRef result = with_flags(kiln_ll_intrinsic_same(ll, "llvm.sqrt", &x, 1), flags);
  return ulps > 0 ? within(ll, result, ulps) : result;
}

// Division and roots of any lanes.
static LLVMValueRef root_or_quotient(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef x = kiln_ll_operand(f, inst, 0);
  bool is_single = kiln_type_kind(in->type) == KILN_F32, exact = ll->job->options.flags & KILN_BUILD_EXACT_DIV;
  unsigned flags =
      math_flags(in) | (is_fast(in) && is_single ? LLVMFastMathApproxFunc | LLVMFastMathAllowReciprocal : 0);
  bool loose = is_single && (!exact || is_fast(in));
  switch ((int)in->op) {
  case KILN_OP_FDIV:
    return divide(ll, x, kiln_ll_operand(f, inst, 1), flags, loose ? 2.5 : 0);
  case KILN_OP_SQRT:
    return square_root(ll, x, flags, loose ? 3 : 0);
  case KILN_OP_RSQRT: { // 2 ulp; LLVM makes one instruction of both where they may be contracted
    flags |= is_single ? LLVMFastMathAllowContract : 0;
    LLVMValueRef one = kiln_ll_splat_float(LLVMTypeOf(x), 1);
    return divide(ll, one, square_root(ll, x, flags, is_single ? 2 : 0), flags, is_single ? 2 : 0);
  }
  }
  return NULL;
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
  return with_flags(kiln_ll_intrinsic_same(ll, name, &x, 1), flags | LLVMFastMathApproxFunc);
}

// The device's fastest way to compute op on f32; NULL: it has none.
static LLVMValueRef fast_single(struct kiln_ll *ll, enum kiln_op op, LLVMValueRef *args, unsigned flags) {
  LLVMBuilderRef b = ll->b;
  switch ((int)op) {
  case KILN_OP_SIN:
    return approximate(ll, "llvm.sin", args[0], flags);
  case KILN_OP_COS:
    return approximate(ll, "llvm.cos", args[0], flags);
  case KILN_OP_TAN: {
    LLVMValueRef sine = approximate(ll, "llvm.sin", args[0], flags);
    LLVMValueRef quotient = LLVMBuildFDiv(b, sine, approximate(ll, "llvm.cos", args[0], flags), "");
    return with_flags(quotient, flags | LLVMFastMathApproxFunc | LLVMFastMathAllowReciprocal);
  }
  case KILN_OP_EXP:
    return approximate(ll, "llvm.exp", args[0], flags);
  case KILN_OP_EXP2:
    return approximate(ll, "llvm.exp2", args[0], flags);
  case KILN_OP_EXP10:
    return approximate(ll, "llvm.exp10", args[0], flags);
  case KILN_OP_LOG:
    return approximate(ll, "llvm.log", args[0], flags);
  case KILN_OP_LOG2:
    return approximate(ll, "llvm.log2", args[0], flags);
  case KILN_OP_LOG10:
    return approximate(ll, "llvm.log10", args[0], flags);
  }
  return NULL;
}

// Functions of f32 that LLVM expands within the error of OpenCL C.
static const char *intrinsic_of(enum kiln_op op) {
  switch ((int)op) {
  case KILN_OP_EXP:
    return "llvm.exp";
  case KILN_OP_EXP2:
    return "llvm.exp2";
  case KILN_OP_EXP10:
    return "llvm.exp10";
  case KILN_OP_LOG:
    return "llvm.log";
  case KILN_OP_LOG2:
    return "llvm.log2";
  case KILN_OP_LOG10:
    return "llvm.log10";
  }
  return NULL;
}

// native_powr and the like: 2^(y log2 x), for x that is not negative.
static LLVMValueRef fast_power(struct kiln_ll *ll, LLVMValueRef *args, unsigned flags) {
  LLVMValueRef product = LLVMBuildFMul(ll->b, args[1], approximate(ll, "llvm.log2", args[0], flags), "");
  return approximate(ll, "llvm.exp2", product, flags);
}

static LLVMValueRef scalar_function(struct kiln_ll_fn *f, const struct kiln_inst *in, LLVMValueRef *args) {
  struct kiln_ll *ll = f->ll;
  enum kiln_op op = (enum kiln_op)in->op;
  uint32_t count = in->operand_count;
  if (LLVMTypeOf(args[0]) == ll->f32) {
    unsigned flags = math_flags(in);
    LLVMValueRef result = is_fast(in) ? fast_single(ll, op, args, flags) : NULL;
    if (!result && op == KILN_OP_POW && in->flags & KILN_FP_NATIVE)
      result = fast_power(ll, args, flags);
    if (result)
      return result;
    if (intrinsic_of(op))
      return with_flags(kiln_ll_intrinsic_same(ll, intrinsic_of(op), args, 1), flags);
  }
  return library_call(ll, op == KILN_OP_FREM ? "fmod" : kiln_op_table[op].name, args, count);
}

static LLVMValueRef function(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  uint32_t count = in->operand_count < 2 ? in->operand_count : 2;
  unsigned lanes = kiln_type_lanes(in->type);
  // f16 by way of f32, but for the function that is about the bits of the type.
  bool by_float = kiln_type_kind(in->type) == KILN_F16 && in->op != KILN_OP_NEXTAFTER && in->op != KILN_OP_FREM;
  LLVMValueRef args[2] = {NULL}, result = LLVMGetPoison(kiln_ll_type(ll, in->type));
  for (uint32_t i = 0; i < count; i++)
    args[i] = kiln_ll_operand(f, inst, i);
  for (unsigned lane = 0; lane < lanes; lane++) {
    LLVMValueRef scalars[2] = {args[0], args[1]}, index = LLVMConstInt(ll->i32, lane, false);
    for (uint32_t i = 0; i < count; i++) {
      scalars[i] = lanes > 1 ? LLVMBuildExtractElement(ll->b, args[i], index, "") : args[i];
      scalars[i] = by_float ? LLVMBuildFPExt(ll->b, scalars[i], ll->f32, "") : scalars[i];
    }
    LLVMValueRef one = scalar_function(f, in, scalars);
    one = by_float ? LLVMBuildFPTrunc(ll->b, one, ll->half, "") : one;
    result = lanes > 1 ? LLVMBuildInsertElement(ll->b, result, one, index, "") : one;
  }
  return result;
}

bool kiln_ll_amdgpu_math(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  enum kiln_op op = (enum kiln_op)in->op;
  if (op == KILN_OP_FDIV || op == KILN_OP_SQRT || op == KILN_OP_RSQRT) {
    *result = root_or_quotient(f, inst);
    return true;
  }
  if (op == KILN_OP_FMIN || op == KILN_OP_FMAX) {
    LLVMValueRef args[2] = {kiln_ll_operand(f, inst, 0), kiln_ll_operand(f, inst, 1)};
    *result = with_flags(kiln_ll_intrinsic_same(ll, op == KILN_OP_FMIN ? "llvm.minnum" : "llvm.maxnum", args, 2),
                         math_flags(in));
    return true;
  }
  if (op == KILN_OP_FREM || (op >= KILN_OP_CBRT && op <= KILN_OP_LOGB)) {
    *result = function(f, inst);
    return true;
  }
  return false;
}
