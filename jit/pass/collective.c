// Operations on groups for backends that do not have all of them (struct kiln_caps).
//
// An operation on a whole group becomes one on each sub-group, and the sub-groups exchange their results through local
// memory between barriers. Floats are combined with their neighbours first, as in the operation on the group. All
// operations share one module variable, which is free again after the second barrier. Where each work-item is a
// sub-group of its own, the operations on sub-groups then become plain values.
//
// Requires that functions with operations on groups have been inlined into kernels. Linear.
#include "jit/pass/common.h"
#include "kiln/op_cases.h"

#define SLOT_BYTES 8

struct collective {
  struct kiln_function *fn;
  struct kiln_arena *arena;
  const struct kiln_caps *caps;
  uint32_t *slots; // module variable; UINT32_MAX: not made yet
  struct kiln_builder b;
  bool changed;
};

static kiln_type i32(void) { return kiln_scalar_type(KILN_I32); }
static kiln_type i64(void) { return kiln_scalar_type(KILN_I64); }
static kiln_value zero(struct collective *c) { return kiln_const(c->fn, i32(), 0); }

static kiln_value query(struct collective *c, enum kiln_op op) {
  return kiln_build(&c->b, op, i32(), NULL, 0, 0, 0, 0);
}

static void barrier(struct collective *c) {
  kiln_build(&c->b, KILN_OP_BARRIER, KILN_VOID, NULL, 0, 0, KILN_FENCE_LOCAL, 0);
}

static kiln_value slot(struct collective *c, kiln_value index) {
  struct kiln_module *module = c->fn->module;
  uint64_t count = c->caps->max_sub_groups ? c->caps->max_sub_groups : 1024;
  struct kiln_global global = {
      .name = "group.slots", .space = KILN_LOCAL, .size = count * SLOT_BYTES, .align = SLOT_BYTES};
  if (*c->slots == UINT32_MAX)
    *c->slots = kiln_module_add_global(module, &global);
  kiln_value base = kiln_global_address(c->fn, *c->slots);
  return kiln_build_padd(&c->b, base, kiln_build1(&c->b, KILN_OP_ZEXT, i64(), index), SLOT_BYTES);
}

static kiln_value read_slot(struct collective *c, kiln_type type, kiln_value index) {
  return kiln_build_load(&c->b, type, slot(c, index), kiln_type_bytes(type), 0);
}

static void write_slot(struct collective *c, kiln_value index, kiln_value value) {
  kiln_build_store(&c->b, slot(c, index), value, kiln_type_bytes(kiln_value_type(c->fn, value)), 0);
}

// Runs what is built until end_if only where the condition holds. All work-items see what it has stored after the
// barrier.
static struct kiln_builder begin_if(struct collective *c, kiln_value condition) {
  kiln_value branch = kiln_build_if(&c->b, condition);
  struct kiln_builder after = c->b;
  uint32_t first = kiln_node(c->fn, branch)->region_first;
  struct kiln_builder other = kiln_builder_at_end(c->fn, first + 1);
  kiln_build_yield(&other, NULL, 0);
  uint32_t loc = c->b.loc;
  c->b = kiln_builder_at_end(c->fn, first);
  c->b.loc = loc;
  return after;
}

static void end_if(struct collective *c, struct kiln_builder after) {
  kiln_build_yield(&c->b, NULL, 0);
  c->b = after;
}

// Slots 0 to end - 1 (at least slot 0) combined.
static kiln_value combine_slots(struct collective *c, kiln_type type, uint16_t reduce, kiln_value end) {
  struct kiln_function *fn = c->fn;
  kiln_value initial[2] = {kiln_const(fn, i32(), 1), read_slot(c, type, zero(c))};
  kiln_value loop = kiln_build_loop(&c->b, initial, 2);
  kiln_value result = kiln_node_add_result(fn, loop, type);
  if (!loop || !result)
    return 0;
  struct kiln_builder after = c->b;
  kiln_value index = kiln_node(fn, loop)->header.items[0], sum = kiln_node(fn, loop)->header.items[1];
  c->b = kiln_builder_at_end(fn, kiln_node(fn, loop)->region_first);
  c->b.loc = after.loc;
  kiln_value more = kiln_build2(&c->b, KILN_OP_ULT, index, end);
  kiln_build_exit(&c->b, more, 1, loop, &sum, 1);
  kiln_value next[2];
  next[1] = kiln_build2(&c->b, kiln_reduce_op((enum kiln_reduce)reduce), sum, read_slot(c, type, index));
  next[0] = kiln_build2(&c->b, KILN_OP_IADD, index, kiln_const(fn, i32(), 1));
  kiln_build_continue(&c->b, loop, next, 2);
  c->b = after;
  return result;
}

static kiln_value sub_group(struct collective *c, enum kiln_op op, kiln_value x, uint16_t reduce) {
  return kiln_build(&c->b, op, KILN_VOID, &x, 1, kiln_collective(KILN_SCOPE_SUB_GROUP, 0), 0, reduce);
}

