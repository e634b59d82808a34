// LLVM's types and values for those of the IR.
#include "backends/llvm/core/emit.h"
#include "kiln/op_cases.h"

#include <string.h>

LLVMTypeRef kiln_ll_ptr(struct kiln_ll *ll, enum kiln_space space) {
  return LLVMPointerTypeInContext(ll->context, ll->hooks->spaces[space]);
}

LLVMTypeRef kiln_ll_int(struct kiln_ll *ll, unsigned bits) {
  switch (bits) {
  case 1:
    return ll->i1;
  case 8:
    return ll->i8;
  case 16:
    return ll->i16;
  case 32:
    return ll->i32;
  case 64:
    return ll->i64;
  }
  return LLVMIntTypeInContext(ll->context, bits);
}

static LLVMTypeRef kind_type(struct kiln_ll *ll, enum kiln_kind kind) {
  switch (kind) {
  case KILN_VOID:
    return ll->void_type;
  case KILN_BOOL:
    return ll->i1;
  case KILN_I8:
    return ll->i8;
  case KILN_I16:
    return ll->i16;
  case KILN_I32:
    return ll->i32;
  case KILN_I64:
    return ll->i64;
  case KILN_F16:
    return ll->machine->native_half ? ll->half : ll->i16;
  case KILN_F32:
    return ll->f32;
  case KILN_F64:
    return ll->f64;
  case KILN_PTR:
    return ll->ptr;
  case KILN_IMAGE: // the pass images has left none
    break;
  }
  return ll->void_type;
}

LLVMTypeRef kiln_ll_vector(LLVMTypeRef element, unsigned lanes) {
  return lanes > 1 ? LLVMVectorType(element, lanes) : element;
}

LLVMTypeRef kiln_ll_type(struct kiln_ll *ll, kiln_type type) {
  if (kiln_type_kind(type) == KILN_PTR)
    return kiln_ll_ptr(ll, kiln_type_space(type));
  return kiln_ll_vector(kind_type(ll, kiln_type_kind(type)), kiln_type_lanes(type));
}

