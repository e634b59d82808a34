// Register blocking: a work-item runs ROWS neighbouring work-items of dimension 1 together, if loops load what is the
// same for all of them, as in a matrix product: an element of B that is loaded once is multiplied by those of ROWS rows
// of A. Instructions whose values differ between the rows are emitted once per row, all others once. Rows are
// work-items of one group that run in step, so barriers, local memory and the order of additions stay what they are.
//
//   if (all ROWS rows exist and pass the early tests) { rows together } else { for (each row) the kernel as it was }
//
// A kernel with barriers has the first part only, and runs groups whose columns are multiples of ROWS.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): blocked.
#include <string.h>

#include "backends/llvm/arrange/arrange.h"
#include "backends/llvm/core/tally.h"
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/form.h"
#include "backends/llvm/plan/width.h"

#define ROWS KILN_LL_BLOCKED_ROWS
#define MAX_GUARDS 4 // early tests, one inside of the other

struct blocking {
  struct kiln_ll *ll;
  struct kiln_function *fn;
  kiln_value count; // values and nodes before
  uint32_t nodes;
  bool *varies; // by value: differs between rows
  bool *apart;  // by node: rows may take different paths, so that each runs a copy of its own
  // By node, of an early test such as if (x < n) around all that a kernel does: 1 + the region that the rows run
  // together. Where some row does not enter that region, each row runs by itself. 0: another node.
  uint8_t *guard;
  kiln_value local_id, global_id;
};

// The copies that are being made for some of the rows.
struct copies {
  struct blocking *k;
  unsigned rows;
  kiln_value *map[ROWS]; // by row, by value: its copy; 0: the value itself
};

static const struct kiln_inst *inst(const struct blocking *k, kiln_value v) { return &k->fn->insts[v]; }

static bool is_jump(const struct kiln_inst *in) { return in->op == KILN_OP_YIELD || kiln_op_leaves(in->op); }

static bool is_row_id(const struct kiln_inst *in) {
  return in->region && (in->op == KILN_OP_LOCAL_ID || in->op == KILN_OP_GLOBAL_ID) && in->imm == 1;
}

// ---- what differs between rows

static bool set(bool *flag, bool value) {
  bool changed = value && !*flag;
  *flag |= value;
  return changed;
}

static bool set_all(struct blocking *k, const struct kiln_value_list *phis) {
  bool changed = false;
  for (uint32_t i = 0; i < phis->count; i++)
    changed |= set(&k->varies[phis->items[i]], true);
  return changed;
}

// Marks the phis that the operands of a jump, or of a loop, make different between rows, and as apart the nodes that
// rows may leave at different points. Returns whether anything was marked that was not.
static bool look_at_flow(struct blocking *k, kiln_value v) {
  const struct kiln_inst *in = inst(k, v);
  const struct kiln_value_list *phis = kiln_ll_target_phis(k->fn, v);
  const kiln_value *x = kiln_operands(k->fn, v);
  bool changed = false;
  for (uint32_t i = 0; phis && i < phis->count; i++)
    changed |= set(&k->varies[phis->items[i]], k->varies[x[i]]);
  if (kiln_op_is_node(in->op) && in->op != KILN_OP_LOOP && in->operand_count && k->varies[x[0]] && !k->guard[in->node])
    changed |= set(&k->apart[in->node], true);
  if (kiln_op_is_node(in->op) && k->apart[in->node]) {
    changed |= set_all(k, &k->fn->nodes[in->node].results);
    changed |= set_all(k, &k->fn->nodes[in->node].header);
  }
  if (!kiln_op_leaves(in->op))
    return changed;
  bool apart = false;
  for (kiln_value owner = kiln_owner(k->fn, v); owner && owner != (kiln_value)in->imm; owner = kiln_owner(k->fn, owner))
    apart |= k->apart[inst(k, owner)->node];
  changed |= set(&k->apart[inst(k, (kiln_value)in->imm)->node], apart);
  return changed;
}

