// Operations that AMDGPU does its own way: atomics and fences with their scopes, dot products.
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

// ---- dot products

static LLVMValueRef dot4(struct kiln_ll *ll, const void *user, LLVMValueRef *parts, uint32_t count) {
  unsigned signs = *(const unsigned *)user;
  (void)count;
  LLVMValueRef x = parts[0], y = parts[1], sum = parts[2];
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
  LLVMValueRef args[3] = {x, y, sum};
  return kiln_ll_gpu_by_element(f->ll, LLVMTypeOf(sum), args, 3, false, dot4, &signs);
}

bool kiln_ll_amdgpu_own(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result) {
  enum kiln_op op = kiln_op_of(kiln_inst(f->fn, inst));
  enum kiln_op_family family = kiln_op_family(op);
  if (family == KILN_FAMILY_FLOAT || family == KILN_FAMILY_MATH)
    return kiln_ll_amdgpu_math(f, inst, result);
  if (family == KILN_FAMILY_GROUP && op != KILN_OP_BARRIER) {
    *result = kiln_ll_gpu_group(f, inst);
    return true;
  }
  if (op == KILN_OP_PADD)
    return kiln_ll_gpu_padd(f, inst, result);
  if (family == KILN_FAMILY_ATOMIC) {
    *result = atomic(f, inst);
    return true;
  }
  return kiln_ll_gpu_pointer_op(f, inst, result);
}
