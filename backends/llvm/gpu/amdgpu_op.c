// Operations that AMDGPU does its own way: atomics and fences with their scopes, and pointers of 32 bits in memory.
#include "backends/llvm/cxx/cxx.h"
#include "backends/llvm/gpu/amdgpu.h"

// ---- atomics

static const char *const scope_names[] = {[KILN_SCOPE_ITEM] = "singlethread",
                                          [KILN_SCOPE_SUB_GROUP] = "wavefront",
                                          [KILN_SCOPE_GROUP] = "workgroup",
                                          [KILN_SCOPE_DEVICE] = "agent",
                                          [KILN_SCOPE_SYSTEM] = NULL};

// The instruction that computes the value which the common emitter made.
static LLVMValueRef atomic_of(LLVMValueRef value) {
  while (value && LLVMIsAInstruction(value) && !LLVMIsAAtomicCmpXchgInst(value) && !LLVMIsAAtomicRMWInst(value) &&
         !LLVMIsALoadInst(value) && LLVMGetNumOperands(value))
    value = LLVMGetOperand(value, 0);
  return value;
}

static LLVMValueRef atomic(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  const char *scope = scope_names[kiln_atomic_scope(in->imm)];
  if (in->op == KILN_OP_FENCE) {
    enum kiln_order order = kiln_atomic_order(in->imm);
    LLVMValueRef fence = order == KILN_RELAXED ? NULL : LLVMBuildFence(ll->b, kiln_ll_ordering(order), false, "");
    if (fence && scope)
      kiln_ll_set_scope(fence, scope);
    return NULL;
  }
  LLVMValueRef result = kiln_ll_atomic(f, inst), made = atomic_of(result);
  if (in->op == KILN_OP_ATOMIC_STORE)
    made = LLVMGetLastInstruction(LLVMGetInsertBlock(ll->b));
  if (scope && made)
    kiln_ll_set_scope(made, scope);
  return result;
}

// ---- pointers

static bool is_narrow(kiln_type type) {
  return kiln_type_kind(type) == KILN_PTR &&
         (kiln_type_space(type) == KILN_PRIVATE || kiln_type_space(type) == KILN_LOCAL);
}

static LLVMValueRef generic_operand(struct kiln_ll_fn *f, kiln_value inst, uint32_t index) {
  enum kiln_space space = kiln_type_space(kiln_value_type(f->fn, kiln_operands(f->fn, inst)[index]));
  return f->ll->hooks->to_generic(f, kiln_ll_operand(f, inst, index), space);
}

static bool pointer_op(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  const kiln_value *operands = kiln_operands(f->fn, inst);
  switch (in->op) {
  case KILN_OP_LOAD: {
    if (!is_narrow(in->type))
      return false;
    LLVMValueRef load = LLVMBuildLoad2(ll->b, ll->ptr, kiln_ll_operand(f, inst, 0), "");
    LLVMSetAlignment(load, in->imm2 ? in->imm2 : 8);
    LLVMSetVolatile(load, (in->flags & KILN_MEM_VOLATILE) != 0);
    *result = ll->hooks->from_generic(f, load, kiln_type_space(in->type));
    return true;
  }
  case KILN_OP_STORE: {
    if (!is_narrow(kiln_value_type(f->fn, operands[1])))
      return false;
    LLVMValueRef place = kiln_ll_operand(f, inst, 0);
    LLVMValueRef store = LLVMBuildStore(ll->b, generic_operand(f, inst, 1), place);
    LLVMSetAlignment(store, in->imm2 ? in->imm2 : 8);
    LLVMSetVolatile(store, (in->flags & KILN_MEM_VOLATILE) != 0);
    return true;
  }
  case KILN_OP_PTOI:
    if (!is_narrow(kiln_value_type(f->fn, operands[0])))
      return false;
    *result = LLVMBuildPtrToInt(ll->b, generic_operand(f, inst, 0), ll->i64, "");
    return true;
  case KILN_OP_ITOP:
    if (!is_narrow(in->type))
      return false;
    *result = ll->hooks->from_generic(f, LLVMBuildIntToPtr(ll->b, kiln_ll_operand(f, inst, 0), ll->ptr, ""),
                                      kiln_type_space(in->type));
    return true;
  }
  return false;
}

// ---- dot products

static LLVMValueRef dot4(struct kiln_ll *ll, unsigned signs, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum) {
  LLVMValueRef no = kiln_ll_i1(ll, false), args[] = {x, y, sum, no}; // do not saturate
  bool first = signs & KILN_DOT_FIRST_SIGNED, second = signs & KILN_DOT_SECOND_SIGNED;
  // The instruction for all signs takes the place of the one for two signed operands.
  enum { MIXED = 1 << KILN_DOT_SECOND_SIGNED };
  if (!first && !second)
    return kiln_ll_intrinsic(ll, "llvm.amdgcn.udot4", NULL, 0, args, 4);
  if (!(ll->machine->dot_signs & MIXED))
    return kiln_ll_intrinsic(ll, "llvm.amdgcn.sdot4", NULL, 0, args, 4);
  LLVMValueRef mixed[] = {kiln_ll_i1(ll, first), x, kiln_ll_i1(ll, second), y, sum, no};
  return kiln_ll_intrinsic(ll, "llvm.amdgcn.sudot4", NULL, 0, mixed, 6);
}

LLVMValueRef kiln_ll_amdgpu_dot4(struct kiln_ll_fn *f, unsigned signs, LLVMValueRef x, LLVMValueRef y,
                                 LLVMValueRef sum) {
  struct kiln_ll *ll = f->ll;
  unsigned lanes = kiln_ll_lanes(sum);
  if (lanes == 1)
    return dot4(ll, signs, x, y, sum);
  LLVMValueRef result = LLVMGetPoison(LLVMTypeOf(sum));
  for (unsigned i = 0; i < lanes; i++) {
    LLVMValueRef at = kiln_ll_i32(ll, i), part[3] = {x, y, sum};
    for (unsigned k = 0; k < 3; k++)
      part[k] = LLVMBuildExtractElement(ll->b, part[k], at, "");
    result = LLVMBuildInsertElement(ll->b, result, dot4(ll, signs, part[0], part[1], part[2]), at, "");
  }
  return result;
}

bool kiln_ll_amdgpu_own(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result) {
  enum kiln_op op = kiln_op_of(kiln_inst(f->fn, inst));
  enum kiln_op_family family = kiln_op_family(op);
  if (family == KILN_FAMILY_FLOAT || family == KILN_FAMILY_MATH)
    return kiln_ll_amdgpu_math(f, inst, result);
  if (family == KILN_FAMILY_GROUP && op != KILN_OP_BARRIER) {
    *result = kiln_ll_amdgpu_group(f, inst);
    return true;
  }
  if (op == KILN_OP_PADD)
    return kiln_ll_amdgpu_padd(f, inst, result);
  if (family == KILN_FAMILY_ATOMIC) {
    *result = atomic(f, inst);
    return true;
  }
  return pointer_op(f, inst, result);
}