static void find_varying(struct blocking *k) {
  memset(k->varies, 0, k->count * sizeof *k->varies);
  memset(k->apart, 0, k->nodes * sizeof *k->apart);
  for (bool changed = true; changed;) {
    changed = false;
    for (kiln_value v = 1; v < k->count; v++) {
      const struct kiln_inst *in = inst(k, v);
      bool varies = is_row_id(in) || in->op == KILN_OP_VAR;
      if (!in->region)
        continue;
      for (uint32_t i = 0; i < in->operand_count; i++)
        varies |= k->varies[kiln_operands(k->fn, v)[i]];
      changed |= set(&k->varies[v], varies);
      changed |= look_at_flow(k, v);
    }
  }
}

// Whether the instruction may run although the work-item would not come to it.
static bool is_free_to_run(const struct kiln_function *fn, kiln_value v) {
  enum kiln_op_effect effect = kiln_effect_of(fn, v);
  return effect == KILN_EFFECT_PURE || (effect == KILN_EFFECT_ITEM && fn->insts[v].op != KILN_OP_VAR);
}

// Marks the next early test: an IF that nothing but pure operations come before, one of whose sides has the loops.
static bool mark_guard(struct blocking *k, uint32_t region) {
  kiln_value v = k->fn->regions[region].first;
  while (v && is_free_to_run(k->fn, v))
    v = inst(k, v)->next;
  if (!v || inst(k, v)->op != KILN_OP_IF)
    return false;
  uint32_t node = inst(k, v)->node, first = k->fn->nodes[node].region_first;
  if (k->guard[node])
    return mark_guard(k, first + k->guard[node] - 1u);
  unsigned side = kiln_ll_has_loop(k->fn, first) ? 0 : 1;
  if (!k->apart[node] || kiln_ll_has_loop(k->fn, first) == kiln_ll_has_loop(k->fn, first + 1) ||
      inst(k, k->fn->regions[first + side].last)->op != KILN_OP_YIELD)
    return false;
  k->guard[node] = (uint8_t)(side + 1);
  return true;
}

// ---- whether it pays

struct cost {
  uint64_t own, shared; // loads of each row, and those for all of them
  bool shares;          // a vector
  uint32_t size;
};

static bool is_inside_apart(const struct blocking *k, kiln_value v) {
  for (v = kiln_owner(k->fn, v); v; v = kiln_owner(k->fn, v))
    if (k->apart[inst(k, v)->node])
      return true;
  return false;
}

static void add_cost(const struct blocking *k, kiln_value v, struct cost *cost) {
  const struct kiln_inst *in = inst(k, v);
  bool varies = k->varies[v] || is_inside_apart(k, v);
  cost->size += kiln_type_lanes(in->type) * (varies ? ROWS : 1);
  if (!kiln_op_is_access(in->op) || kiln_ll_iterations(k->fn, v) == 1)
    return;
  enum kiln_shape_kind kind = k->fn->shapes[kiln_operands(k->fn, v)[0]].kind;
  uint64_t weight = kiln_ll_iterations(k->fn, v) * (kind == KILN_SHAPE_VARYING ? KILN_COST_REPEATED_GATHER : 1);
  *(varies ? &cost->own : &cost->shared) += weight;
  cost->shares |= !varies && kind != KILN_SHAPE_UNIFORM && in->op == KILN_OP_LOAD;
}

static bool pays(const struct blocking *k) {
  struct cost cost = {0};
  for (kiln_value v = 1; v < k->count; v++)
    if (inst(k, v)->region && !kiln_ll_is_fallback(k->fn, v))
      add_cost(k, v, &cost);
  if (kiln_ll_asks(k->ll, KILN_CPU_SHAPE_BLOCKED))
    return cost.size <= KILN_COST_BLOCKED_ASKED;
  return cost.shares && cost.size <= KILN_COST_BLOCKED &&
         10 * ROWS * (cost.own + cost.shared) >= KILN_COST_BLOCKING_GAIN * (ROWS * cost.own + cost.shared);
}

// ---- what can be done

static bool is_called(const struct kiln_function *fn) {
  const struct kiln_module *module = fn->module;
  for (uint32_t i = 0; i < module->function_count; i++)
    for (kiln_value v = 1; v < module->functions[i]->inst_count; v++) {
      const struct kiln_inst *in = &module->functions[i]->insts[v];
      if (in->region && in->op == KILN_OP_CALL && module->functions[in->imm] == fn)
        return true;
    }
  return false;
}

