// Floating point of NVIDIA GPUs: division and square roots within the error that the build options allow, minimum and
// maximum, and the approximations of hardware. All other functions come as text of the kernel language
// (kiln_caps.inline_math). LLVM 19 takes no notice of !fpmath, and selects none of its own intrinsics for functions.
#include "backends/llvm/gpu/nvptx.h"

#include <stdio.h>
#include <string.h>

static bool flushes(const struct kiln_ll *ll) { return ll->job->options.flags & KILN_BUILD_FTZ; }

static LLVMValueRef one(struct kiln_ll *ll, const void *user, LLVMValueRef *args, uint32_t count) {
  const char *name = user, *ftz = flushes(ll) ? ".ftz" : "";
  char text[48];
  if (strcmp(name, "div.full") != 0) {
    snprintf(text, sizeof text, "llvm.nvvm.%s%s.f", name, ftz);
    return kiln_ll_intrinsic(ll, text, NULL, 0, args, count);
  }
  snprintf(text, sizeof text, "%s%s.f32 $0, $1, $2;", name, ftz); // LLVM 19 has no intrinsic of it
  return kiln_ll_nvptx_assembly(ll, text, "=f,f,f", ll->f32, args, count, false);
}

// The instruction for f32.
static LLVMValueRef each(struct kiln_ll *ll, const char *name, LLVMValueRef *args, uint32_t count) {
  return kiln_ll_gpu_by_element(ll, LLVMTypeOf(args[0]), args, count, false, one, name);
}

static bool is_fast(const struct kiln_inst *in) { return in->flags & (KILN_FP_APPROX | KILN_FP_NATIVE | KILN_FP_HALF); }

// ---- division and roots

// Division by a constant power of two is a product, which LLVM makes.
static bool is_constant(LLVMValueRef value) { return LLVMIsConstant(value); }

static LLVMValueRef divide(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef y, bool loose, bool native) {
  LLVMValueRef args[2] = {x, y};
  if (!loose || is_constant(y))
    return LLVMBuildFDiv(ll->b, x, y, "");
  return each(ll, native ? "div.approx" : "div.full", args, 2); // full: 2 ulp
}

// Of any lanes. Approximate roots are within 2 ulp, as are their reciprocals.
static LLVMValueRef root_or_quotient(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef x = kiln_ll_operand(f, inst, 0);
  bool half = kiln_type_kind(in->type) == KILN_F16, single = kiln_type_kind(in->type) == KILN_F32;
  bool loose = single && (is_fast(in) || !(ll->job->options.flags & KILN_BUILD_EXACT_DIV));
  if (in->op == KILN_OP_FDIV && !half)
    return divide(ll, x, kiln_ll_operand(f, inst, 1), loose, in->flags & KILN_FP_NATIVE);
  if (in->op == KILN_OP_SQRT && loose)
    return each(ll, "sqrt.approx", &x, 1);
  if (in->op == KILN_OP_RSQRT && single)
    return each(ll, "rsqrt.approx", &x, 1);
  LLVMValueRef wide = half ? kiln_ll_half_to_float(ll, x) : x, result;
  if (in->op == KILN_OP_FDIV) // of half: f32 has more than twice the bits
    result = LLVMBuildFDiv(ll->b, wide, kiln_ll_half_to_float(ll, kiln_ll_operand(f, inst, 1)), "");
  else if (in->op == KILN_OP_RSQRT && half)
    result = each(ll, "rsqrt.approx", &wide, 1);
  else
    result = kiln_ll_intrinsic_same(ll, "llvm.sqrt", &wide, 1);
  if (in->op == KILN_OP_RSQRT && !half)
    result = LLVMBuildFDiv(ll->b, kiln_ll_splat_float(LLVMTypeOf(x), 1), result, "");
  return half ? kiln_ll_float_to_half(ll, result) : result;
}

// ---- functions

#define REAL(value) kiln_ll_splat_float(LLVMTypeOf(x), value)

static LLVMValueRef times(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef y) { return LLVMBuildFMul(ll->b, x, y, ""); }