unsigned kiln_ll_lanes(LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

LLVMTypeRef kiln_ll_like(LLVMValueRef value, LLVMTypeRef element) {
  return kiln_ll_vector(element, kiln_ll_lanes(value));
}

LLVMTypeRef kiln_ll_memory_type(struct kiln_ll *ll, kiln_type type) {
  bool is_bool = kiln_type_kind(type) == KILN_BOOL;
  return kiln_ll_type(ll, is_bool ? kiln_vec_type(KILN_I8, kiln_type_lanes(type)) : type);
}

LLVMValueRef kiln_ll_to_memory(struct kiln_ll *ll, kiln_type type, LLVMValueRef value) {
  return kiln_type_kind(type) == KILN_BOOL ? LLVMBuildZExt(ll->b, value, kiln_ll_like(value, ll->i8), "") : value;
}

LLVMValueRef kiln_ll_from_memory(struct kiln_ll *ll, kiln_type type, LLVMValueRef value) {
  return kiln_type_kind(type) == KILN_BOOL ? LLVMBuildTrunc(ll->b, value, kiln_ll_like(value, ll->i1), "") : value;
}

static LLVMValueRef splat(LLVMTypeRef type, LLVMValueRef element) {
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
    return element;
  LLVMValueRef lanes[16 * KILN_LL_MAX_LANES];
  unsigned count = LLVMGetVectorSize(type);
  for (unsigned i = 0; i < count; i++)
    lanes[i] = element;
  return LLVMConstVector(lanes, count);
}

static LLVMTypeRef element_of(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

LLVMValueRef kiln_ll_splat(LLVMTypeRef type, uint64_t value) {
  return splat(type, LLVMConstInt(element_of(type), value, false));
}

LLVMValueRef kiln_ll_splat_float(LLVMTypeRef type, double value) {
  return splat(type, LLVMConstReal(element_of(type), value));
}

bool kiln_ll_is_float(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(element_of(type));
  return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMHalfTypeKind;
}

unsigned kiln_ll_bits(LLVMTypeRef type) {
  LLVMTypeRef element = element_of(type);
  LLVMTypeKind kind = LLVMGetTypeKind(element);
  return kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(element)
         : kind == LLVMHalfTypeKind  ? 16
         : kind == LLVMFloatTypeKind ? 32
                                     : 64;
}

static LLVMValueRef constant(struct kiln_ll *ll, kiln_type type, uint64_t bits) {
  LLVMTypeRef element = kiln_ll_type(ll, kiln_type_element(type));
  enum kiln_kind kind = kiln_type_kind(type);
  LLVMValueRef value;
  if (kind == KILN_PTR) {
    value = bits ? LLVMConstIntToPtr(kiln_ll_i64(ll, bits), element) : ll->hooks->null(ll, kiln_type_space(type));
  } else if (kiln_kind_is_float(kind) && kiln_ll_is_float(element)) {
    value = LLVMConstBitCast(LLVMConstInt(kiln_ll_int(ll, kiln_kind_bits(kind)), bits, false), element);
  } else {
    value = LLVMConstInt(element, bits, false);
  }
  return splat(kiln_ll_type(ll, type), value);
}

// The address of a module variable. Addresses of local memory and of state are computed in the entry block, which has
// no terminator yet.
static LLVMValueRef global_address(struct kiln_ll_fn *f, uint32_t global) {
  struct kiln_ll *ll = f->ll;
  bool is_local = ll->ir->globals[global].space == KILN_LOCAL;
  if (!is_local && !(ll->hooks->state && kiln_ll_is_state(&ll->ir->globals[global])))
    return ll->globals[global];
  LLVMBasicBlockRef here = LLVMGetInsertBlock(ll->b);
  LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(ll->b);
  LLVMPositionBuilderAtEnd(ll->b, f->entry);
  LLVMValueRef result = is_local ? ll->hooks->local(f, global) : ll->hooks->state(f, global);
  LLVMPositionBuilderAtEnd(ll->b, here);
  LLVMSetCurrentDebugLocation2(ll->b, line);
  return result;
}

// Values that belong to the function, not to a region. They are made where they are used; all but parameters and local
// memory are LLVM constants.
static LLVMValueRef free_value(struct kiln_ll_fn *f, kiln_value value) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *inst = kiln_inst(f->fn, value);
  switch (kiln_op_of(inst)) {
  case KILN_OP_CONST:
    return constant(ll, inst->type, inst->imm);
  case KILN_OP_CONST_VEC: {
    LLVMValueRef lanes[16];
    for (uint32_t i = 0; i < inst->operand_count && i < 16; i++)
      lanes[i] = kiln_ll_held(f, kiln_operands(f->fn, value)[i]);
    return LLVMConstVector(lanes, inst->operand_count);
  }
  case KILN_OP_UNDEF: // zero: a poisoned divisor would make all of the function undefined
    return LLVMConstNull(kiln_ll_type(ll, inst->type));
  case KILN_OP_GLOBAL:
    return global_address(f, (uint32_t)inst->imm);
  case KILN_OP_PARAM: // set by kiln_ll_begin
    KILN_CASES_BUT_FREE break;
  }
  return NULL;
}

LLVMValueRef kiln_ll_get(struct kiln_ll_fn *f, kiln_value value) {
  return f->form ? f->ll->hooks->lanes->get(f, value) : kiln_ll_held(f, value);
}

LLVMTypeRef kiln_ll_result_type(struct kiln_ll_fn *f, kiln_type type) {
  unsigned lanes = f->form ? f->ll->hooks->lanes->width(f) : 1;
  if (lanes == 1)
    return kiln_ll_type(f->ll, type);
  return kiln_ll_vector(kiln_ll_type(f->ll, kiln_type_element(type)), kiln_type_lanes(type) * lanes);
}

LLVMValueRef kiln_ll_held(struct kiln_ll_fn *f, kiln_value value) {
  for (uint32_t i = 0; f->given && i < f->given->count; i++)
    if (f->given->values[i] == value)
      return f->given->held[i];
  if (f->values[value] && !f->group)
    return f->values[value];
  const struct kiln_inst *inst = kiln_inst(f->fn, value);
  if (kiln_op_table[inst->op].effect == KILN_EFFECT_FREE) {
    if (!f->values[value])
      f->values[value] = free_value(f, value);
    if (f->values[value])
      return f->values[value];
  } else if (f->group) {
    LLVMValueRef result = f->ll->hooks->groups->get(f, value);
    if (result)
      return result;
  }
  kiln_ll_fail(f->ll, KILN_ERR_INTERNAL, "emitter: value %%%u of '%s' (%s) is used before it is made", value,
               f->fn->name, kiln_op_table[inst->op].name);
  return f->values[value] = LLVMConstNull(kiln_ll_type(f->ll, kiln_value_type(f->fn, value)));
}

void kiln_ll_set(struct kiln_ll_fn *f, kiln_value value, LLVMValueRef result) {
  f->values[value] = result;
  if (f->group)
    f->ll->hooks->groups->set(f, value, result);
}

LLVMValueRef kiln_ll_operand(struct kiln_ll_fn *f, kiln_value inst, uint32_t index) {
  return kiln_ll_get(f, kiln_operands(f->fn, inst)[index]);
}

LLVMValueRef kiln_ll_alloca(struct kiln_ll_fn *f, LLVMTypeRef type, unsigned align, const char *name) {
  struct kiln_ll *ll = f->ll;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(ll->b);
  LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(ll->b);
  LLVMValueRef first = LLVMGetFirstInstruction(f->entry);
  if (first)
    LLVMPositionBuilderBefore(ll->b, first);
  else
    LLVMPositionBuilderAtEnd(ll->b, f->entry);
  LLVMValueRef result = LLVMBuildAlloca(ll->b, type, name);
  if (align)
    LLVMSetAlignment(result, align);
  LLVMPositionBuilderAtEnd(ll->b, here);
  LLVMSetCurrentDebugLocation2(ll->b, line);
  return result;
}

LLVMValueRef kiln_ll_intrinsic(struct kiln_ll *ll, const char *name, LLVMTypeRef *types, uint32_t type_count,
                               LLVMValueRef *args, uint32_t count) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef function = LLVMGetIntrinsicDeclaration(ll->module, id, types, type_count);
  return LLVMBuildCall2(ll->b, LLVMGlobalGetValueType(function), function, args, count, "");
}

LLVMValueRef kiln_ll_intrinsic_same(struct kiln_ll *ll, const char *name, LLVMValueRef *args, uint32_t count) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  return kiln_ll_intrinsic(ll, name, &type, 1, args, count);
}