// Whether the instruction may run for several rows in step.
static bool is_allowed(const struct blocking *k, kiln_value v) {
  const struct kiln_inst *in = inst(k, v);
  switch (kiln_op_family(kiln_op_of(in))) {
  case KILN_FAMILY_ATOMIC:
  case KILN_FAMILY_CALL:
    return in->op == KILN_OP_ASSUME;
  case KILN_FAMILY_GROUP:
    return in->op == KILN_OP_BARRIER && !is_inside_apart(k, v);
  case KILN_FAMILY_MEMORY:
    return in->op == KILN_OP_VAR || in->op == KILN_OP_PADD || !(in->flags & KILN_MEM_VOLATILE);
  case KILN_FAMILY_IMAGE:
    return false;
  case KILN_FAMILY_FREE:
  case KILN_FAMILY_INT:
  case KILN_FAMILY_BOOL:
  case KILN_FAMILY_FLOAT:
  case KILN_FAMILY_MATH:
  case KILN_FAMILY_COMPARE:
  case KILN_FAMILY_FCOMPARE:
  case KILN_FAMILY_VECTOR:
  case KILN_FAMILY_CONVERT:
  case KILN_FAMILY_ITEM:
  case KILN_FAMILY_SUB_GROUP:
  case KILN_FAMILY_FLOW:
    return true;
  }
  return false;
}

static bool asks_rows(const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (is_row_id(&fn->insts[v]))
      return true;
  return false;
}

static bool all_allowed(const struct blocking *k) {
  for (kiln_value v = 1; v < k->count; v++)
    if (inst(k, v)->region && !is_allowed(k, v))
      return false;
  return true;
}

// ---- copies

static kiln_value copy_of(const struct copies *c, unsigned row, kiln_value v) {
  return v < c->k->count && c->map[row][v] ? c->map[row][v] : v;
}

static bool has_several(const struct copies *c, kiln_value v) { return c->rows > 1 && c->k->varies[v]; }

static void enter(struct copies *c, unsigned row, kiln_value v, kiln_value copy) {
  struct kiln_function *fn = c->k->fn;
  c->map[row][v] = copy;
  fn->insts[copy].name = fn->insts[v].name;
}

// The operands of a jump or a loop: for each phi one, or one per row. Returns their number.
static uint32_t spread(struct copies *c, kiln_value v, kiln_value **out) {
  const struct kiln_value_list phis = *kiln_ll_target_phis(c->k->fn, v);
  uint32_t count = 0;
  *out = KILN_NEW_ARRAY(&c->k->ll->arena, kiln_value, phis.count * c->rows + 1);
  for (uint32_t i = 0; i < phis.count; i++)
    for (unsigned row = 0; row < (has_several(c, phis.items[i]) ? c->rows : 1); row++)
      (*out)[count++] = copy_of(c, row, kiln_operands(c->k->fn, v)[i]);
  return count;
}

static void enter_phis(struct copies *c, struct kiln_value_list from, struct kiln_value_list to) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < from.count; i++)
    for (unsigned row = 0; row < c->rows; row++) {
      enter(c, row, from.items[i], to.items[at]);
      at += has_several(c, from.items[i]) || row == c->rows - 1;
    }
}

static void copy_inst(struct copies *c, kiln_value v, struct kiln_builder *b);

static void copy_region(struct copies *c, uint32_t region, struct kiln_builder *b) {
  for (kiln_value v = c->k->fn->regions[region].first; v; v = inst(c->k, v)->next)
    copy_inst(c, v, b);
}

