#include "jit/pass/loops.h"

bool kiln_loop_find_test(const struct kiln_function *fn, kiln_value loop, struct kiln_loop_test *out) {
  for (kiln_value id = fn->regions[kiln_node(fn, loop)->region_first].first; id; id = fn->insts[id].next) {
    *out = (struct kiln_loop_test){id, kiln_leaving_side(fn, id, loop, true)};
    if (out->exit_side < 2)
      return true;
  }
  return false;
}

kiln_value kiln_loop_next(const struct kiln_function *fn, kiln_value loop, kiln_value phi) {
  const struct kiln_node *node = kiln_node(fn, loop);
  for (uint32_t i = 0; i < node->header.count; i++)
    if (node->header.items[i] == phi)
      return kiln_operands(fn, fn->regions[node->region_first].last)[i];
  return 0;
}

static void visit_region(struct kiln_function *fn, uint32_t region, void (*visit)(void *user, kiln_value loop),
                         void *user) {
  for (kiln_value id = fn->regions[region].first; id; id = fn->insts[id].next) {
    if (!kiln_op_is_node(fn->insts[id].op))
      continue;
    uint32_t first = kiln_node(fn, id)->region_first, count = kiln_node(fn, id)->region_count;
    for (uint32_t r = first; r < first + count; r++)
      visit_region(fn, r, visit, user);
    if (fn->insts[id].op == KILN_OP_LOOP)
      visit(user, id);
  }
}

void kiln_loops_visit(struct kiln_function *fn, void (*visit)(void *user, kiln_value loop), void *user) {
  visit_region(fn, fn->body, visit, user);
}

void kiln_loop_room_begin(struct kiln_loop_room *room, const struct kiln_function *fn) {
  if (fn->inst_count > room->capacity) {
    room->capacity = 2 * fn->inst_count;
    room->marks = KILN_NEW_ARRAY(room->arena, uint32_t, room->capacity);
    for (unsigned i = 0; i < 2; i++)
      room->maps[i] = KILN_NEW_ARRAY(room->arena, kiln_value, room->capacity);
  }
  room->mark += 2;
}

void kiln_loop_add(struct kiln_loop_room *room, const struct kiln_function *fn, kiln_value value) {
  enum kiln_op_effect effect = kiln_effect_of(fn, value);
  bool invariant = effect == KILN_EFFECT_PURE || effect == KILN_EFFECT_ITEM;
  for (uint32_t i = 0; invariant && i < fn->insts[value].operand_count; i++)
    invariant = kiln_loop_invariant(room, kiln_operands(fn, value)[i]);
  room->marks[value] = room->mark + invariant;
}

void kiln_loop_add_phis(struct kiln_loop_room *room, const struct kiln_function *fn, kiln_value node) {
  const struct kiln_node *n = kiln_node(fn, node);
  for (uint32_t i = 0; i < n->header.count; i++)
    room->marks[n->header.items[i]] = room->mark;
  for (uint32_t i = 0; i < n->results.count; i++)
    room->marks[n->results.items[i]] = room->mark;
}

struct kiln_copy kiln_loop_copy(struct kiln_loop_room *room, struct kiln_function *fn, unsigned number) {
  return kiln_copy_within(fn, room->arena, room->maps[number], room->capacity);
}

void kiln_loop_forget(struct kiln_loop_room *room, const struct kiln_function *fn, kiln_value loop, unsigned number) {
  kiln_value *map = room->maps[number];
  const struct kiln_node *node = kiln_node(fn, loop);
  map[loop] = 0;
  for (uint32_t i = 0; i < node->header.count; i++)
    map[node->header.items[i]] = 0;
  for (uint32_t i = 0; i < node->results.count; i++)
    map[node->results.items[i]] = 0;
  for (uint32_t r = node->region_first; r < node->region_first + node->region_count; r++)
    for (kiln_value id = fn->regions[r].first; id; id = fn->insts[id].next) {
      map[id] = 0;
      if (kiln_op_is_node(fn->insts[id].op))
        kiln_loop_forget(room, fn, id, number);
    }
}

