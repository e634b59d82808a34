// Conversions, in all rounding modes. A directed rounding is a rounding to nearest, compared with the exact value and
// moved by one unit where it went the wrong way. f16 is converted bit by bit where the machine has no instruction.
#include "backends/llvm/core/emit.h"
#include "backends/llvm/core/float_range.h"
#include "kiln/op_cases.h"

#include <math.h>
#include <string.h>

static LLVMValueRef bits_of(struct kiln_ll *ll, LLVMValueRef value, LLVMTypeRef element) {
  return LLVMBuildBitCast(ll->b, value, kiln_ll_like(value, element), "");
}

// ---- f16

static LLVMValueRef only_where(LLVMBuilderRef b, LLVMValueRef condition, LLVMTypeRef type, uint64_t bits) {
  return LLVMBuildSelect(b, condition, kiln_ll_splat(type, bits), LLVMConstNull(type), "");
}

LLVMValueRef kiln_ll_half_to_float(struct kiln_ll *ll, LLVMValueRef half) {
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef f32 = kiln_ll_like(half, ll->f32), i32 = kiln_ll_like(half, ll->i32);
  if (kiln_ll_is_float(LLVMTypeOf(half)))
    return LLVMBuildFPExt(b, half, f32, "");
  if (ll->machine->half_conversion)
    return LLVMBuildFPExt(b, bits_of(ll, half, ll->half), f32, "");
  LLVMValueRef wide = LLVMBuildZExt(b, half, i32, "");
  LLVMValueRef magnitude =
      LLVMBuildShl(b, LLVMBuildAnd(b, wide, kiln_ll_splat(i32, 0x7fff), ""), kiln_ll_splat(i32, 13), "");
  LLVMValueRef is_small = LLVMBuildICmp(b, LLVMIntSLT, magnitude, kiln_ll_splat(i32, 0x400u << 13), "");
  LLVMValueRef is_special = LLVMBuildICmp(b, LLVMIntSGT, magnitude, kiln_ll_splat(i32, 0x7bffu << 13), "");
  // The largest exponent is that of infinity and NaN. The smallest one, of subnormals, becomes the next one with a
  // hidden bit, which is subtracted again. Subtracting 0 from all other numbers makes a NaN quiet.
  LLVMValueRef bias = LLVMBuildAdd(b, magnitude, kiln_ll_splat(i32, (127 - 15) << 23), "");
  bias = LLVMBuildAdd(b, bias, only_where(b, is_special, i32, (128 - 16) << 23), "");
  bias = LLVMBuildAdd(b, bias, only_where(b, is_small, i32, 1u << 23), "");
  LLVMValueRef hidden = LLVMBuildBitCast(b, only_where(b, is_small, i32, (127 - 14) << 23), f32, "");
  LLVMValueRef result = LLVMBuildFSub(b, LLVMBuildBitCast(b, bias, f32, ""), hidden, "");
  result = LLVMBuildBitCast(b, result, i32, "");
  LLVMValueRef sign =
      LLVMBuildShl(b, LLVMBuildAnd(b, wide, kiln_ll_splat(i32, 0x8000), ""), kiln_ll_splat(i32, 16), "");
  return LLVMBuildBitCast(b, LLVMBuildOr(b, result, sign, ""), f32, "");
}