static void copy_node(struct copies *c, kiln_value v, struct kiln_builder *b) {
  struct kiln_function *fn = c->k->fn;
  const struct kiln_inst in = fn->insts[v];
  const struct kiln_node node = *kiln_node(fn, v);
  kiln_value copy, *initial;
  if (in.op == KILN_OP_LOOP) {
    uint32_t count = spread(c, v, &initial);
    copy = kiln_build_loop(b, initial, count);
  } else if (in.op == KILN_OP_BLOCK) {
    copy = kiln_build_block(b);
  } else if (in.op == KILN_OP_IF) {
    copy = kiln_build_if(b, copy_of(c, 0, kiln_operands(fn, v)[0]));
  } else {
    copy = kiln_build_switch(b, copy_of(c, 0, kiln_operands(fn, v)[0]), node.cases, node.region_count - 1);
  }
  if (!copy)
    return;
  for (unsigned row = 0; row < c->rows; row++)
    c->map[row][v] = copy;
  for (uint32_t i = 0; i < node.results.count; i++)
    for (unsigned row = 0; row < (has_several(c, node.results.items[i]) ? c->rows : 1); row++)
      kiln_node_add_result(fn, copy, fn->insts[node.results.items[i]].type);
  enter_phis(c, node.header, kiln_node(fn, copy)->header);
  enter_phis(c, node.results, kiln_node(fn, copy)->results);
  kiln_node(fn, copy)->unroll = node.unroll;
  for (uint32_t r = 0; r < node.region_count; r++) {
    struct kiln_builder inside = kiln_builder_at_end(fn, kiln_node(fn, copy)->region_first + r);
    copy_region(c, node.region_first + r, &inside);
  }
}

static void copy_jump(struct copies *c, kiln_value v, struct kiln_builder *b) {
  const struct kiln_inst in = *inst(c->k, v);
  kiln_value *values, target = copy_of(c, 0, (kiln_value)in.imm);
  uint32_t count = spread(c, v, &values);
  if (in.op == KILN_OP_YIELD)
    kiln_build_yield(b, values, count);
  else if (in.op == KILN_OP_BREAK)
    kiln_build_break(b, target, values, count);
  else
    kiln_build_continue(b, target, values, count);
}

static void copy_plain(struct copies *c, unsigned row, kiln_value v, struct kiln_builder *b) {
  struct kiln_function *fn = c->k->fn;
  const struct kiln_inst in = fn->insts[v];
  kiln_value *x = KILN_NEW_ARRAY(&c->k->ll->arena, kiln_value, in.operand_count + 1);
  for (uint32_t i = 0; i < in.operand_count; i++)
    x[i] = copy_of(c, row, kiln_operands(fn, v)[i]);
  kiln_value copy;
  if (in.op == KILN_OP_SHUFFLE) {
    uint8_t lanes[16];
    memcpy(lanes, fn->shuffles[in.node], sizeof lanes);
    copy = kiln_build_shuffle(b, x[0], x[1], lanes, kiln_type_lanes(in.type));
  } else {
    copy = kiln_build(b, kiln_op_of(&in), in.type, x, in.operand_count, in.imm, in.imm2, in.flags);
  }
  if (copy && kiln_op_table[fn->insts[copy].op].effect != KILN_EFFECT_FREE)
    enter(c, row, v, copy);
  else
    c->map[row][v] = copy;
}

// The side of an early test that has been passed takes the place of the node.
static void copy_side(struct copies *c, kiln_value v, struct kiln_builder *b) {
  const struct kiln_node node = *kiln_node(c->k->fn, v);
  uint32_t region = node.region_first + c->k->guard[inst(c->k, v)->node] - 1;
  kiln_value last = c->k->fn->regions[region].last;
  for (kiln_value x = c->k->fn->regions[region].first; x != last; x = inst(c->k, x)->next)
    copy_inst(c, x, b);
  for (uint32_t i = 0; i < node.results.count; i++)
    for (unsigned row = 0; row < c->rows; row++)
      c->map[row][node.results.items[i]] = copy_of(c, row, kiln_operands(c->k->fn, last)[i]);
}

