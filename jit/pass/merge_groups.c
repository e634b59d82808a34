// Lanes across groups, for groups of 1 x N work-items with barriers. Where memory is contiguous in dimension 0, as in
// columns of an image, neighbours are in different groups. So as many groups as a warp has lanes become one group of
// lanes x N: a warp is the work-items with the same local id of all these groups. Local memory is interleaved, element
// by element, so that what a warp accesses in it is contiguous, too.
//
// A barrier of the merged group is a barrier of each of its groups. That is right where all groups run the same way
// through the kernel: conditions around barriers must not depend on the group. Within a group they are the same in any
// case.
//
// Local memory must be accessed as arrays: by loads, stores and atomic operations on elements of one size, at multiples
// of it. Requires that private variables have been promoted. Near-linear.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): merged.
#include "jit/pass/common.h"

struct merge {
  struct kiln_function *fn;
  struct kiln_arena *arena;
  kiln_value *same; // by value: of pointers to local memory, another one that may lead to the same; 0: no such pointer
  uint8_t *element; // by leader of pointers that may lead to the same: bytes of what is accessed; 0: nothing is
  uint32_t groups;
  struct kiln_replaced replaced;
  kiln_value member; // the number of the work-item's group in the merged one
};

// ---- local memory as arrays

static bool is_access(const struct kiln_inst *in) {
  return kiln_op_is_access(kiln_op_of(in)) || kiln_op_is_atomic(kiln_op_of(in));
}

// Whether the pointer may be operand i; joins it with the pointer that the instruction makes of it.
static bool may_use(struct merge *m, kiln_value user, uint32_t i) {
  const struct kiln_inst *in = &m->fn->insts[user];
  kiln_value pointer = kiln_leader_of(m->same, kiln_operands(m->fn, user)[i]);
  const struct kiln_value_list *phis = kiln_phis_of(m->fn, user);
  if (phis)
    m->same[pointer] = kiln_leader_of(m->same, phis->items[i]);
  else if ((in->op == KILN_OP_PADD && i == 0) || in->op == KILN_OP_SELECT)
    m->same[pointer] = kiln_leader_of(m->same, user);
  else
    return is_access(in) && i == 0;
  return true;
}

// Whether what is accessed has the size of the other elements.
static bool may_access(struct merge *m, kiln_value v) {
  const struct kiln_inst *in = &m->fn->insts[v];
  uint32_t bytes = kiln_type_bytes(kiln_type_element(kiln_access_type(m->fn, v)));
  uint8_t *element = &m->element[kiln_leader_of(m->same, kiln_operands(m->fn, v)[0])];
  bool is_volatile = kiln_op_is_access(kiln_op_of(in)) && in->flags & KILN_MEM_VOLATILE;
  bool may = bytes && !is_volatile && (!*element || *element == bytes);
  *element = (uint8_t)bytes;
  return may;
}

static bool is_made(const struct kiln_inst *in) {
  return kiln_op_is_free(kiln_op_of(in)) || in->op == KILN_OP_PHI || in->op == KILN_OP_PADD || in->op == KILN_OP_SELECT;
}

// The step of an addition to a pointer, or a divisor of it.
static uint64_t step_of(const struct kiln_function *fn, kiln_value padd) {
  uint64_t index;
  return fn->insts[padd].imm * (kiln_const_splat(fn, kiln_operands(fn, padd)[1], &index) ? index : 1);
}

static bool has_arrays(struct merge *m) {
  struct kiln_function *fn = m->fn;
  bool arrays = true;
  for (kiln_value v = 1; v < fn->inst_count; v++)
    m->same[v] = fn->insts[v].type == kiln_ptr_type(KILN_LOCAL) ? v : 0;
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_walk_next(fn, v)) {
    arrays &= !m->same[v] || is_made(&fn->insts[v]);
    for (uint32_t i = 0; i < fn->insts[v].operand_count; i++)
      arrays &= !m->same[kiln_operands(fn, v)[i]] || may_use(m, v, i);
  }
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_walk_next(fn, v))
    arrays &= !is_access(&fn->insts[v]) || !m->same[kiln_operands(fn, v)[0]] || may_access(m, v);
  for (kiln_value v = fn->regions[fn->body].first; v && arrays; v = kiln_walk_next(fn, v))
    if (fn->insts[v].op == KILN_OP_PADD && m->same[v] && m->element[kiln_leader_of(m->same, v)])
      arrays = step_of(fn, v) % m->element[kiln_leader_of(m->same, v)] == 0;
  return arrays;
}