LLVMValueRef kiln_ll_float_to_half(struct kiln_ll *ll, LLVMValueRef value) {
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef f32 = kiln_ll_like(value, ll->f32), i32 = kiln_ll_like(value, ll->i32);
  LLVMTypeRef i16 = kiln_ll_like(value, ll->i16), half = kiln_ll_like(value, ll->half);
  if (ll->machine->native_half)
    return LLVMBuildFPTrunc(b, value, half, "");
  if (ll->machine->half_conversion)
    return LLVMBuildBitCast(b, LLVMBuildFPTrunc(b, value, half, ""), i16, "");
  LLVMValueRef raw = LLVMBuildBitCast(b, value, i32, "");
  LLVMValueRef sign = LLVMBuildAnd(b, raw, kiln_ll_splat(i32, 0x80000000u), "");
  LLVMValueRef magnitude = LLVMBuildXor(b, raw, sign, "");
  // Normal: an addition rounds the last bits; its carry reaches the exponent.
  LLVMValueRef odd =
      LLVMBuildAnd(b, LLVMBuildLShr(b, magnitude, kiln_ll_splat(i32, 13), ""), kiln_ll_splat(i32, 1), "");
  LLVMValueRef normal = LLVMBuildAdd(b, magnitude, kiln_ll_splat(i32, ((15u - 127) << 23) + 0xfff), "");
  normal = LLVMBuildLShr(b, LLVMBuildAdd(b, normal, odd, ""), kiln_ll_splat(i32, 13), "");
  // Subnormal: adding 0.5 shifts the result's bits to the bottom, rounded.
  LLVMValueRef shifted = LLVMBuildFAdd(b, LLVMBuildBitCast(b, magnitude, f32, ""), kiln_ll_splat_float(f32, 0.5), "");
  LLVMValueRef small = LLVMBuildSub(b, LLVMBuildBitCast(b, shifted, i32, ""), kiln_ll_splat(i32, 126u << 23), "");
  // Infinity, values that round to it, and NaN, which becomes quiet.
  LLVMValueRef payload =
      LLVMBuildAnd(b, LLVMBuildLShr(b, magnitude, kiln_ll_splat(i32, 13), ""), kiln_ll_splat(i32, 0x3ff), "");
  LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntUGT, magnitude, kiln_ll_splat(i32, 0x7f800000), "");
  LLVMValueRef large = LLVMBuildSelect(b, is_nan, LLVMBuildOr(b, payload, kiln_ll_splat(i32, 0x7e00), ""),
                                       kiln_ll_splat(i32, 0x7c00), "");
  LLVMValueRef is_large = LLVMBuildICmp(b, LLVMIntUGE, magnitude, kiln_ll_splat(i32, (127u + 16) << 23), "");
  LLVMValueRef is_small = LLVMBuildICmp(b, LLVMIntULT, magnitude, kiln_ll_splat(i32, 113u << 23), "");
  LLVMValueRef result = LLVMBuildSelect(b, is_small, small, normal, "");
  result = LLVMBuildSelect(b, is_large, large, result, "");
  result = LLVMBuildOr(b, result, LLVMBuildLShr(b, sign, kiln_ll_splat(i32, 16), ""), "");
  return LLVMBuildTrunc(b, result, i16, "");
}

// Rounds to odd in f32 first: the second rounding then sees a tie only if the value is a tie.
static LLVMValueRef double_to_half(struct kiln_ll *ll, LLVMValueRef value) {
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef f32 = kiln_ll_like(value, ll->f32), f64 = LLVMTypeOf(value), i32 = kiln_ll_like(value, ll->i32);
  LLVMValueRef single = LLVMBuildFPTrunc(b, value, f32, ""), back = LLVMBuildFPExt(b, single, f64, "");
  LLVMValueRef raw = LLVMBuildBitCast(b, single, i32, "");
  LLVMValueRef far = LLVMBuildFCmp(b, LLVMRealOGT, kiln_ll_intrinsic_same(ll, "llvm.fabs", &back, 1),
                                   kiln_ll_intrinsic_same(ll, "llvm.fabs", &value, 1), "");
  LLVMValueRef truncated = LLVMBuildSub(b, raw, LLVMBuildZExt(b, far, i32, ""), "");
  LLVMValueRef inexact = LLVMBuildFCmp(b, LLVMRealONE, back, value, "");
  LLVMValueRef odd = LLVMBuildOr(b, truncated, LLVMBuildZExt(b, inexact, i32, ""), "");
  return kiln_ll_float_to_half(ll, LLVMBuildBitCast(b, odd, f32, ""));
}

// ---- directed rounding

