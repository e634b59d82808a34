// C11 atomics (OpenCL C 2.0 and later): the atomic operations of the IR with the order and scope that the call says.
// An order or scope that is not known at compile time becomes the strongest one.
#include "jit/ir/internal.h"
#include "jit/lang/ast/builtin_call.h"
#include "jit/lang/lower/lower.h"

static bool constant(struct kiln_lower *L, kiln_value v, uint64_t *out) {
  const struct kiln_inst *inst = kiln_inst(L->fn, v);
  *out = inst->imm;
  return inst->op == KILN_OP_CONST;
}

// The values of memory_order (types.def).
static enum kiln_order order_of(struct kiln_lower *L, kiln_value v) {
  static const uint8_t orders[] = {KILN_RELAXED, KILN_SEQ_CST, KILN_ACQUIRE, KILN_RELEASE, KILN_ACQ_REL, KILN_SEQ_CST};
  uint64_t order;
  return constant(L, v, &order) && order < sizeof orders ? (enum kiln_order)orders[order] : KILN_SEQ_CST;
}

// The values of memory_scope.
static enum kiln_scope scope_of(struct kiln_lower *L, kiln_value v) {
  static const uint8_t scopes[] = {KILN_SCOPE_ITEM, KILN_SCOPE_GROUP, KILN_SCOPE_DEVICE, KILN_SCOPE_SYSTEM,
                                   KILN_SCOPE_SUB_GROUP};
  uint64_t scope;
  return constant(L, v, &scope) && scope < sizeof scopes ? (enum kiln_scope)scopes[scope] : KILN_SCOPE_SYSTEM;
}

// Order and scope after the first `count` arguments.
static uint64_t order_and_scope(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args,
                                uint32_t count) {
  enum kiln_order order = e->arg_count > count ? order_of(L, args[count]) : KILN_SEQ_CST;
  enum kiln_scope scope = e->arg_count > count + 1 ? scope_of(L, args[count + 1]) : KILN_SCOPE_DEVICE;
  return kiln_atomic(order, scope);
}

static kiln_value bits_of(struct kiln_lower *L, kiln_value v) {
  enum kiln_kind kind = kiln_type_kind(kiln_value_type(L->fn, v));
  if (!kiln_kind_is_float(kind))
    return v;
  return kiln_build1(&L->b, KILN_OP_BITCAST, kiln_scalar_type(kiln_kind_bits(kind) == 64 ? KILN_I64 : KILN_I32), v);
}

static kiln_value compare_exchange(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  const struct kiln_ctype *type = e->args[1]->type.type->base.type;
  enum kiln_order order = KILN_SEQ_CST;
  enum kiln_scope scope = e->arg_count > 5 ? scope_of(L, args[5]) : KILN_SCOPE_DEVICE;
  if (e->arg_count > 4)
    order = kiln_order_of_both(order_of(L, args[3]), order_of(L, args[4]));
  struct kiln_lower_lvalue expected = kiln_lower_lvalue_at(args[1], type, type->align);
  kiln_value was = kiln_lower_load(L, &expected);
  kiln_value old = kiln_build(&L->b, KILN_OP_ATOMIC_CAS, kiln_value_type(L->fn, was),
                              (kiln_value[]){args[0], was, args[2]}, 3, kiln_atomic(order, scope), 0, 0);
  kiln_value old_bits = bits_of(L, old);
  kiln_value same = kiln_build2(&L->b, KILN_OP_EQ, old_bits, bits_of(L, was));
  uint32_t outer = L->b.region;
  kiln_value node = kiln_build_if(&L->b, same);
  kiln_lower_enter(L, kiln_lower_region(L, node, 0));
  kiln_lower_yield(L, NULL, 0);
  kiln_lower_enter(L, kiln_lower_region(L, node, 1)); // only a failure writes: others may look at it
  kiln_lower_store(L, &expected, old);
  kiln_lower_yield(L, NULL, 0);
  kiln_lower_enter(L, outer);
  return kiln_build1(&L->b, KILN_OP_ZEXT, kiln_ctype_ir(e->type.type), same);
}

