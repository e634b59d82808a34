// Calls of built-ins that exchange values between the work-items of a sub-group or work-group. The IR does so with
// scalars; vectors go element by element.
#include "jit/lang/ast/builtin_call.h"
#include "jit/lang/lower/lower.h"

static kiln_type i32(void) { return kiln_scalar_type(KILN_I32); }
static kiln_type i64(void) { return kiln_scalar_type(KILN_I64); }

// The operation on each element of x, with what else it takes.
static kiln_value by_element(struct kiln_lower *L, enum kiln_op op, kiln_value x, kiln_value other, uint64_t imm,
                             uint16_t flags) {
  kiln_type type = kiln_value_type(L->fn, x);
  unsigned lanes = kiln_type_lanes(type), count = other ? 2 : 1;
  if (lanes == 1)
    return kiln_build(&L->b, op, type, (kiln_value[]){x, other}, count, imm, 0, flags);
  kiln_value out[16];
  for (unsigned i = 0; i < lanes; i++)
    out[i] = kiln_build(&L->b, op, kiln_type_element(type), (kiln_value[]){kiln_lower_extract(L, x, i), other}, count,
                        imm, 0, flags);
  return kiln_build(&L->b, KILN_OP_VEC, type, out, lanes, 0, 0, 0);
}

// x + y * size(0) + z * size(0) * size(1) of up to three local ids, as i32.
static kiln_value linear_id(struct kiln_lower *L, const kiln_value *ids, uint32_t count) {
  kiln_value v = ids[count - 1];
  for (uint32_t d = count - 1; d-- > 0;) {
    v = kiln_build2(&L->b, KILN_OP_IMUL, v, kiln_build_item(&L->b, KILN_OP_LOCAL_SIZE, d));
    v = kiln_build2(&L->b, KILN_OP_IADD, v, ids[d]);
  }
  return kiln_build1(&L->b, KILN_OP_TRUNC, i32(), v);
}

static bool cluster_of(struct kiln_lower *L, const struct kiln_expr *e, kiln_value v, unsigned *out) {
  const struct kiln_inst *inst = kiln_inst(L->fn, v);
  uint64_t size = inst->imm;
  *out = size < KILN_MAX_WARP_SIZE ? (unsigned)size : KILN_MAX_WARP_SIZE; // undefined beyond the sub-group's size
  if (inst->op == KILN_OP_CONST && size && (size & (size - 1)) == 0)
    return true;
  kiln_lower_error(L, e->args[1]->location, "the size of a cluster must be a constant power of two");
  return false;
}

static kiln_value collective(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  enum kiln_op op = (enum kiln_op)KILN_COLLECT_OP(e->builtin->imm);
  enum kiln_scope scope = (enum kiln_scope)KILN_COLLECT_SCOPE(e->builtin->imm);
  uint16_t reduce = (uint16_t)KILN_COLLECT_REDUCE(e->builtin->imm);
  unsigned cluster = 0;
  kiln_value x = args[0];
  if (op == KILN_OP_GROUP_ALL || op == KILN_OP_GROUP_ANY) {
    x = by_element(L, op, kiln_lower_to_bool(L, x), 0, kiln_collective(scope, 0), 0);
    return kiln_build1(&L->b, KILN_OP_ZEXT, i32(), x);
  }
  if (op == KILN_OP_GROUP_BROADCAST) {
    kiln_value id = scope == KILN_SCOPE_GROUP ? linear_id(L, args + 1, e->arg_count - 1) : args[1];
    return by_element(L, op, x, id, kiln_collective(scope, 0), 0);
  }
  if (e->arg_count > 1 && !cluster_of(L, e, args[1], &cluster))
    return kiln_undef(L->fn, kiln_ctype_ir(e->type.type));
  bool logical = e->builtin->code == KILN_SP_COLLECTIVE_LOGICAL;
  if (logical)
    x = kiln_build1(&L->b, KILN_OP_ZEXT, i32(), kiln_lower_to_bool(L, x));
  x = by_element(L, op, x, 0, kiln_collective(scope, cluster), reduce);
  if (logical) // an exclusive scan by `and` begins with all ones
    x = kiln_build2(&L->b, KILN_OP_AND, x, kiln_const(L->fn, i32(), 1));
  return x;
}

// ---- blocks: element i of work-item l is at i * (size of a sub-group) + l -------------------------------------------

static kiln_value block_address(struct kiln_lower *L, kiln_value base, unsigned i, unsigned bytes) {
  kiln_value size = kiln_build(&L->b, KILN_OP_MAX_SUB_GROUP_SIZE, i32(), NULL, 0, 0, 0, 0);
  kiln_value self = kiln_build(&L->b, KILN_OP_SUB_GROUP_LOCAL_ID, i32(), NULL, 0, 0, 0, 0);
  kiln_value at = kiln_build2(&L->b, KILN_OP_IMUL, size, kiln_const(L->fn, i32(), i));
  at = kiln_build2(&L->b, KILN_OP_IADD, at, self);
  return kiln_build_padd(&L->b, base, kiln_build1(&L->b, KILN_OP_ZEXT, i64(), at), bytes);
}

static kiln_value block_read(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  kiln_type type = kiln_ctype_ir(e->type.type), element = kiln_type_element(type);
  unsigned lanes = kiln_type_lanes(type), bytes = kiln_type_bytes(element);
  kiln_value out[16];
  for (unsigned i = 0; i < lanes; i++)
    out[i] = kiln_build_load(&L->b, element, block_address(L, args[0], i, bytes), bytes, 0);
  return lanes == 1 ? out[0] : kiln_build(&L->b, KILN_OP_VEC, type, out, lanes, 0, 0, 0);
}

static kiln_value block_write(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  (void)e;
  kiln_type type = kiln_value_type(L->fn, args[1]);
  unsigned lanes = kiln_type_lanes(type), bytes = kiln_type_bytes(kiln_type_element(type));
  for (unsigned i = 0; i < lanes; i++) {
    kiln_value v = lanes == 1 ? args[1] : kiln_lower_extract(L, args[1], i);
    kiln_build_store(&L->b, block_address(L, args[0], i, bytes), v, bytes, 0);
  }
  return 0;
}

static kiln_value ballot(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  (void)e;
  kiln_value predicate = kiln_lower_to_bool(L, args[0]);
  return kiln_build(&L->b, KILN_OP_SUB_GROUP_BALLOT, i64(), &predicate, 1, 0, 0, 0);
}

static kiln_value shuffle(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  (void)e;
  return by_element(L, KILN_OP_SUB_GROUP_SHUFFLE, args[0], args[1], 0, 0);
}

static kiln_value barrier(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  (void)e;
  kiln_build(&L->b, KILN_OP_SUB_GROUP_BARRIER, KILN_VOID, NULL, 0, 0, kiln_lower_fence_bits(L, args[0]), 0);
  return 0;
}

kiln_value kiln_lower_group(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  static kiln_value (*const by_code[])(struct kiln_lower *, const struct kiln_expr *,
                                       const kiln_value *) = {[KILN_SP_COLLECTIVE] = collective,
                                                              [KILN_SP_COLLECTIVE_LOGICAL] = collective,
                                                              [KILN_SP_BALLOT] = ballot,
                                                              [KILN_SP_SUB_GROUP_SHUFFLE] = shuffle,
                                                              [KILN_SP_SUB_GROUP_BARRIER] = barrier,
                                                              [KILN_SP_BLOCK_READ] = block_read,
                                                              [KILN_SP_BLOCK_WRITE] = block_write};
  return by_code[e->builtin->code](L, e, args);
}