// rounded: bits of the result of rounding to nearest. above, below: whether the result is greater (less) than the exact
// value.
static LLVMValueRef redirect(struct kiln_ll *ll, LLVMValueRef rounded, LLVMValueRef above, LLVMValueRef below,
                             enum kiln_round mode) {
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef type = LLVMTypeOf(rounded);
  LLVMValueRef negative = LLVMBuildICmp(b, LLVMIntSLT, rounded, LLVMConstNull(type), "");
  LLVMValueRef one = kiln_ll_splat(type, 1), minus = LLVMConstAllOnes(type), zero = LLVMConstNull(type);
  LLVMValueRef down = LLVMBuildSelect(b, above, LLVMBuildSelect(b, negative, one, minus, ""), zero, "");
  LLVMValueRef up = LLVMBuildSelect(b, below, LLVMBuildSelect(b, negative, minus, one, ""), zero, "");
  switch (mode) {
  case KILN_ROUND_EVEN:
    return rounded;
  case KILN_ROUND_UP:
    return LLVMBuildAdd(b, rounded, up, "");
  case KILN_ROUND_DOWN:
    return LLVMBuildAdd(b, rounded, down, "");
  case KILN_ROUND_ZERO:
    return LLVMBuildAdd(b, rounded, LLVMBuildSelect(b, negative, up, down, ""), "");
  }
  return rounded;
}

static LLVMTypeRef float_type(struct kiln_ll *ll, enum kiln_kind kind) { return kind == KILN_F64 ? ll->f64 : ll->f32; }

// value, a float of any kind, as f32 or f64.
static LLVMValueRef widen_half(struct kiln_ll *ll, enum kiln_kind kind, LLVMValueRef value) {
  return kind == KILN_F16 ? kiln_ll_half_to_float(ll, value) : value;
}

static LLVMValueRef float_to_float(struct kiln_ll *ll, enum kiln_kind from, enum kiln_kind to, enum kiln_round mode,
                                   LLVMValueRef value) {
  LLVMBuilderRef b = ll->b;
  if (from == to)
    return value;
  value = widen_half(ll, from, value);
  if (from == KILN_F16)
    from = KILN_F32;
  if (to == KILN_F64)
    return LLVMBuildFPExt(b, value, kiln_ll_like(value, ll->f64), "");
  if (to == from)
    return value;
  LLVMTypeRef source = LLVMTypeOf(value), f32 = kiln_ll_like(value, ll->f32);
  LLVMValueRef result;
  if (to == KILN_F32)
    result = LLVMBuildFPTrunc(b, value, f32, "");
  else if (from == KILN_F64)
    result = double_to_half(ll, value);
  else
    result = kiln_ll_float_to_half(ll, value);
  if (mode == KILN_ROUND_EVEN)
    return result;
  LLVMValueRef back = to == KILN_F16 ? kiln_ll_half_to_float(ll, result) : result;
  if (from == KILN_F64)
    back = LLVMBuildFPExt(b, back, source, "");
  LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGT, back, value, "");
  LLVMValueRef below = LLVMBuildFCmp(b, LLVMRealOLT, back, value, "");
  LLVMTypeRef type = LLVMTypeOf(result);
  LLVMValueRef raw = bits_of(ll, result, kiln_ll_int(ll, kiln_kind_bits(to)));
  return LLVMBuildBitCast(b, redirect(ll, raw, above, below, mode), type, "");
}

// ---- saturating

// x where the comparison with limit holds, else limit (also for a NaN): what minps and maxps do.
static LLVMValueRef nearer(struct kiln_ll *ll, LLVMRealPredicate comparison, LLVMValueRef x, double limit) {
  LLVMValueRef bound = kiln_ll_splat_float(LLVMTypeOf(x), limit);
  return LLVMBuildSelect(ll->b, LLVMBuildFCmp(ll->b, comparison, x, bound, ""), x, bound, "");
}

static bool is_x86_vector(const struct kiln_ll *ll, LLVMValueRef x) {
  return kiln_ll_lanes(x) > 1 && !strncmp(ll->machine->triple, "x86_64", 6);
}

// Whether one instruction rounds half to even and converts to 32 bits, in which the values must be: cvtps2dq.
static bool rounds_at_once(const struct kiln_ll *ll, LLVMValueRef x, LLVMTypeRef to, enum kiln_round mode) {
  return mode == KILN_ROUND_EVEN && is_x86_vector(ll, x) && LLVMGetElementType(LLVMTypeOf(x)) == ll->f32 &&
         kiln_ll_bits(to) < 32;
}

static LLVMValueRef round_at_once(struct kiln_ll *ll, LLVMValueRef x) {
  LLVMTypeRef types[2] = {kiln_ll_like(x, ll->i32), LLVMTypeOf(x)};
  return kiln_ll_intrinsic(ll, "llvm.lrint", types, 2, &x, 1);
}