static void share(struct collective *c, kiln_value condition, kiln_value index, kiln_value value) {
  struct kiln_builder after = begin_if(c, condition);
  write_slot(c, index, value);
  end_if(c, after);
  barrier(c);
}

// Combines the values of all sub-groups, one of each; all work-items get the result.
static kiln_value reduce_group(struct collective *c, kiln_value x, uint16_t reduce) {
  kiln_value first = kiln_build2(&c->b, KILN_OP_EQ, query(c, KILN_OP_SUB_GROUP_LOCAL_ID), zero(c));
  share(c, first, query(c, KILN_OP_SUB_GROUP_ID), x);
  kiln_value r = combine_slots(c, kiln_value_type(c->fn, x), reduce, query(c, KILN_OP_NUM_SUB_GROUPS));
  barrier(c);
  return r;
}

static kiln_value vote(struct collective *c, enum kiln_op op, kiln_value x) {
  kiln_value v = kiln_build1(&c->b, KILN_OP_ZEXT, i32(), sub_group(c, op, x, 0));
  v = reduce_group(c, v, op == KILN_OP_GROUP_ALL ? KILN_REDUCE_AND : KILN_REDUCE_OR);
  return kiln_build2(&c->b, KILN_OP_NE, v, zero(c));
}

static kiln_value scan(struct collective *c, enum kiln_op op, kiln_value x, uint16_t reduce) {
  struct kiln_function *fn = c->fn;
  kiln_value own = sub_group(c, op, x, reduce), total = sub_group(c, KILN_OP_GROUP_REDUCE, x, reduce);
  kiln_value first = kiln_build2(&c->b, KILN_OP_EQ, query(c, KILN_OP_SUB_GROUP_LOCAL_ID), zero(c));
  kiln_value id = query(c, KILN_OP_SUB_GROUP_ID);
  share(c, first, id, total);
  kiln_value before = combine_slots(c, kiln_value_type(fn, x), reduce, id);
  before = kiln_build2(&c->b, kiln_reduce_op((enum kiln_reduce)reduce), before, own);
  kiln_value r = kiln_build3(&c->b, KILN_OP_SELECT, kiln_build2(&c->b, KILN_OP_EQ, id, zero(c)), own, before);
  barrier(c);
  return r;
}

// x + size 0 * (y + size 1 * z) of the local ids, as i32.
static kiln_value linear_id(struct collective *c) {
  kiln_value v = kiln_build_item(&c->b, KILN_OP_LOCAL_ID, 2);
  for (unsigned d = 2; d-- > 0;) {
    v = kiln_build2(&c->b, KILN_OP_IMUL, v, kiln_build_item(&c->b, KILN_OP_LOCAL_SIZE, d));
    v = kiln_build2(&c->b, KILN_OP_IADD, v, kiln_build_item(&c->b, KILN_OP_LOCAL_ID, d));
  }
  return kiln_build1(&c->b, KILN_OP_TRUNC, i32(), v);
}

static kiln_value broadcast(struct collective *c, kiln_value x, kiln_value id) {
  share(c, kiln_build2(&c->b, KILN_OP_EQ, linear_id(c), id), zero(c), x);
  kiln_value r = read_slot(c, kiln_value_type(c->fn, x), zero(c));
  barrier(c);
  return r;
}

// ---- of a group -----------------------------------------------------------------------------------------------------

static kiln_value lower_group(struct collective *c, kiln_value id) {
  const struct kiln_inst *inst = &c->fn->insts[id];
  uint16_t op = inst->op, flags = inst->flags;
  kiln_value x = kiln_operands(c->fn, id)[0];
  c->b = kiln_builder_before(c->fn, id);
  switch (op) {
  case KILN_OP_GROUP_ALL:
  case KILN_OP_GROUP_ANY:
    return vote(c, (enum kiln_op)op, x);
  case KILN_OP_GROUP_BROADCAST:
    return broadcast(c, x, kiln_operands(c->fn, id)[1]);
  case KILN_OP_GROUP_REDUCE:
    return reduce_group(c, sub_group(c, KILN_OP_GROUP_REDUCE, x, flags), flags);
  }
  return scan(c, (enum kiln_op)op, x, flags);
}

// ---- of a sub-group of one work-item --------------------------------------------------------------------------------

// What an exclusive scan begins with.
static kiln_value identity(struct collective *c, kiln_type type, enum kiln_reduce reduce) {
  unsigned bits = kiln_kind_bits(kiln_type_kind(type));
  uint64_t all = kiln_bits_mask(bits);
  switch (reduce) {
  case KILN_REDUCE_ADD:
  case KILN_REDUCE_OR:
  case KILN_REDUCE_XOR:
  case KILN_REDUCE_UMAX:
  case KILN_REDUCE_FADD:
  case KILN_REDUCE_COUNT:
    break;
  case KILN_REDUCE_MUL:
    return kiln_const(c->fn, type, 1);
  case KILN_REDUCE_AND:
  case KILN_REDUCE_UMIN:
    return kiln_const(c->fn, type, all);
  case KILN_REDUCE_SMIN:
    return kiln_const(c->fn, type, all >> 1);
  case KILN_REDUCE_SMAX:
    return kiln_const(c->fn, type, (all >> 1) + 1);
  case KILN_REDUCE_FMUL:
    return kiln_const_float(c->fn, type, 1);
  case KILN_REDUCE_FMIN:
    return kiln_const_float(c->fn, type, __builtin_inf());
  case KILN_REDUCE_FMAX:
    return kiln_const_float(c->fn, type, -__builtin_inf());
  }
  return kiln_const(c->fn, type, 0);
}

