// Atomic operations and fences.
#include "jit/spirv/function.h"

enum kiln_scope kiln_spv_scope_of(struct kiln_spv_fn *f, uint32_t id) {
  static const uint8_t scopes[] = {[KILN_SPV_Scope_CrossDevice] = KILN_SCOPE_SYSTEM,
                                   [KILN_SPV_Scope_Device] = KILN_SCOPE_DEVICE,
                                   [KILN_SPV_Scope_Workgroup] = KILN_SCOPE_GROUP,
                                   [KILN_SPV_Scope_Subgroup] = KILN_SCOPE_SUB_GROUP,
                                   [KILN_SPV_Scope_Invocation] = KILN_SCOPE_ITEM};
  uint64_t scope;
  if (!kiln_spv_constant_bits(f->spv, id, &scope))
    return KILN_SCOPE_SYSTEM;
  if (scope >= sizeof scopes)
    kiln_spv_wrong(f, "the scope %llu is not supported", (unsigned long long)scope);
  return (enum kiln_scope)scopes[scope];
}

struct kiln_spv_semantics kiln_spv_semantics_of(struct kiln_spv_fn *f, uint32_t id) {
  uint64_t bits;
  struct kiln_spv_semantics says = {KILN_SEQ_CST, KILN_FENCE_LOCAL | KILN_FENCE_GLOBAL | KILN_FENCE_IMAGE};
  if (!kiln_spv_constant_bits(f->spv, id, &bits))
    return says;
  bool acquires = bits & (KILN_SPV_MemorySemantics_Acquire | KILN_SPV_MemorySemantics_AcquireRelease);
  bool releases = bits & (KILN_SPV_MemorySemantics_Release | KILN_SPV_MemorySemantics_AcquireRelease);
  says.order = bits & KILN_SPV_MemorySemantics_SequentiallyConsistent ? KILN_SEQ_CST
               : acquires && releases                                 ? KILN_ACQ_REL
               : acquires                                             ? KILN_ACQUIRE
               : releases                                             ? KILN_RELEASE
                                                                      : KILN_RELAXED;
  says.fences = (bits & KILN_SPV_MemorySemantics_WorkgroupMemory ? KILN_FENCE_LOCAL : 0) |
                (bits & KILN_SPV_MemorySemantics_CrossWorkgroupMemory ? KILN_FENCE_GLOBAL : 0) |
                (bits & KILN_SPV_MemorySemantics_ImageMemory ? KILN_FENCE_IMAGE : 0);
  return says;
}

// Scope and order as operands 1 and 2 say.
static uint64_t order_and_scope(struct kiln_spv_fn *f) {
  if (f->at->count < 3)
    kiln_spv_wrong(f, "scope and semantics are missing");
  return kiln_atomic(kiln_spv_semantics_of(f, f->at->operands[2]).order, kiln_spv_scope_of(f, f->at->operands[1]));
}

static kiln_type atomic_type(struct kiln_spv_fn *f, kiln_type type) {
  enum kiln_kind kind = kiln_type_kind(type);
  if (kiln_type_lanes(type) > 1 || kiln_kind_bits(kind) < 32 || (!kiln_kind_is_int(kind) && !kiln_kind_is_float(kind)))
    kiln_spv_wrong(f, "atomic operations are on integers and floats of 32 and 64 bits");
  return type;
}

struct kiln_spv_value kiln_spv_atomic_load(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                           const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value pointer = kiln_spv_pointer(f, 0);
  kiln_type type = atomic_type(f, kiln_spv_result_ir(f));
  return kiln_spv_of(kiln_spv_result(f),
                     kiln_build(f->b, KILN_OP_ATOMIC_LOAD, type, &pointer, 1, order_and_scope(f), 0, 0));
}

struct kiln_spv_value kiln_spv_atomic_store(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                            const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value operands[] = {kiln_spv_pointer(f, 0), kiln_spv_plain(f, 3)};
  atomic_type(f, kiln_spv_ir(f, operands[1]));
  kiln_build(f->b, KILN_OP_ATOMIC_STORE, KILN_VOID, operands, 2, order_and_scope(f), 0, 0);
  return (struct kiln_spv_value){0};
}

static kiln_value change(struct kiln_spv_fn *f, kiln_value operand, enum kiln_rmw rmw) {
  kiln_type type = atomic_type(f, kiln_spv_ir(f, operand));
  bool is_float = kiln_kind_is_float(kiln_type_kind(type));
  if (rmw != KILN_RMW_XCHG && is_float != (rmw >= KILN_RMW_FADD))
    kiln_spv_wrong(f, "the operand has a type that does not fit");
  kiln_value operands[] = {kiln_spv_pointer(f, 0), operand};
  return kiln_build(f->b, KILN_OP_ATOMIC_RMW, type, operands, 2, order_and_scope(f), 0, (uint16_t)rmw);
}