static kiln_value read_modify_write(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  kiln_type type = kiln_ctype_ir(e->type.type);
  kiln_value operand = args[1];
  unsigned rmw = (unsigned)e->builtin->imm;
  if (rmw == KILN_RMW_SUB && kiln_kind_is_float(kiln_type_kind(type))) {
    rmw = KILN_RMW_FADD;
    operand = kiln_build1(&L->b, KILN_OP_FNEG, 0, operand);
  }
  return kiln_build(&L->b, KILN_OP_ATOMIC_RMW, type, (kiln_value[]){args[0], operand}, 2,
                    order_and_scope(L, e, args, 2), 0, (uint16_t)rmw);
}

static kiln_value test_and_set(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  kiln_type type = kiln_scalar_type(KILN_I32);
  kiln_value old = kiln_build(&L->b, KILN_OP_ATOMIC_RMW, type, (kiln_value[]){args[0], kiln_const(L->fn, type, 1)}, 2,
                              order_and_scope(L, e, args, 1), 0, KILN_RMW_XCHG);
  return kiln_build1(&L->b, KILN_OP_ZEXT, kiln_ctype_ir(e->type.type), kiln_lower_to_bool(L, old));
}

static void fence(struct kiln_lower *L, enum kiln_order order, enum kiln_scope scope, kiln_value flags) {
  if (order != KILN_RELAXED)
    kiln_build(&L->b, KILN_OP_FENCE, KILN_VOID, NULL, 0, kiln_atomic(order, scope), kiln_lower_fence_bits(L, flags), 0);
}

void kiln_lower_scoped_barrier(struct kiln_lower *L, kiln_value flags, kiln_value scope_or_0) {
  enum kiln_scope scope = scope_or_0 ? scope_of(L, scope_or_0) : KILN_SCOPE_GROUP;
  bool wide = scope > KILN_SCOPE_GROUP; // the barrier itself orders the accesses of its group
  if (wide)
    fence(L, KILN_RELEASE, scope, flags);
  kiln_build(&L->b, KILN_OP_BARRIER, KILN_VOID, NULL, 0, 0, kiln_lower_fence_bits(L, flags), 0);
  if (wide)
    fence(L, KILN_ACQUIRE, scope, flags);
}

static kiln_value init(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  const struct kiln_ctype *type = e->args[1]->type.type;
  struct kiln_lower_lvalue lvalue = kiln_lower_lvalue_at(args[0], type, type->align);
  kiln_lower_store(L, &lvalue, args[1]);
  return 0;
}

static kiln_value load(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  return kiln_build(&L->b, KILN_OP_ATOMIC_LOAD, kiln_ctype_ir(e->type.type), args, 1, order_and_scope(L, e, args, 1), 0,
                    0);
}

static kiln_value store(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  kiln_build(&L->b, KILN_OP_ATOMIC_STORE, KILN_VOID, args, 2, order_and_scope(L, e, args, 2), 0, 0);
  return 0;
}

static kiln_value clear(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  kiln_value operands[2] = {args[0], kiln_lower_const_int(L, KILN_I32, 0)};
  kiln_build(&L->b, KILN_OP_ATOMIC_STORE, KILN_VOID, operands, 2, order_and_scope(L, e, args, 1), 0, 0);
  return 0;
}

static kiln_value item_fence(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  (void)e;
  fence(L, order_of(L, args[1]), scope_of(L, args[2]), args[0]);
  return 0;
}

kiln_value kiln_lower_atomic(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  static kiln_value (*const by_code[])(struct kiln_lower *, const struct kiln_expr *,
                                       const kiln_value *) = {[KILN_SP_C11_INIT] = init,
                                                              [KILN_SP_C11_LOAD] = load,
                                                              [KILN_SP_C11_STORE] = store,
                                                              [KILN_SP_C11_RMW] = read_modify_write,
                                                              [KILN_SP_C11_CAS] = compare_exchange,
                                                              [KILN_SP_FLAG_SET] = test_and_set,
                                                              [KILN_SP_FLAG_CLEAR] = clear,
                                                              [KILN_SP_ITEM_FENCE] = item_fence};
  return by_code[e->builtin->code](L, e, args);
}