// ---- which kernels

static bool may_have_groups(const struct kiln_function *fn) {
  bool uses_dimension_1 = false, calls = false;
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_walk_next(fn, v)) {
    enum kiln_op op = kiln_op_of(&fn->insts[v]);
    calls |= op == KILN_OP_CALL || op == KILN_OP_PRINTF;
    uses_dimension_1 |= (op == KILN_OP_GLOBAL_ID || op == KILN_OP_LOCAL_ID) && fn->insts[v].imm == 1;
  }
  return fn->is_kernel && fn->required_group_size[0] <= 1 && fn->has_barrier && !fn->has_sub_groups &&
         uses_dimension_1 && !calls;
}

// Whether the groups of a merged group part at a node around a barrier. Requires the shapes of merged groups.
static bool parts_groups(const struct kiln_function *fn, kiln_value v) {
  return kiln_op_is_node(kiln_op_of(&fn->insts[v])) && fn->insts[v].op != KILN_OP_BLOCK &&
         kiln_node(fn, v)->has_barrier && kiln_node(fn, v)->divergent;
}

static bool is_empty(const struct kiln_function *fn, uint32_t region) {
  return fn->insts[fn->regions[region].first].op == KILN_OP_YIELD;
}

// Whether the node is an IF around all that some groups do.
static bool may_leave(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_node *node = kiln_node(fn, v);
  return fn->insts[v].op == KILN_OP_IF && (is_empty(fn, node->region_first) || is_empty(fn, node->region_first + 1));
}

// Whether all groups of a merged group run through the same barriers. Work-items may leave a block by themselves: they
// take no part in what follows.
static bool meet_at_barriers(struct kiln_function *fn) {
  bool meet = true;
  kiln_function_analyse_merged(fn);
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_walk_next(fn, v))
    meet &= !parts_groups(fn, v) || may_leave(fn, v);
  kiln_forget_shapes(fn);
  return meet;
}

// ---- the merged group

// Makes an IF a block that some groups leave at once.
static void leave_instead(struct merge *m, kiln_value v) {
  struct kiln_function *fn = m->fn;
  struct kiln_builder b = kiln_builder_before(fn, v);
  struct kiln_value_list results = kiln_node(fn, v)->results;
  uint32_t first = kiln_node(fn, v)->region_first;
  bool other = is_empty(fn, first); // the barrier is where the condition does not hold
  kiln_value block = kiln_build_block(&b), *left_with = KILN_NEW_ARRAY(m->arena, kiln_value, results.count + 1);
  uint32_t body = kiln_node(fn, block)->region_first;
  for (uint32_t i = 0; i < results.count; i++) {
    left_with[i] = kiln_operands(fn, fn->regions[first + !other].last)[i];
    m->replaced.by[results.items[i]] = kiln_node_add_result(fn, block, kiln_value_type(fn, results.items[i]));
  }
  b = kiln_builder_at_end(fn, body);
  kiln_build_exit(&b, kiln_operands(fn, v)[0], !other, block, left_with, results.count);
  while (fn->regions[first + other].first)
    kiln_move(fn, fn->regions[first + other].first, body, 0);
  for (kiln_value jump = 1; jump < fn->inst_count; jump++)
    if (fn->insts[jump].op == KILN_OP_BREAK && fn->insts[jump].imm == v)
      fn->insts[jump].imm = block;
  kiln_remove(fn, v);
}

