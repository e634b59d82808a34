// Computes from global ids what kernels ask of their groups, where a launch runs work-items in another order and in
// other groups than the caller's (flatten.c): local_id(0) becomes global_id(0) % local_size(0). For kernels that cannot
// tell the difference, and launches whose groups are all full.
#include "backends/llvm/arrange/arrange.h"

static kiln_type i64(void) { return kiln_scalar_type(KILN_I64); }

static kiln_value narrow(struct kiln_builder *b, kiln_value x) {
  return kiln_build1(b, KILN_OP_TRUNC, kiln_scalar_type(KILN_I32), x);
}

// A query of the launch, in the type.
static kiln_value query(struct kiln_builder *b, enum kiln_op op, uint64_t d, kiln_type type) {
  kiln_value v = kiln_build_item(b, op, (unsigned)d);
  return type == i64() ? v : kiln_build1(b, KILN_OP_TRUNC, type, v);
}

void kiln_ll_become(struct kiln_function *fn, kiln_value v, enum kiln_op op, const kiln_value *operands, uint32_t count,
                    uint64_t imm) {
  kiln_set_operands(fn, v, operands, count);
  fn->insts[v].op = (uint16_t)op;
  fn->insts[v].imm = imm;
  fn->insts[v].flags = 0;
}

// ---- positions and sizes

kiln_value kiln_ll_converted(const struct kiln_function *fn, kiln_value v) {
  enum kiln_op op = kiln_op_of(&fn->insts[v]);
  while ((op == KILN_OP_SEXT || op == KILN_OP_ZEXT || op == KILN_OP_TRUNC) &&
         kiln_kind_bits(kiln_type_kind(fn->insts[v].type)) >= 32) {
    v = kiln_operands(fn, v)[0];
    op = kiln_op_of(&fn->insts[v]);
  }
  return v;
}

static bool is_query(const struct kiln_function *fn, kiln_value v, enum kiln_op op, uint64_t d) {
  const struct kiln_inst *in = &fn->insts[kiln_ll_converted(fn, v)];
  return in->op == op && in->imm == d;
}

static bool is_size_of_group(const struct kiln_function *fn, kiln_value v, uint64_t d) {
  const struct kiln_inst *in = &fn->insts[kiln_ll_converted(fn, v)];
  return ((in->op == KILN_OP_LOCAL_SIZE || in->op == KILN_OP_FULL_LOCAL_SIZE) && in->imm == d) ||
         (in->op == KILN_OP_CONST && fn->required_group_size[d] && in->imm == fn->required_group_size[d]);
}

// Whether the value is the query times the size of the group, in the dimension.
static bool is_in_groups(const struct kiln_function *fn, kiln_value v, enum kiln_op op, uint64_t d) {
  v = kiln_ll_converted(fn, v);
  const kiln_value *x = kiln_operands(fn, v);
  return fn->insts[v].op == KILN_OP_IMUL && ((is_query(fn, x[0], op, d) && is_size_of_group(fn, x[1], d)) ||
                                             (is_query(fn, x[1], op, d) && is_size_of_group(fn, x[0], d)));
}

// Whether the value is group_id * local_size + local_id, the position of the work-item in the launch.
static bool is_position(const struct kiln_function *fn, kiln_value v, uint64_t *d) {
  const kiln_value *x = kiln_operands(fn, v);
  for (unsigned side = 0; side < 2 && fn->insts[v].op == KILN_OP_IADD; side++) {
    *d = fn->insts[kiln_ll_converted(fn, x[side])].imm;
    if (fn->insts[kiln_ll_converted(fn, x[side])].op == KILN_OP_LOCAL_ID &&
        is_in_groups(fn, x[!side], KILN_OP_GROUP_ID, *d))
      return true;
  }
  return false;
}

// Whether the value is num_groups * local_size.
static bool is_launch_size(const struct kiln_function *fn, kiln_value v, uint64_t *d) {
  for (*d = 0; *d < 3 && fn->insts[v].op == KILN_OP_IMUL; ++*d)
    if (is_in_groups(fn, v, KILN_OP_NUM_GROUPS, *d))
      return true;
  return false;
}

// Replaces positions and sizes by global ids and sizes. With rewritten, nothing is changed: it gets, by value, whether
// the value would be replaced.
static bool replace_positions(struct kiln_function *fn, bool *rewritten) {
  bool any = false;
  uint32_t count = fn->inst_count;
  for (kiln_value v = 1; v < count; v++) {
    uint64_t d;
    kiln_type type = fn->insts[v].type;
    if (!fn->insts[v].region || kiln_type_lanes(type) > 1)
      continue;
    bool position = is_position(fn, v, &d);
    if (!position && !is_launch_size(fn, v, &d))
      continue;
    any = true;
    if (rewritten) {
      rewritten[v] = true;
      continue;
    }
    struct kiln_builder b = kiln_builder_before(fn, v);
    if (position) {
      kiln_value id = query(&b, KILN_OP_GLOBAL_ID, d, type), offset = query(&b, KILN_OP_GLOBAL_OFFSET, d, type);
      kiln_ll_become(fn, v, KILN_OP_ISUB, (kiln_value[]){id, offset}, 2, 0);
    } else if (type != i64()) {
      kiln_value size = kiln_build_item(&b, KILN_OP_GLOBAL_SIZE, (unsigned)d);
      kiln_ll_become(fn, v, KILN_OP_TRUNC, &size, 1, 0);
    } else {
      kiln_ll_become(fn, v, KILN_OP_GLOBAL_SIZE, NULL, 0, d);
    }
  }
  return any;
}