// The fastest form of a function of float; NULL: the hardware lacks the function.
static LLVMValueRef approximate(struct kiln_ll *ll, enum kiln_op op, LLVMValueRef *args) {
  LLVMValueRef x = args[0];
  if (op == KILN_OP_SIN)
    return each(ll, "sin.approx", &x, 1);
  if (op == KILN_OP_COS)
    return each(ll, "cos.approx", &x, 1);
  if (op == KILN_OP_TAN) {
    LLVMValueRef parts[2] = {each(ll, "sin.approx", &x, 1), each(ll, "cos.approx", &x, 1)};
    return each(ll, "div.approx", parts, 2);
  }
  if (op == KILN_OP_EXP2)
    return each(ll, "ex2.approx", &x, 1);
  if (op == KILN_OP_LOG2)
    return each(ll, "lg2.approx", &x, 1);
  if (op == KILN_OP_EXP || op == KILN_OP_EXP10) {
    LLVMValueRef power = times(ll, x, REAL(op == KILN_OP_EXP ? 0x1.715476p+0 : 0x1.a934fp+1));
    return each(ll, "ex2.approx", &power, 1);
  }
  if (op == KILN_OP_LOG || op == KILN_OP_LOG10)
    return times(ll, each(ll, "lg2.approx", &x, 1), REAL(op == KILN_OP_LOG ? 0x1.62e43p-1 : 0x1.344136p-2));
  if (op == KILN_OP_POW) { // of x that is not negative
    LLVMValueRef power = times(ll, args[1], each(ll, "lg2.approx", &x, 1));
    return each(ll, "ex2.approx", &power, 1);
  }
  return NULL;
}

static LLVMValueRef function(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef args[2] = {NULL};
  for (uint32_t i = 0; i < in->operand_count && i < 2; i++)
    args[i] = kiln_ll_operand(f, inst, i);
  LLVMValueRef result =
      kiln_type_kind(in->type) == KILN_F32 && is_fast(in) ? approximate(ll, kiln_op_of(in), args) : NULL;
  if (result)
    return result;
  kiln_ll_fail(ll, KILN_ERR_UNSUPPORTED,
               "'%s': there is no code for the operation '%s' of %u bits on NVIDIA GPUs; kernels in OpenCL C get such "
               "functions as text",
               f->fn->name, kiln_op_table[in->op].name, kiln_kind_bits(kiln_type_kind(in->type)));
  return LLVMGetUndef(kiln_ll_type(ll, in->type));
}

// By bits: LLVM 19 makes five instructions of its intrinsic, one of which chooses between two NaNs.
static LLVMValueRef copy_sign(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  LLVMValueRef x = kiln_ll_operand(f, inst, 0), y = kiln_ll_operand(f, inst, 1);
  LLVMTypeRef type = LLVMTypeOf(x);
  unsigned width = kiln_kind_bits(kiln_type_kind(kiln_inst(f->fn, inst)->type));
  LLVMTypeRef bits = kiln_ll_like(x, kiln_ll_int(ll, width));
  uint64_t sign = UINT64_C(1) << (width - 1);
  LLVMValueRef rest = LLVMBuildAnd(b, LLVMBuildBitCast(b, x, bits, ""), kiln_ll_splat(bits, sign - 1), "");
  LLVMValueRef top = LLVMBuildAnd(b, LLVMBuildBitCast(b, y, bits, ""), kiln_ll_splat(bits, sign), "");
  return LLVMBuildBitCast(b, LLVMBuildOr(b, rest, top, ""), type, "");
}

bool kiln_ll_nvptx_math(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result) {
  enum kiln_op op = kiln_op_of(kiln_inst(f->fn, inst));
  if (op == KILN_OP_FDIV || op == KILN_OP_SQRT || op == KILN_OP_RSQRT) {
    *result = root_or_quotient(f, inst);
    return true;
  }
  if (op == KILN_OP_COPYSIGN) {
    *result = copy_sign(f, inst);
    return true;
  }
  if (op == KILN_OP_FMIN || op == KILN_OP_FMAX) {
    *result = kiln_ll_gpu_extremum(f, inst);
    return *result != NULL;
  }
  if (op == KILN_OP_FREM || kiln_op_family(op) == KILN_FAMILY_MATH) {
    *result = function(f, inst);
    return true;
  }
  return false;
}