// x86 vectors, for which LLVM expands the intrinsics to four branches per element. The value is clamped to the range
// before the conversion; where the largest integer is no float, the next smaller float takes its place. rounds: the
// value has a fraction, which is rounded after that, as limits are integers.
static LLVMValueRef saturate_vector(struct kiln_ll *ll, LLVMTypeRef to, LLVMValueRef x, bool is_signed, bool rounds) {
  LLVMBuilderRef b = ll->b;
  unsigned bits = kiln_ll_bits(to);
  unsigned digits = LLVMGetElementType(LLVMTypeOf(x)) == ll->f64 ? 53 : 24, magnitude = bits - is_signed;
  double end = (double)(UINT64_C(1) << (magnitude - 1)) * 2, least = is_signed ? -end : 0;
  bool exact = magnitude <= digits;
  double most = exact ? end - 1 : end - end / (double)(UINT64_C(1) << digits);
  LLVMTypeRef wide = bits < 32 ? kiln_ll_like(x, ll->i32) : to;
  LLVMValueRef inside = nearer(ll, LLVMRealOLT, nearer(ll, LLVMRealOGT, x, least), most);
  LLVMValueRef result = rounds                   ? round_at_once(ll, inside)
                        : is_signed || bits < 32 ? LLVMBuildFPToSI(b, inside, wide, "")
                                                 : LLVMBuildFPToUI(b, inside, wide, "");
  if (bits < 32)
    result = LLVMBuildTrunc(b, result, to, "");
  if (!exact) {
    LLVMValueRef largest = kiln_ll_splat(to, is_signed ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX);
    LLVMValueRef past = LLVMBuildFCmp(b, LLVMRealOGE, x, kiln_ll_splat_float(LLVMTypeOf(x), end), "");
    result = LLVMBuildSelect(b, past, largest, result, "");
  }
  if (is_signed)
    result = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, x, x, ""), LLVMConstNull(to), result, "");
  return result;
}