// ---- what is needed

struct demand {
  const struct kiln_function *fn;
  const bool *rewritten;
  bool *seen;
  kiln_value *work; // values whose operands are to be looked at
  uint32_t count;
};

static void demand(struct demand *d, kiln_value v) {
  for (uint32_t i = 0; i < d->fn->insts[v].operand_count; i++) {
    kiln_value x = kiln_operands(d->fn, v)[i];
    if (d->seen[x] || d->rewritten[x] || !d->fn->insts[x].region)
      continue;
    d->seen[x] = true;
    d->work[d->count++] = x;
  }
}

static bool is_free_of_effects(const struct kiln_function *fn, kiln_value v) {
  enum kiln_op_effect effect = kiln_op_table[fn->insts[v].op].effect;
  return effect == KILN_EFFECT_PURE || effect == KILN_EFFECT_ITEM;
}

bool kiln_ll_needs(const struct kiln_function *fn, bool (*asks)(enum kiln_op op), const bool *rewritten, bool *seen,
                   struct kiln_arena *arena) {
  struct demand d = {fn, rewritten, seen, KILN_NEW_ARRAY(arena, kiln_value, fn->inst_count), 0};
  bool needs = false;
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (fn->insts[v].region && !is_free_of_effects(fn, v))
      demand(&d, v);
  while (d.count) {
    kiln_value v = d.work[--d.count];
    needs |= asks(kiln_op_of(&fn->insts[v]));
    demand(&d, v);
  }
  return needs;
}

static bool asks_of_group(enum kiln_op op) {
  return op == KILN_OP_LOCAL_ID || op == KILN_OP_GROUP_ID || op == KILN_OP_LOCAL_SIZE ||
         op == KILN_OP_FULL_LOCAL_SIZE || op == KILN_OP_NUM_GROUPS;
}

bool kiln_ll_arrange_queries(struct kiln_ll *ll, struct kiln_function *fn) {
  uint32_t count = fn->inst_count;
  bool *rewritten = KILN_NEW_ARRAY(&ll->arena, bool, count), *seen = KILN_NEW_ARRAY(&ll->arena, bool, count);
  if (!fn->shapes || !fn->module->small_ids || !replace_positions(fn, rewritten) ||
      kiln_ll_needs(fn, asks_of_group, rewritten, seen, &ll->arena))
    return false;
  replace_positions(fn, NULL);
  for (kiln_value v = 1; v < count; v++)
    if (fn->insts[v].region && is_free_of_effects(fn, v) && !seen[v] && !rewritten[v])
      kiln_remove(fn, v);
  kiln_function_analyse(fn);
  return true;
}

// ---- the work-item's place in its group

// All groups are full (the driver sees to that), and ids below 2^31 unless the kernel is compiled for larger ones.
static void replace_group_query(struct kiln_function *fn, kiln_value v) {
  uint64_t d = fn->insts[v].imm;
  struct kiln_builder b = kiln_builder_before(fn, v);
  if (fn->insts[v].op == KILN_OP_LOCAL_SIZE) {
    fn->insts[v].op = KILN_OP_FULL_LOCAL_SIZE;
    return;
  }
  bool is_group = fn->insts[v].op == KILN_OP_GROUP_ID;
  kiln_value zero = kiln_const(fn, i64(), 0);
  if (fn->required_group_size[d] == 1 && !is_group) {
    kiln_ll_become(fn, v, KILN_OP_IADD, (kiln_value[]){zero, zero}, 2, 0);
    return;
  }
  kiln_value id = kiln_build_item(&b, KILN_OP_GLOBAL_ID, (unsigned)d);
  kiln_value at = kiln_build2(&b, KILN_OP_ISUB, id, kiln_build_item(&b, KILN_OP_GLOBAL_OFFSET, (unsigned)d));
  kiln_value size = kiln_build_item(&b, KILN_OP_FULL_LOCAL_SIZE, (unsigned)d);
  if (fn->required_group_size[d] == 1) {
    kiln_ll_become(fn, v, KILN_OP_IADD, (kiln_value[]){at, zero}, 2, 0);
    return;
  }
  if (!fn->module->small_ids) {
    kiln_ll_become(fn, v, is_group ? KILN_OP_UDIV : KILN_OP_UREM, (kiln_value[]){at, size}, 2, 0);
    return;
  }
  kiln_value result = kiln_build2(&b, is_group ? KILN_OP_UDIV : KILN_OP_UREM, narrow(&b, at), narrow(&b, size));
  kiln_ll_become(fn, v, KILN_OP_ZEXT, &result, 1, 0);
}

bool kiln_ll_replace_group_queries(struct kiln_function *fn) {
  uint32_t count = fn->inst_count;
  bool any = false;
  replace_positions(fn, NULL);
  for (kiln_value v = 1; v < count; v++) {
    enum kiln_op op = kiln_op_of(&fn->insts[v]);
    if (!fn->insts[v].region || (op != KILN_OP_LOCAL_ID && op != KILN_OP_GROUP_ID && op != KILN_OP_LOCAL_SIZE))
      continue;
    replace_group_query(fn, v);
    any = true;
  }
  return any;
}