// op: enum kiln_rmw.
struct kiln_spv_value kiln_spv_atomic_rmw(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                          const struct kiln_spv_lowering *how) {
  (void)inst;
  return kiln_spv_of(kiln_spv_result(f), change(f, kiln_spv_plain(f, 3), (enum kiln_rmw)how->op));
}

// By one.
struct kiln_spv_value kiln_spv_atomic_step(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                           const struct kiln_spv_lowering *how) {
  (void)inst;
  kiln_value one = kiln_spv_const(f, kiln_spv_result_ir(f), 1);
  return kiln_spv_of(kiln_spv_result(f), change(f, one, (enum kiln_rmw)how->op));
}

struct kiln_spv_value kiln_spv_atomic_cas(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                          const struct kiln_spv_lowering *how) {
  (void)how;
  kiln_value operands[] = {kiln_spv_pointer(f, 0), kiln_spv_plain(f, 5), kiln_spv_plain(f, 4)};
  kiln_type type = atomic_type(f, kiln_spv_ir(f, operands[1]));
  if (kiln_spv_ir(f, operands[2]) != type)
    kiln_spv_wrong(f, "value and comparator have two types");
  enum kiln_order order = kiln_order_of_both(kiln_spv_semantics_of(f, inst->operands[2]).order,
                                             kiln_spv_semantics_of(f, inst->operands[3]).order);
  uint64_t imm = kiln_atomic(order, kiln_spv_scope_of(f, inst->operands[1]));
  return kiln_spv_of(kiln_spv_result(f), kiln_build(f->b, KILN_OP_ATOMIC_CAS, type, operands, 3, imm, 0, 0));
}

// A flag is a word, which is 1 where it is set.
struct kiln_spv_value kiln_spv_flag_set(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                        const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_type type = kiln_scalar_type(KILN_I32);
  kiln_value old = change(f, kiln_const(f->fn, type, 1), KILN_RMW_XCHG);
  return kiln_spv_of(kiln_spv_result(f), kiln_build2(f->b, KILN_OP_NE, old, kiln_const(f->fn, type, 0)));
}

struct kiln_spv_value kiln_spv_flag_clear(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                          const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value operands[] = {kiln_spv_pointer(f, 0), kiln_const(f->fn, kiln_scalar_type(KILN_I32), 0)};
  kiln_build(f->b, KILN_OP_ATOMIC_STORE, KILN_VOID, operands, 2, order_and_scope(f), 0, 0);
  return (struct kiln_spv_value){0};
}

// ---- barriers ------------------------------------------------------------------------------------------------------

static void fence(struct kiln_spv_fn *f, enum kiln_order order, enum kiln_scope scope, uint32_t fences) {
  if (order != KILN_RELAXED && fences)
    kiln_build(f->b, KILN_OP_FENCE, KILN_VOID, NULL, 0, kiln_atomic(order, scope), fences, 0);
}

struct kiln_spv_value kiln_spv_fence(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                     const struct kiln_spv_lowering *how) {
  (void)how;
  struct kiln_spv_semantics says = kiln_spv_semantics_of(f, inst->operands[1]);
  fence(f, says.order, kiln_spv_scope_of(f, inst->operands[0]), says.fences);
  return (struct kiln_spv_value){0};
}

// detail: 1 where the work-items only say that they have come, of a barrier in two parts: the other part is a barrier.
struct kiln_spv_value kiln_spv_barrier(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                       const struct kiln_spv_lowering *how) {
  enum kiln_scope who = kiln_spv_scope_of(f, inst->operands[0]), scope = kiln_spv_scope_of(f, inst->operands[1]);
  struct kiln_spv_semantics says = kiln_spv_semantics_of(f, inst->operands[2]);
  bool is_wide = scope > who; // the barrier itself orders the accesses of those who meet
  if (who != KILN_SCOPE_GROUP && who != KILN_SCOPE_SUB_GROUP)
    kiln_spv_wrong(f, "barriers are of work-groups and sub-groups");
  if (is_wide || how->detail)
    fence(f, KILN_RELEASE, is_wide ? scope : who, says.fences);
  if (how->detail)
    return (struct kiln_spv_value){0};
  kiln_build(f->b, who == KILN_SCOPE_GROUP ? KILN_OP_BARRIER : KILN_OP_SUB_GROUP_BARRIER, KILN_VOID, NULL, 0, 0,
             says.fences, 0);
  if (is_wide)
    fence(f, KILN_ACQUIRE, scope, says.fences);
  return (struct kiln_spv_value){0};
}
