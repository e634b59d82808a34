// What GPUs have in common: kernels, local memory, pointers, what is known of floating-point operations.
#include "backends/llvm/gpu/gpu.h"

#include <string.h>

enum { MAX_GROUP = 1024 };

// ---- kernels

void kiln_ll_gpu_kernel_attributes(struct kiln_ll *ll, LLVMValueRef function, unsigned convention) {
  bool flush = ll->job->options.flags & KILN_BUILD_FTZ;
  kiln_ll_function_attributes(ll, function);
  LLVMSetFunctionCallConv(function, convention);
  kiln_ll_text_attribute(ll, function, "denormal-fp-math-f32", flush ? "preserve-sign,preserve-sign" : "ieee,ieee");
}

// Fewer work-items leave more registers for each.
unsigned kiln_ll_gpu_group_limit(struct kiln_ll *ll, const struct kiln_function *fn, unsigned usual) {
  const uint32_t *required = fn->required_group_size, *hint = fn->group_size_hint;
  uint64_t fixed = (uint64_t)required[0] * required[1] * required[2], wanted = (uint64_t)hint[0] * hint[1] * hint[2];
  if (fixed > MAX_GROUP) {
    kiln_ll_fail(ll, KILN_ERR_UNSUPPORTED, "'%s' requires work-groups of %llu work-items; the device has at most %d",
                 fn->name, (unsigned long long)fixed, MAX_GROUP);
    return 0;
  }
  if (fixed)
    return (unsigned)fixed;
  return wanted > usual && wanted <= MAX_GROUP ? (unsigned)wanted : usual;
}

void kiln_ll_gpu_kernel_body(struct kiln_ll *ll, const struct kiln_function *fn, LLVMValueRef function) {
  struct kiln_ll_fn *f = kiln_ll_begin(ll, fn, function);
  kiln_ll_find_addresses(f);
  if (ll->hooks->gpu->plan)
    ll->hooks->gpu->plan(f);
  LLVMBasicBlockRef start = kiln_ll_block(f, "start");
  LLVMPositionBuilderAtEnd(ll->b, start);
  for (uint32_t i = 0; i < fn->param_count; i++) {
    const struct kiln_param *param = &fn->params[i];
    LLVMValueRef passed = LLVMGetParam(function, i);
    LLVMSetValueName2(passed, param->name, strlen(param->name));
    f->values[param->value] = ll->hooks->gpu->param(f, param, passed, i + 1);
  }
  kiln_ll_region(f, fn->body);
  LLVMPositionBuilderAtEnd(ll->b, f->entry);
  LLVMBuildBr(ll->b, start);
}

void kiln_ll_gpu_typed_attribute(struct kiln_ll *ll, LLVMValueRef function, unsigned index, const char *name,
                                 LLVMTypeRef type) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddAttributeAtIndex(function, index, LLVMCreateTypeAttribute(ll->context, kind, type));
}

void kiln_ll_gpu_pointer_attributes(struct kiln_ll *ll, const struct kiln_param *param, LLVMValueRef function,
                                    unsigned index) {
  if (param->align)
    kiln_ll_attribute(ll->context, function, index, "align", param->align);
  if (param->is_restrict)
    kiln_ll_attribute(ll->context, function, index, "noalias", 0);
  if (param->is_volatile)
    return;
  if (param->access == KILN_ACCESS_READ)
    kiln_ll_attribute(ll->context, function, index, "readonly", 0);
  if (param->access == KILN_ACCESS_WRITE)
    kiln_ll_attribute(ll->context, function, index, "writeonly", 0);
}

void kiln_ll_gpu_set_range(struct kiln_ll *ll, LLVMValueRef value, uint64_t from, uint64_t end) {
  LLVMTypeRef type = LLVMTypeOf(value);
  LLVMMetadataRef bounds[2] = {LLVMValueAsMetadata(LLVMConstInt(type, from, false)),
                               LLVMValueAsMetadata(LLVMConstInt(type, end, false))};
  kiln_ll_attach(ll->context, value, "range", bounds, 2);
}

// ---- loops

// Attaches the source's unroll hint. Branches of one loop share a metadata node.
void kiln_ll_gpu_repeat(struct kiln_ll_fn *f, kiln_value loop, LLVMValueRef branch) {
  struct kiln_ll *ll = f->ll;
  uint32_t number = kiln_inst(f->fn, loop)->node, factor = f->fn->nodes[number].unroll;
  if (!factor)
    return;
  if (!f->made->loops)
    f->made->loops = KILN_NEW_ARRAY(&ll->arena, LLVMMetadataRef, f->fn->node_count + 1);
  if (!f->made->loops[number])
    f->made->loops[number] = kiln_ll_unroll_node(ll->context, factor);
  kiln_ll_attach_node(ll->context, branch, "llvm.loop", f->made->loops[number]);
}

// ---- memory

LLVMValueRef kiln_ll_gpu_local(struct kiln_ll_fn *f, uint32_t index) {
  struct kiln_ll *ll = f->ll;
  if (ll->globals[index])
    return ll->globals[index];
  const struct kiln_global *global = &ll->ir->globals[index];
  LLVMTypeRef type = LLVMArrayType2(ll->i8, global->size);
  LLVMValueRef value = LLVMAddGlobalInAddressSpace(
      ll->module, type, kiln_arena_printf(&ll->arena, "%s.local", global->name ? global->name : ""),
      ll->hooks->spaces[KILN_LOCAL]);
  LLVMSetInitializer(value, LLVMGetPoison(type));
  LLVMSetLinkage(value, LLVMInternalLinkage);
  LLVMSetAlignment(value, global->align ? global->align : 1);
  return ll->globals[index] = value;
}