static void copy_inst(struct copies *c, kiln_value v, struct kiln_builder *b) {
  const struct kiln_inst *in = inst(c->k, v);
  b->loc = in->loc;
  if (kiln_op_is_node(in->op) && c->rows > 1 && c->k->guard[in->node]) {
    copy_side(c, v, b);
  } else if (kiln_op_is_node(in->op) && c->rows > 1 && c->k->apart[in->node]) {
    for (unsigned row = 0; row < c->rows; row++)
      copy_inst(&(struct copies){c->k, 1, {c->map[row]}}, v, b);
  } else if (kiln_op_is_node(in->op)) {
    copy_node(c, v, b);
  } else if (is_jump(in)) {
    copy_jump(c, v, b);
  } else if (has_several(c, v)) {
    for (unsigned row = 0; row < c->rows; row++)
      if (!c->map[row][v])
        copy_plain(c, row, v, b);
  } else if (!c->map[0][v]) {
    copy_plain(c, 0, v, b);
    for (unsigned row = 1; row < c->rows; row++)
      c->map[row][v] = c->map[0][v];
  }
}

// ---- the kernel

static kiln_value i64_const(struct blocking *k, uint64_t value) {
  return kiln_const(k->fn, kiln_scalar_type(KILN_I64), value);
}

// The ids of a row are those of the first one and its number.
static void set_row(struct copies *c, unsigned row, struct kiln_builder *b, kiln_value number) {
  struct blocking *k = c->k;
  c->map[row] = KILN_NEW_ARRAY(&k->ll->arena, kiln_value, k->count);
  kiln_value local = kiln_build2(b, KILN_OP_IADD, k->local_id, number);
  kiln_value global = kiln_build2(b, KILN_OP_IADD, k->global_id, number);
  for (kiln_value v = 1; v < k->count; v++)
    if (is_row_id(inst(k, v)))
      c->map[row][v] = inst(k, v)->op == KILN_OP_LOCAL_ID ? local : global;
}

// The condition that all rows pass the early tests from v on. Copies what the tests need.
static kiln_value guards_hold(struct copies *c, kiln_value v, kiln_value holds, struct kiln_builder *b) {
  struct blocking *k = c->k;
  for (; v && is_free_to_run(k->fn, v); v = inst(k, v)->next)
    copy_inst(c, v, b);
  const struct kiln_inst in = *inst(k, v);
  if (!v || !kiln_op_is_node(in.op) || !k->guard[in.node])
    return holds;
  for (unsigned row = 0; row < c->rows; row++) {
    kiln_value condition = copy_of(c, row, kiln_operands(k->fn, v)[0]);
    if (k->guard[in.node] == 2)
      condition = kiln_build1(b, KILN_OP_BNOT, kiln_scalar_type(KILN_BOOL), condition);
    holds = kiln_build2(b, KILN_OP_BAND, holds, condition);
  }
  uint32_t side = k->fn->nodes[in.node].region_first + k->guard[in.node] - 1u;
  return guards_hold(c, k->fn->regions[side].first, holds, b);
}

static void copy_body(struct copies *c, kiln_value first, kiln_value last, struct kiln_builder *b) {
  for (kiln_value v = first; v != last; v = inst(c->k, v)->next)
    copy_inst(c, v, b);
}

// Builds a loop that runs the rows one after another.
static void build_rows(struct blocking *k, kiln_value first, kiln_value last, kiln_value count,
                       struct kiln_builder *b) {
  kiln_value zero = i64_const(k, 0), loop = kiln_build_loop(b, &zero, 1);
  if (!loop)
    return;
  kiln_node(k->fn, loop)->unroll = 1;
  kiln_value row = kiln_node(k->fn, loop)->header.items[0];
  struct kiln_builder inside = kiln_builder_at_end(k->fn, kiln_node(k->fn, loop)->region_first);
  kiln_value test = kiln_build_if(&inside, kiln_build2(&inside, KILN_OP_ULT, row, count));
  if (!test)
    return;
  struct kiln_builder stays = kiln_builder_at_end(k->fn, kiln_node(k->fn, test)->region_first);
  kiln_build_yield(&stays, NULL, 0);
  struct kiln_builder leaves = kiln_builder_at_end(k->fn, kiln_node(k->fn, test)->region_first + 1);
  kiln_build_break(&leaves, loop, NULL, 0);
  struct copies c = {.k = k, .rows = 1};
  set_row(&c, 0, &inside, row);
  copy_body(&c, first, last, &inside);
  kiln_value next = kiln_build2(&inside, KILN_OP_IADD, row, i64_const(k, 1));
  kiln_build_continue(&inside, loop, &next, 1);
}

