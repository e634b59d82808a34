// Atomic operations and fences. All are emitted at system scope; a narrower one only permits more.
#include "backends/llvm/core/emit.h"
#include "kiln/op_cases.h"

static LLVMAtomicOrdering ordering(enum kiln_order order) {
  switch (order) {
  case KILN_RELAXED:
    return LLVMAtomicOrderingMonotonic;
  case KILN_ACQUIRE:
    return LLVMAtomicOrderingAcquire;
  case KILN_RELEASE:
    return LLVMAtomicOrderingRelease;
  case KILN_ACQ_REL:
    return LLVMAtomicOrderingAcquireRelease;
  case KILN_SEQ_CST:
    return LLVMAtomicOrderingSequentiallyConsistent;
  }
  return LLVMAtomicOrderingSequentiallyConsistent;
}

// The order of the load in a failed exchange.
static LLVMAtomicOrdering load_ordering(enum kiln_order order) {
  switch (order) {
  case KILN_RELAXED:
  case KILN_RELEASE:
    return LLVMAtomicOrderingMonotonic;
  case KILN_ACQUIRE:
  case KILN_ACQ_REL:
    return LLVMAtomicOrderingAcquire;
  case KILN_SEQ_CST:
    return LLVMAtomicOrderingSequentiallyConsistent;
  }
  return LLVMAtomicOrderingSequentiallyConsistent;
}

static LLVMAtomicOrdering store_ordering(enum kiln_order order) {
  switch (order) {
  case KILN_RELAXED:
  case KILN_ACQUIRE:
    return LLVMAtomicOrderingMonotonic;
  case KILN_RELEASE:
  case KILN_ACQ_REL:
    return LLVMAtomicOrderingRelease;
  case KILN_SEQ_CST:
    return LLVMAtomicOrderingSequentiallyConsistent;
  }
  return LLVMAtomicOrderingSequentiallyConsistent;
}

static LLVMAtomicRMWBinOp operation(enum kiln_rmw rmw) {
  switch (rmw) {
  case KILN_RMW_ADD:
    return LLVMAtomicRMWBinOpAdd;
  case KILN_RMW_SUB:
    return LLVMAtomicRMWBinOpSub;
  case KILN_RMW_XCHG:
    return LLVMAtomicRMWBinOpXchg;
  case KILN_RMW_AND:
    return LLVMAtomicRMWBinOpAnd;
  case KILN_RMW_OR:
    return LLVMAtomicRMWBinOpOr;
  case KILN_RMW_XOR:
    return LLVMAtomicRMWBinOpXor;
  case KILN_RMW_SMIN:
    return LLVMAtomicRMWBinOpMin;
  case KILN_RMW_SMAX:
    return LLVMAtomicRMWBinOpMax;
  case KILN_RMW_UMIN:
    return LLVMAtomicRMWBinOpUMin;
  case KILN_RMW_UMAX:
    return LLVMAtomicRMWBinOpUMax;
  case KILN_RMW_FADD:
    return LLVMAtomicRMWBinOpFAdd;
  case KILN_RMW_FMIN:
    return LLVMAtomicRMWBinOpFMin;
  case KILN_RMW_FMAX:
    return LLVMAtomicRMWBinOpFMax;
  case KILN_RMW_COUNT:
    break;
  }
  return LLVMAtomicRMWBinOpXchg;
}

static unsigned bytes_of(kiln_type type) { return kiln_kind_bits(kiln_type_kind(type)) / 8; }

static LLVMValueRef compare_exchange(struct kiln_ll_fn *f, kiln_value inst, enum kiln_order order) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef pointer = kiln_ll_operand(f, inst, 0);
  LLVMValueRef expected = kiln_ll_operand(f, inst, 1), desired = kiln_ll_operand(f, inst, 2);
  LLVMTypeRef type = LLVMTypeOf(expected);
  bool is_float = kiln_ll_is_float(type); // compared by their bits
  if (is_float) {
    LLVMTypeRef integer = kiln_ll_int(ll, bytes_of(in->type) * 8);
    expected = LLVMBuildBitCast(ll->b, expected, integer, "");
    desired = LLVMBuildBitCast(ll->b, desired, integer, "");
  }
  LLVMValueRef pair =
      LLVMBuildAtomicCmpXchg(ll->b, pointer, expected, desired, ordering(order), load_ordering(order), false);
  LLVMSetAlignment(pair, bytes_of(in->type));
  LLVMValueRef old = LLVMBuildExtractValue(ll->b, pair, 0, "");
  return is_float ? LLVMBuildBitCast(ll->b, old, type, "") : old;
}