// Rounds toward zero. Values out of range become the nearest integer, a NaN 0.
static LLVMValueRef saturate(struct kiln_ll *ll, LLVMTypeRef to, LLVMValueRef x, bool is_signed) {
  if (is_x86_vector(ll, x))
    return saturate_vector(ll, to, x, is_signed, false);
  LLVMTypeRef types[2] = {to, LLVMTypeOf(x)};
  return kiln_ll_intrinsic(ll, is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat", types, 2, &x, 1);
}

// ---- between integers and floats

static LLVMValueRef int_to_float(struct kiln_ll *ll, unsigned bits, enum kiln_kind to, enum kiln_round mode,
                                 LLVMValueRef value, bool is_signed) {
  LLVMBuilderRef b = ll->b;
  if (to == KILN_F16) { // f64 holds every integer in the range of f16
    LLVMTypeRef f64 = kiln_ll_like(value, ll->f64);
    LLVMValueRef wide = is_signed ? LLVMBuildSIToFP(b, value, f64, "") : LLVMBuildUIToFP(b, value, f64, "");
    return float_to_float(ll, KILN_F64, KILN_F16, mode, wide);
  }
  LLVMTypeRef type = kiln_ll_like(value, float_type(ll, to)), integer = LLVMTypeOf(value);
  LLVMValueRef result = is_signed ? LLVMBuildSIToFP(b, value, type, "") : LLVMBuildUIToFP(b, value, type, "");
  if (mode == KILN_ROUND_EVEN || bits < (to == KILN_F64 ? 64u : 32u))
    return result;
  // Converts back to an integer to compare. Only the first power of two above the range does not fit; it saturates to
  // less than itself, so it counts as above.
  LLVMValueRef back = saturate(ll, integer, result, is_signed);
  LLVMValueRef limit = kiln_ll_splat_float(type, (double)(UINT64_C(1) << (bits - 1)) * (is_signed ? 1 : 2));
  LLVMValueRef above = LLVMBuildICmp(b, is_signed ? LLVMIntSGT : LLVMIntUGT, back, value, "");
  above = LLVMBuildOr(b, above, LLVMBuildFCmp(b, LLVMRealOGE, result, limit, ""), "");
  LLVMValueRef below = LLVMBuildICmp(b, is_signed ? LLVMIntSLT : LLVMIntULT, back, value, "");
  below = LLVMBuildAnd(b, below, LLVMBuildNot(b, above, ""), "");
  LLVMValueRef raw = bits_of(ll, result, kiln_ll_int(ll, kiln_kind_bits(to)));
  return LLVMBuildBitCast(b, redirect(ll, raw, above, below, mode), type, "");
}

// Whether all values that x can have are integers of the type after rounding, in any mode.
static bool fits(const struct kiln_ll_fn *f, kiln_value x, LLVMTypeRef to, bool is_signed) {
  struct kiln_ll_float_range range = kiln_ll_float_range(f, x);
  double end = ldexp(1, (int)(kiln_ll_bits(to) - is_signed));
  return !range.nan && range.low >= (is_signed ? -end : 0) && range.high <= end - 1;
}

static LLVMValueRef float_to_int(struct kiln_ll *ll, enum kiln_kind from, LLVMTypeRef to, enum kiln_round mode,
                                 LLVMValueRef value, bool is_signed, bool in_range) {
  value = widen_half(ll, from, value);
  if (rounds_at_once(ll, value, to, mode))
    return in_range ? LLVMBuildTrunc(ll->b, round_at_once(ll, value), to, "")
                    : saturate_vector(ll, to, value, is_signed, true);
  switch (mode) {
  case KILN_ROUND_EVEN:
    value = kiln_ll_intrinsic_same(ll, "llvm.rint", &value, 1);
    break;
  case KILN_ROUND_UP:
    value = kiln_ll_intrinsic_same(ll, "llvm.ceil", &value, 1);
    break;
  case KILN_ROUND_DOWN:
    value = kiln_ll_intrinsic_same(ll, "llvm.floor", &value, 1);
    break;
  case KILN_ROUND_ZERO:
    break;
  }
  if (!in_range)
    return saturate(ll, to, value, is_signed);
  return is_signed ? LLVMBuildFPToSI(ll->b, value, to, "") : LLVMBuildFPToUI(ll->b, value, to, "");
}

LLVMValueRef kiln_ll_convert(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef x = kiln_ll_operand(f, inst, 0);
  kiln_type from = kiln_value_type(f->fn, kiln_operands(f->fn, inst)[0]);
  enum kiln_kind from_kind = kiln_type_kind(from), to_kind = kiln_type_kind(in->type);
  LLVMTypeRef to = kiln_ll_result_type(f, in->type);
  enum kiln_round mode = (enum kiln_round)(in->imm & 3);
  switch (kiln_op_of(in)) {
  case KILN_OP_TRUNC:
    return LLVMTypeOf(x) == to ? x : LLVMBuildTrunc(b, x, to, "");
  case KILN_OP_ZEXT:
    return LLVMTypeOf(x) == to ? x : LLVMBuildZExt(b, x, to, "");
  case KILN_OP_SEXT:
    return LLVMTypeOf(x) == to ? x : LLVMBuildSExt(b, x, to, "");
  case KILN_OP_FTOS:
  case KILN_OP_FTOU:
    return float_to_int(ll, from_kind, to, mode, x, in->op == KILN_OP_FTOS,
                        fits(f, kiln_operands(f->fn, inst)[0], to, in->op == KILN_OP_FTOS));
  case KILN_OP_STOF:
  case KILN_OP_UTOF:
    return int_to_float(ll, kiln_kind_bits(from_kind), to_kind, mode, x, in->op == KILN_OP_STOF);
  case KILN_OP_FTOF:
    return float_to_float(ll, from_kind, to_kind, mode, x);
  case KILN_OP_BITCAST:
    return LLVMBuildBitCast(b, x, to, "");
  case KILN_OP_PTOI:
    return LLVMBuildPtrToInt(b, x, to, "");
  case KILN_OP_ITOP:
    return LLVMBuildIntToPtr(b, x, to, "");
  case KILN_OP_PCAST:
    return kiln_type_space(in->type) == KILN_GENERIC ? ll->hooks->to_generic(f, x, kiln_type_space(from))
                                                     : ll->hooks->from_generic(f, x, kiln_type_space(in->type));
  case KILN_OP_PSPACE:
    return ll->hooks->space_of(f, x);
    KILN_CASES_BUT_CONVERT break;
  }
  return NULL;
}