void kiln_loop_copy_header(struct kiln_copy *c, kiln_value loop, kiln_value to) {
  for (uint32_t i = 0; i < kiln_node(c->from, loop)->header.count; i++) {
    kiln_value phi = kiln_node(c->from, loop)->header.items[i], copy = kiln_node(c->to, to)->header.items[i];
    kiln_node_add_result(c->to, to, c->from->insts[phi].type);
    kiln_set_name(c->to, copy, kiln_value_name(c->from, phi));
    c->map[phi] = copy;
  }
}

kiln_value kiln_loop_copy_tree(struct kiln_copy *c, const struct kiln_loop_room *room, kiln_value value,
                               struct kiln_builder *b) {
  if (!kiln_loop_has(room, value) || c->map[value])
    return kiln_copy_value(c, value);
  for (uint32_t i = 0; i < c->from->insts[value].operand_count; i++)
    kiln_loop_copy_tree(c, room, kiln_operands(c->from, value)[i], b);
  kiln_copy_inst(c, value, b);
  return c->map[value];
}

// What an iteration adds to the phi; 0: no constant.
static int64_t step_of(const struct kiln_function *fn, kiln_value loop, kiln_value phi) {
  kiln_value next = kiln_loop_next(fn, loop, phi);
  uint64_t bits;
  if (!next || fn->insts[next].op != KILN_OP_IADD || kiln_operands(fn, next)[0] != phi ||
      !kiln_const_splat(fn, kiln_operands(fn, next)[1], &bits))
    return 0;
  unsigned width = kiln_kind_bits(kiln_type_kind(fn->insts[phi].type));
  int64_t step = kiln_sign_extend(bits, width), most = width < 32 ? 1 : KILN_LOOP_MAX_STEP;
  return step > most || step < -most ? 0 : step;
}

bool kiln_loop_find_counter(const struct kiln_loop_room *room, const struct kiln_function *fn, kiln_value loop,
                            const struct kiln_loop_test *test, struct kiln_loop_counter *out) {
  static const enum kiln_op orders[2][2] = {{KILN_OP_ULE, KILN_OP_ULT}, {KILN_OP_SLE, KILN_OP_SLT}};
  struct kiln_inequality stays;
  if (!kiln_inequality_of(fn, kiln_operands(fn, test->node)[0], test->exit_side == 1, &stays))
    return false;
  bool is_down = kiln_loop_next(fn, loop, stays.high);
  kiln_value phi = is_down ? stays.high : stays.low, limit = is_down ? stays.low : stays.high;
  int64_t step = step_of(fn, loop, phi);
  if ((is_down ? step >= 0 : step <= 0) || !kiln_loop_invariant(room, limit))
    return false;
  *out = (struct kiln_loop_counter){phi, limit, orders[stays.is_signed][stays.is_strict], step};
  return true;
}

// Where the test holds, the distance to the limit is a number without sign that fits, and in as many iterations as the
// steps fit into it no counter wraps.
void kiln_loop_build_test(struct kiln_function *fn, const struct kiln_loop_counter *counter,
                          const struct kiln_loop_unrolled *u, struct kiln_builder *b) {
  kiln_type type = fn->insts[u->limit].type;
  bool is_down = counter->step < 0, equal = !kiln_op_is_strict_order(counter->order);
  kiln_value low = is_down ? u->limit : u->counter, high = is_down ? u->counter : u->limit;
  uint64_t steps = (u->factor - 1) * (uint64_t)(is_down ? -counter->step : counter->step);
  kiln_value some = kiln_build2(b, counter->order, low, high), left = kiln_build2(b, KILN_OP_ISUB, high, low);
  kiln_value enough = kiln_build2(b, KILN_OP_ULE, kiln_const(fn, type, steps + !equal), left);
  kiln_value goes_on = kiln_build2(b, KILN_OP_BAND, some, enough);
  struct kiln_value_list header = kiln_node(fn, u->loop)->header;
  kiln_build_exit(b, u->condition ? kiln_build2(b, KILN_OP_BAND, goes_on, u->condition) : goes_on, 1, u->loop,
                  header.items, header.count);
}