// The value that an atomic operation stores.
static LLVMValueRef combine(struct kiln_ll *ll, enum kiln_rmw rmw, LLVMValueRef old, LLVMValueRef value) {
  LLVMBuilderRef b = ll->b;
  LLVMValueRef both[2] = {old, value};
  switch (rmw) {
  case KILN_RMW_ADD:
    return LLVMBuildAdd(b, old, value, "");
  case KILN_RMW_SUB:
    return LLVMBuildSub(b, old, value, "");
  case KILN_RMW_AND:
    return LLVMBuildAnd(b, old, value, "");
  case KILN_RMW_OR:
    return LLVMBuildOr(b, old, value, "");
  case KILN_RMW_XOR:
    return LLVMBuildXor(b, old, value, "");
  case KILN_RMW_SMIN:
    return kiln_ll_intrinsic_same(ll, "llvm.smin", both, 2);
  case KILN_RMW_SMAX:
    return kiln_ll_intrinsic_same(ll, "llvm.smax", both, 2);
  case KILN_RMW_UMIN:
    return kiln_ll_intrinsic_same(ll, "llvm.umin", both, 2);
  case KILN_RMW_UMAX:
    return kiln_ll_intrinsic_same(ll, "llvm.umax", both, 2);
  case KILN_RMW_FADD:
    return LLVMBuildFAdd(b, old, value, "");
  case KILN_RMW_XCHG:
  case KILN_RMW_FMIN:
  case KILN_RMW_FMAX:
  case KILN_RMW_COUNT:
    break;
  }
  return value;
}

LLVMValueRef kiln_ll_atomic_one(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef pointer, LLVMValueRef value) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  enum kiln_rmw rmw = (enum kiln_rmw)in->flags;
  bool is_local = kiln_type_space(kiln_value_type(f->fn, kiln_operands(f->fn, inst)[0])) == KILN_LOCAL;
  if (is_local && f->ll->hooks->local_is_private && rmw != KILN_RMW_FMIN && rmw != KILN_RMW_FMAX) {
    LLVMValueRef old = LLVMBuildLoad2(f->ll->b, LLVMTypeOf(value), pointer, "");
    LLVMSetAlignment(old, bytes_of(in->type));
    LLVMSetAlignment(LLVMBuildStore(f->ll->b, combine(f->ll, rmw, old, value), pointer), bytes_of(in->type));
    return old;
  }
  LLVMValueRef old =
      LLVMBuildAtomicRMW(f->ll->b, operation(rmw), pointer, value, ordering(kiln_atomic_order(in->imm)), false);
  LLVMSetAlignment(old, bytes_of(in->type));
  return old;
}

LLVMValueRef kiln_ll_atomic(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  enum kiln_order order = kiln_atomic_order(in->imm);
  switch (kiln_op_of(in)) {
  case KILN_OP_ATOMIC_LOAD: {
    LLVMValueRef load = LLVMBuildLoad2(ll->b, kiln_ll_type(ll, in->type), kiln_ll_operand(f, inst, 0), "");
    LLVMSetOrdering(load, load_ordering(order));
    LLVMSetAlignment(load, bytes_of(in->type));
    return load;
  }
  case KILN_OP_ATOMIC_STORE: {
    LLVMValueRef value = kiln_ll_operand(f, inst, 1);
    LLVMValueRef store = LLVMBuildStore(ll->b, value, kiln_ll_operand(f, inst, 0));
    LLVMSetOrdering(store, store_ordering(order));
    LLVMSetAlignment(store, bytes_of(kiln_value_type(f->fn, kiln_operands(f->fn, inst)[1])));
    return NULL;
  }
  case KILN_OP_ATOMIC_RMW:
    return kiln_ll_atomic_one(f, inst, kiln_ll_operand(f, inst, 0), kiln_ll_operand(f, inst, 1));
  case KILN_OP_ATOMIC_CAS:
    return compare_exchange(f, inst, order);
  case KILN_OP_FENCE:
    if (order != KILN_RELAXED)
      LLVMBuildFence(ll->b, ordering(order), false, "");
    return NULL;
    KILN_CASES_BUT_ATOMIC break;
  }
  return NULL;
}
