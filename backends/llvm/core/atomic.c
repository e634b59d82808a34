// Atomic operations and fences. All are emitted at system scope: a narrower scope would only permit more.
#include "backends/llvm/core/emit.h"
#include "kiln/op_cases.h"

LLVMAtomicOrdering kiln_ll_ordering(enum kiln_order order) {
  static const LLVMAtomicOrdering orderings[] = {[KILN_RELAXED] = LLVMAtomicOrderingMonotonic,
                                                 [KILN_ACQUIRE] = LLVMAtomicOrderingAcquire,
                                                 [KILN_RELEASE] = LLVMAtomicOrderingRelease,
                                                 [KILN_ACQ_REL] = LLVMAtomicOrderingAcquireRelease,
                                                 [KILN_SEQ_CST] = LLVMAtomicOrderingSequentiallyConsistent};
  return orderings[order];
}

// What the order means to a load, as in a failed exchange.
static LLVMAtomicOrdering load_ordering(enum kiln_order order) {
  return kiln_ll_ordering(order == KILN_RELEASE ? KILN_RELAXED : order == KILN_ACQ_REL ? KILN_ACQUIRE : order);
}

static LLVMAtomicOrdering store_ordering(enum kiln_order order) {
  return kiln_ll_ordering(order == KILN_ACQUIRE ? KILN_RELAXED : order == KILN_ACQ_REL ? KILN_RELEASE : order);
}

static const LLVMAtomicRMWBinOp operations[KILN_RMW_COUNT] = {
    [KILN_RMW_ADD] = LLVMAtomicRMWBinOpAdd,   [KILN_RMW_SUB] = LLVMAtomicRMWBinOpSub,
    [KILN_RMW_XCHG] = LLVMAtomicRMWBinOpXchg, [KILN_RMW_AND] = LLVMAtomicRMWBinOpAnd,
    [KILN_RMW_OR] = LLVMAtomicRMWBinOpOr,     [KILN_RMW_XOR] = LLVMAtomicRMWBinOpXor,
    [KILN_RMW_SMIN] = LLVMAtomicRMWBinOpMin,  [KILN_RMW_SMAX] = LLVMAtomicRMWBinOpMax,
    [KILN_RMW_UMIN] = LLVMAtomicRMWBinOpUMin, [KILN_RMW_UMAX] = LLVMAtomicRMWBinOpUMax,
    [KILN_RMW_FADD] = LLVMAtomicRMWBinOpFAdd, [KILN_RMW_FMIN] = LLVMAtomicRMWBinOpFMin,
    [KILN_RMW_FMAX] = LLVMAtomicRMWBinOpFMax};

static LLVMValueRef compare_exchange(struct kiln_ll_fn *f, kiln_value inst, enum kiln_order order) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef pointer = kiln_ll_operand(f, inst, 0);
  LLVMValueRef expected = kiln_ll_operand(f, inst, 1), desired = kiln_ll_operand(f, inst, 2);
  LLVMTypeRef type = LLVMTypeOf(expected);
  bool is_float = kiln_ll_is_float(type); // compared by their bits
  if (is_float) {
    LLVMTypeRef integer = kiln_ll_int(ll, kiln_ll_element_bytes(in->type) * 8);
    expected = LLVMBuildBitCast(ll->b, expected, integer, "");
    desired = LLVMBuildBitCast(ll->b, desired, integer, "");
  }
  LLVMValueRef pair =
      LLVMBuildAtomicCmpXchg(ll->b, pointer, expected, desired, kiln_ll_ordering(order), load_ordering(order), false);
  LLVMSetAlignment(pair, kiln_ll_element_bytes(in->type));
  LLVMValueRef old = LLVMBuildExtractValue(ll->b, pair, 0, "");
  return is_float ? LLVMBuildBitCast(ll->b, old, type, "") : old;
}

LLVMValueRef kiln_ll_atomic_one(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef pointer, LLVMValueRef value) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  enum kiln_rmw rmw = (enum kiln_rmw)in->flags;
  bool is_local = kiln_type_space(kiln_value_type(f->fn, kiln_operands(f->fn, inst)[0])) == KILN_LOCAL;
  if (is_local && f->ll->hooks->local_is_private && rmw != KILN_RMW_FMIN && rmw != KILN_RMW_FMAX) {
    LLVMValueRef old = LLVMBuildLoad2(f->ll->b, LLVMTypeOf(value), pointer, "");
    LLVMSetAlignment(old, kiln_ll_element_bytes(in->type));
    value = rmw == KILN_RMW_XCHG ? value : kiln_ll_plain(f->ll, kiln_rmw_op(rmw), old, value);
    LLVMSetAlignment(LLVMBuildStore(f->ll->b, value, pointer), kiln_ll_element_bytes(in->type));
    return old;
  }
  LLVMValueRef old = LLVMBuildAtomicRMW(f->ll->b, operations[rmw], pointer, value,
                                        kiln_ll_ordering(kiln_atomic_order(in->imm)), false);
  LLVMSetAlignment(old, kiln_ll_element_bytes(in->type));
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
    LLVMSetAlignment(load, kiln_ll_element_bytes(in->type));
    return load;
  }
  case KILN_OP_ATOMIC_STORE: {
    LLVMValueRef value = kiln_ll_operand(f, inst, 1);
    LLVMValueRef store = LLVMBuildStore(ll->b, value, kiln_ll_operand(f, inst, 0));
    LLVMSetOrdering(store, store_ordering(order));
    LLVMSetAlignment(store, kiln_ll_element_bytes(kiln_value_type(f->fn, kiln_operands(f->fn, inst)[1])));
    return NULL;
  }
  case KILN_OP_ATOMIC_RMW:
    return kiln_ll_atomic_one(f, inst, kiln_ll_operand(f, inst, 0), kiln_ll_operand(f, inst, 1));
  case KILN_OP_ATOMIC_CAS:
    return compare_exchange(f, inst, order);
  case KILN_OP_FENCE:
    if (order != KILN_RELAXED)
      LLVMBuildFence(ll->b, kiln_ll_ordering(order), false, "");
    return NULL;
    KILN_CASES_BUT_ATOMIC break;
  }
  return NULL;
}