static bool is_narrow(const struct kiln_ll *ll, kiln_type type) {
  return kiln_type_kind(type) == KILN_PTR && ll->hooks->gpu->narrow[kiln_type_space(type)];
}

static LLVMValueRef generic_operand(struct kiln_ll_fn *f, kiln_value inst, uint32_t index) {
  enum kiln_space space = kiln_type_space(kiln_value_type(f->fn, kiln_operands(f->fn, inst)[index]));
  return f->ll->hooks->to_generic(f, kiln_ll_operand(f, inst, index), space);
}

bool kiln_ll_gpu_pointer_op(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  const kiln_value *operands = kiln_operands(f->fn, inst);
  switch (in->op) {
  case KILN_OP_LOAD: {
    if (!is_narrow(ll, in->type))
      return false;
    LLVMValueRef load = LLVMBuildLoad2(ll->b, ll->ptr, kiln_ll_operand(f, inst, 0), "");
    LLVMSetAlignment(load, in->imm2 ? in->imm2 : 8);
    LLVMSetVolatile(load, (in->flags & KILN_MEM_VOLATILE) != 0);
    *result = ll->hooks->from_generic(f, load, kiln_type_space(in->type));
    return true;
  }
  case KILN_OP_STORE: {
    if (!is_narrow(ll, kiln_value_type(f->fn, operands[1])))
      return false;
    LLVMValueRef place = kiln_ll_operand(f, inst, 0);
    LLVMValueRef store = LLVMBuildStore(ll->b, generic_operand(f, inst, 1), place);
    LLVMSetAlignment(store, in->imm2 ? in->imm2 : 8);
    LLVMSetVolatile(store, (in->flags & KILN_MEM_VOLATILE) != 0);
    return true;
  }
  case KILN_OP_PTOI:
    if (!is_narrow(ll, kiln_value_type(f->fn, operands[0])))
      return false;
    *result = LLVMBuildPtrToInt(ll->b, generic_operand(f, inst, 0), ll->i64, "");
    return true;
  case KILN_OP_ITOP:
    if (!is_narrow(ll, in->type))
      return false;
    *result = ll->hooks->from_generic(f, LLVMBuildIntToPtr(ll->b, kiln_ll_operand(f, inst, 0), ll->ptr, ""),
                                      kiln_type_space(in->type));
    return true;
  }
  return false;
}

// ---- floating point

unsigned kiln_ll_gpu_math_flags(const struct kiln_inst *in) {
  unsigned math = 0;
  math |= in->flags & KILN_FP_NNAN ? LLVMFastMathNoNaNs : 0;
  math |= in->flags & KILN_FP_NINF ? LLVMFastMathNoInfs : 0;
  math |= in->flags & KILN_FP_NSZ ? LLVMFastMathNoSignedZeros : 0;
  math |= in->flags & KILN_FP_ARCP ? LLVMFastMathAllowReciprocal : 0;
  math |= in->flags & KILN_FP_REASSOC ? LLVMFastMathAllowReassoc : 0;
  return math;
}

LLVMValueRef kiln_ll_gpu_with_flags(LLVMValueRef value, unsigned flags) {
  if (flags && LLVMIsAInstruction(value) && LLVMCanValueUseFastMathFlags(value))
    LLVMSetFastMathFlags(value, flags);
  return value;
}

LLVMValueRef kiln_ll_gpu_extremum(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef args[2] = {kiln_ll_operand(f, inst, 0), kiln_ll_operand(f, inst, 1)};
  if (!kiln_ll_is_float(LLVMTypeOf(args[0])))
    return NULL;
  const char *name = in->op == KILN_OP_FMIN ? "llvm.minnum" : "llvm.maxnum";
  return kiln_ll_gpu_with_flags(kiln_ll_intrinsic_same(f->ll, name, args, 2), kiln_ll_gpu_math_flags(in));
}

LLVMValueRef kiln_ll_gpu_by_element(struct kiln_ll *ll, LLVMTypeRef type, const LLVMValueRef *args, uint32_t count,
                                    bool by_float, kiln_ll_gpu_element_fn *emit, const void *user) {
  bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
  unsigned lanes = is_vector ? LLVMGetVectorSize(type) : 1;
  LLVMValueRef result = LLVMGetPoison(type);
  for (unsigned lane = 0; lane < lanes; lane++) {
    LLVMValueRef elements[3] = {NULL}, index = kiln_ll_i32(ll, lane);
    for (uint32_t i = 0; i < count; i++) {
      elements[i] = is_vector ? LLVMBuildExtractElement(ll->b, args[i], index, "") : args[i];
      elements[i] = by_float ? LLVMBuildFPExt(ll->b, elements[i], ll->f32, "") : elements[i];
    }
    LLVMValueRef one = emit(ll, user, elements, count);
    one = by_float ? LLVMBuildFPTrunc(ll->b, one, ll->half, "") : one;
    result = is_vector ? LLVMBuildInsertElement(ll->b, result, one, index, "") : one;
  }
  return result;
}
