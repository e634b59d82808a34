// Private variables, pointers, loads, stores, copies.
#include "backends/llvm/core/emit.h"
#include "backends/llvm/core/family.h"
#include "kiln/op_cases.h"

#include <string.h>

// Marks accesses as independent between the work-items of a group, so that the loop over them may be vectorised.
// Private memory is shared by the iterations, so it is not marked.
static void mark_parallel(struct kiln_ll_fn *f, LLVMValueRef access, kiln_type pointer, uint16_t flags) {
  enum kiln_space space = kiln_type_space(pointer);
  if (f->cpu.access_group && space != KILN_PRIVATE && space != KILN_GENERIC && !(flags & KILN_MEM_VOLATILE))
    LLVMSetMetadata(access, f->ll->access_group_kind, f->cpu.access_group);
}

uint32_t kiln_ll_var_align(const struct kiln_ll *ll, const struct kiln_inst *var) {
  uint32_t align = var->imm2 ? var->imm2 : 1, least = ll->family->array_align;
  return align < least && var->imm >= least ? least : align;
}

static LLVMValueRef variable(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  if (f->group) {
    LLVMValueRef shared = f->ll->hooks->groups->var(f, inst);
    if (shared) // debuggers get no address, since it differs between item regions
      return shared;
  }
  LLVMTypeRef type = LLVMArrayType2(f->ll->i8, in->imm ? in->imm : 1);
  uint32_t align = kiln_ll_var_align(f->ll, in);
  LLVMValueRef result = kiln_ll_alloca(f, type, align, kiln_value_name(f->fn, inst));
  if (f->scope_count)
    kiln_ll_debug_variable(f, inst, result);
  return result;
}

// pointer + index * stride. Not "inbounds": intermediate pointers of the IR may be out of bounds.
LLVMValueRef kiln_ll_pointer_add(struct kiln_ll *ll, LLVMValueRef pointer, LLVMValueRef index, int64_t stride) {
  LLVMTypeRef element = ll->i8;
  if (stride == 2)
    element = ll->i16;
  else if (stride == 4)
    element = ll->i32;
  else if (stride == 8)
    element = ll->i64;
  else if (stride != 1)
    index = LLVMBuildMul(ll->b, index, kiln_ll_splat(LLVMTypeOf(index), (uint64_t)stride), "");
  return LLVMBuildGEP2(ll->b, element, pointer, &index, 1, "");
}

LLVMValueRef kiln_ll_address_at(struct kiln_ll *ll, LLVMValueRef base, int64_t bytes) {
  return bytes ? kiln_ll_pointer_add(ll, base, kiln_ll_i64(ll, (uint64_t)bytes), 1) : base;
}

LLVMValueRef kiln_ll_extended(struct kiln_ll *ll, LLVMValueRef value, enum kiln_op extension) {
  if (extension == KILN_OP_SEXT)
    return LLVMBuildSExt(ll->b, value, ll->i64, "");
  return extension == KILN_OP_ZEXT ? LLVMBuildZExt(ll->b, value, ll->i64, "") : value;
}

unsigned kiln_ll_known_align(const struct kiln_inst *access, kiln_type type) {
  return access->imm2 ? access->imm2 : kiln_ll_element_bytes(type);
}

static LLVMValueRef copy(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef to = kiln_ll_operand(f, inst, 0), from = kiln_ll_operand(f, inst, 1);
  unsigned align = in->imm2 ? in->imm2 : 1;
  LLVMValueRef size = kiln_ll_i64(ll, in->imm);
  LLVMValueRef args[4] = {to, from, size, kiln_ll_i1(ll, (in->flags & KILN_MEM_VOLATILE) != 0)};
  LLVMTypeRef types[3] = {LLVMTypeOf(to), LLVMTypeOf(from), ll->i64};
  LLVMValueRef call = kiln_ll_intrinsic(ll, "llvm.memcpy", types, 3, args, 4);
  for (unsigned i = 1; i <= 2; i++)
    LLVMSetInstrParamAlignment(call, i, align);
  return NULL;
}

LLVMValueRef kiln_ll_memory(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  switch (kiln_op_of(in)) {
  case KILN_OP_VAR:
    return variable(f, inst);
  case KILN_OP_PADD:
    return kiln_ll_pointer_add(ll, kiln_ll_operand(f, inst, 0), kiln_ll_operand(f, inst, 1), (int64_t)in->imm);
  case KILN_OP_LOAD: {
    if (f->cpu.fields && f->cpu.fields[inst])
      return f->cpu.fields[inst];
    LLVMValueRef load = LLVMBuildLoad2(ll->b, kiln_ll_type(ll, in->type), kiln_ll_operand(f, inst, 0), "");
    LLVMSetAlignment(load, kiln_ll_known_align(in, in->type));
    LLVMSetVolatile(load, (in->flags & KILN_MEM_VOLATILE) != 0);
    mark_parallel(f, load, kiln_value_type(f->fn, kiln_operands(f->fn, inst)[0]), in->flags);
    return load;
  }
  case KILN_OP_STORE: {
    kiln_value value = kiln_operands(f->fn, inst)[1];
    LLVMValueRef store = LLVMBuildStore(ll->b, kiln_ll_get(f, value), kiln_ll_operand(f, inst, 0));
    LLVMSetAlignment(store, kiln_ll_known_align(in, kiln_value_type(f->fn, value)));
    LLVMSetVolatile(store, (in->flags & KILN_MEM_VOLATILE) != 0);
    mark_parallel(f, store, kiln_value_type(f->fn, kiln_operands(f->fn, inst)[0]), in->flags);
    return NULL;
  }
  case KILN_OP_COPY:
    return copy(f, inst);
    KILN_CASES_BUT_MEMORY break;
  }
  return NULL;
}