// Builds an IF: the rows together where they may run so, else one after another.
static void build_either(struct blocking *k, struct copies *together, kiln_value first, kiln_value last,
                         struct kiln_builder *b) {
  kiln_value size = kiln_build_item(b, KILN_OP_LOCAL_SIZE, 1), rows = i64_const(k, ROWS);
  kiln_value remaining = kiln_build2(b, KILN_OP_ISUB, size, k->local_id);
  kiln_value holds = guards_hold(together, first, kiln_build2(b, KILN_OP_ULE, rows, remaining), b);
  kiln_value node = kiln_build_if(b, holds);
  if (!node)
    return;
  struct kiln_builder side = kiln_builder_at_end(k->fn, kiln_node(k->fn, node)->region_first);
  copy_body(together, first, last, &side);
  kiln_build_yield(&side, NULL, 0);
  side = kiln_builder_at_end(k->fn, kiln_node(k->fn, node)->region_first + 1);
  build_rows(k, first, last, kiln_build2(&side, KILN_OP_UMIN, remaining, rows), &side);
  kiln_build_yield(&side, NULL, 0);
}

static void build(struct blocking *k) {
  struct kiln_function *fn = k->fn;
  kiln_value first = fn->regions[fn->body].first, last = fn->regions[fn->body].last;
  struct kiln_builder b = kiln_builder_before(fn, first);
  bool is_flat = fn->is_flat, has_barrier = fn->has_barrier;
  k->local_id = kiln_build_item(&b, KILN_OP_LOCAL_ID, 1);
  k->global_id = kiln_build_item(&b, KILN_OP_GLOBAL_ID, 1);
  struct copies together = {.k = k, .rows = ROWS};
  for (unsigned row = 0; row < ROWS; row++)
    set_row(&together, row, &b, i64_const(k, row));
  if (has_barrier)
    copy_body(&together, first, last, &b);
  else
    build_either(k, &together, first, last, &b);
  for (kiln_value v = inst(k, last)->prev, before; v != first; v = before) {
    before = inst(k, v)->prev;
    kiln_remove(fn, v);
  }
  kiln_remove(fn, first);
  kiln_function_annotate(fn);
  kiln_function_analyse(fn);
  fn->is_flat = is_flat; // it does not ask for its group more than before
  fn->blocks_rows = true;
}

bool kiln_ll_arrange_blocks(struct kiln_ll *ll, struct kiln_function *fn) {
  uint32_t columns = fn->required_group_size[1];
  if (!kiln_ll_may(ll, KILN_LL_REGISTER_BLOCKED) ||
      !(ll->machine->cpu.interleave || kiln_ll_asks(ll, KILN_CPU_SHAPE_BLOCKED)) || !fn->shapes || fn->has_sub_groups ||
      (fn->has_barrier && kiln_ll_has_any_rows(ll)) || (columns && columns % ROWS && !fn->is_flat) || !asks_rows(fn))
    return false;
  struct blocking k = {.ll = ll, .fn = fn, .count = fn->inst_count, .nodes = fn->node_count};
  k.varies = KILN_NEW_ARRAY(&ll->arena, bool, k.count);
  k.apart = KILN_NEW_ARRAY(&ll->arena, bool, k.nodes + 1);
  k.guard = KILN_NEW_ARRAY(&ll->arena, uint8_t, k.nodes + 1);
  unsigned guards = 0;
  find_varying(&k);
  while (!fn->has_barrier && guards < MAX_GUARDS && mark_guard(&k, fn->body)) {
    guards++;
    find_varying(&k);
  }
  if (!all_allowed(&k) || !pays(&k) || is_called(fn) || kiln_ll_choose_width(ll, fn).lanes == 1)
    return false;
  build(&k);
  if (kiln_module_failed(fn->module))
    kiln_ll_fail(ll, KILN_ERR_MEMORY, "out of memory for kernel '%s'", fn->name);
  return true;
}