static kiln_value lower_single(struct collective *c, kiln_value id) {
  const struct kiln_inst inst = c->fn->insts[id];
  kiln_value x = inst.operand_count ? kiln_operands(c->fn, id)[0] : 0;
  c->b = kiln_builder_before(c->fn, id);
  switch (kiln_op_of(&inst)) {
  case KILN_OP_SUB_GROUP_SIZE:
  case KILN_OP_MAX_SUB_GROUP_SIZE:
    return kiln_const(c->fn, i32(), 1);
  case KILN_OP_NUM_SUB_GROUPS: {
    kiln_value v = kiln_build_item(&c->b, KILN_OP_LOCAL_SIZE, 0);
    v = kiln_build2(&c->b, KILN_OP_IMUL, v, kiln_build_item(&c->b, KILN_OP_LOCAL_SIZE, 1));
    v = kiln_build2(&c->b, KILN_OP_IMUL, v, kiln_build_item(&c->b, KILN_OP_LOCAL_SIZE, 2));
    return kiln_build1(&c->b, KILN_OP_TRUNC, i32(), v);
  }
  case KILN_OP_SUB_GROUP_ID:
    return linear_id(c);
  case KILN_OP_SUB_GROUP_LOCAL_ID:
    return zero(c);
  case KILN_OP_GROUP_SCAN_EXCLUSIVE:
    return identity(c, inst.type, (enum kiln_reduce)inst.flags);
  case KILN_OP_SUB_GROUP_BALLOT:
    return kiln_build1(&c->b, KILN_OP_ZEXT, i64(), x);
  case KILN_OP_GROUP_ALL:
  case KILN_OP_GROUP_ANY:
  case KILN_OP_GROUP_BROADCAST:
  case KILN_OP_GROUP_REDUCE:
  case KILN_OP_GROUP_SCAN_INCLUSIVE:
  case KILN_OP_SUB_GROUP_SHUFFLE:
    return x;
  case KILN_OP_SUB_GROUP_BARRIER:
  case KILN_OP_BARRIER:
    KILN_CASES_FREE KILN_CASES_INT KILN_CASES_BOOL KILN_CASES_FLOAT KILN_CASES_MATH KILN_CASES_COMPARE
        KILN_CASES_FCOMPARE KILN_CASES_VECTOR KILN_CASES_CONVERT KILN_CASES_MEMORY KILN_CASES_ATOMIC KILN_CASES_CALL
            KILN_CASES_ITEM KILN_CASES_FLOW KILN_CASES_IMAGE case KILN_OP_COUNT : break;
  }
  return 0;
}

// ---- the whole ------------------------------------------------------------------------------------------------------

static void lower(struct collective *c, bool (*wanted)(const struct kiln_inst *inst),
                  kiln_value (*by)(struct collective *c, kiln_value id)) {
  struct kiln_function *fn = c->fn;
  struct kiln_replaced replaced = kiln_replaced_new(fn, c->arena);
  bool found = false;
  for (kiln_value id = 1; id < replaced.count && !kiln_module_failed(fn->module); id++) {
    if (!fn->insts[id].region || !wanted(&fn->insts[id]))
      continue;
    found = true;
    replaced.by[id] = by(c, id);
  }
  if (!found || kiln_module_failed(fn->module))
    return;
  c->changed = true;
  kiln_resolve_all(fn, &replaced);
  for (kiln_value id = 1; id < replaced.count; id++)
    if (fn->insts[id].region && wanted(&fn->insts[id]))
      kiln_remove(fn, id);
}

static bool is_of_group(const struct kiln_inst *inst) {
  return inst->op != KILN_OP_BARRIER && kiln_inst_is_barrier(inst);
}
static bool is_of_sub_group(const struct kiln_inst *inst) { return kiln_op_uses_sub_groups(kiln_op_of(inst)); }

static bool run(void *subject, struct kiln_arena *arena) {
  struct collective *c = subject;
  c->arena = arena;
  if (!c->caps->group_collectives)
    lower(c, is_of_group, lower_group);
  if (c->caps->sub_groups == KILN_SUB_GROUPS_SINGLE)
    lower(c, is_of_sub_group, lower_single);
  return c->changed;
}

bool kiln_pass_collective(struct kiln_module *module, const struct kiln_caps *caps) {
  uint32_t slots = UINT32_MAX;
  bool changed = false;
  for (uint32_t i = 0; i < module->function_count; i++) {
    struct collective c = {.fn = module->functions[i], .caps = caps, .slots = &slots};
    changed |= kiln_pass_scratch(module, &c, run);
  }
  return changed;
}