// Makes the access that of the group's own elements; of a vector, component by component.
static void rewrite_access(const struct merge *m, kiln_value v) {
  struct kiln_function *fn = m->fn;
  struct kiln_builder b = kiln_builder_before(fn, v);
  uint16_t flags = fn->insts[v].flags;
  bool is_load = fn->insts[v].op == KILN_OP_LOAD, atomic = kiln_op_is_atomic(kiln_op_of(&fn->insts[v]));
  uint32_t element = m->element[kiln_leader_of(m->same, kiln_operands(fn, v)[0])],
           count = kiln_type_lanes(kiln_access_type(fn, v));
  kiln_value address = kiln_build_padd(&b, kiln_operands(fn, v)[0], m->member, element), parts[16] = {address};
  if (count == 1) {
    for (uint32_t i = 1; i < fn->insts[v].operand_count; i++)
      parts[i] = kiln_operands(fn, v)[i];
    kiln_set_operands(fn, v, parts, fn->insts[v].operand_count);
    fn->insts[v].imm2 = atomic ? fn->insts[v].imm2 : element;
    return;
  }
  kiln_type type = kiln_type_element(kiln_access_type(fn, v));
  for (uint32_t c = 0; c < count; c++) {
    kiln_value number = kiln_const(fn, kiln_scalar_type(KILN_I64), c);
    kiln_value place = kiln_build_padd(&b, address, number, (int64_t)element * m->groups);
    kiln_value extract[2] = {is_load ? 0 : kiln_operands(fn, v)[1], number};
    if (is_load)
      parts[c] = kiln_build_load(&b, type, place, element, flags);
    else
      kiln_build_store(&b, place, kiln_build(&b, KILN_OP_EXTRACT, type, extract, 2, 0, 0, 0), element, flags);
  }
  if (!is_load) {
    kiln_remove(fn, v);
    return;
  }
  kiln_set_operands(fn, v, parts, count);
  fn->insts[v].op = KILN_OP_VEC;
  fn->insts[v].imm2 = fn->insts[v].flags = 0;
}

static void merge(struct merge *m) {
  struct kiln_function *fn = m->fn;
  struct kiln_builder b = kiln_builder_before(fn, fn->regions[fn->body].first);
  m->member = kiln_build_item(&b, KILN_OP_LOCAL_ID, 0);
  for (kiln_value v = 1; v < m->replaced.count; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    if (!in->region)
      continue;
    if (kiln_op_family(kiln_op_of(in)) == KILN_FAMILY_ITEM && in->imm == 0)
      m->replaced.by[v] = kiln_query_of_one(fn, v);
    else if (in->op == KILN_OP_PADD && m->same[v])
      fn->insts[v].imm *= m->groups;
    else if (is_access(in) && m->same[kiln_operands(fn, v)[0]])
      rewrite_access(m, v);
  }
  kiln_resolve_all(fn, &m->replaced);
}

struct request {
  struct kiln_function *fn;
  uint32_t groups;
};

static bool run(void *subject, struct kiln_arena *arena) {
  const struct request *request = subject;
  struct kiln_function *fn = request->fn;
  uint32_t count = fn->inst_count;
  struct merge m = {.fn = fn,
                    .arena = arena,
                    .same = KILN_NEW_ARRAY(arena, kiln_value, count),
                    .element = KILN_NEW_ARRAY(arena, uint8_t, count),
                    .groups = request->groups};
  kiln_function_annotate(fn);
  fn->may_merge = may_have_groups(fn) && has_arrays(&m) && meet_at_barriers(fn);
  if (!fn->may_merge || !m.groups)
    return false;
  fn->merged_groups = (uint8_t)m.groups;
  m.replaced = kiln_replaced_new(fn, arena);
  for (kiln_value v = 1; v < count; v++)
    if (fn->insts[v].region && parts_groups(fn, v))
      leave_instead(&m, v);
  merge(&m);
  return true;
}

bool kiln_pass_merge_groups(struct kiln_function *fn, uint32_t groups) {
  struct request request = {fn, groups};
  return kiln_pass_scratch(fn->module, &request, run);
}
