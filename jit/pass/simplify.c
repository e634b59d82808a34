// Simplification: constant folding, identities, common subexpressions, conditions and selectors that are constant,
// loads of constant data, phis whose inputs are all the same, blocks that nothing breaks out of, and loops that run
// once.
//
// One walk in program order. A value is looked up among those that are visible; leaving a region removes what it
// defined from the table. Unused values are left to dce. Requires a verified function. Near-linear.
#include "jit/pass/simplify.h"

#include <string.h>

// ---- values ---------------------------------------------------------------------------------------------------------

static void grow_values(struct kiln_simplify *s) {
  uint32_t old = s->replaced.count, count = s->fn->inst_count + s->fn->inst_count / 2 + 64;
  kiln_value *by = s->replaced.by;
  by = kiln_arena_grow(s->arena, by, old * sizeof *by, count * sizeof *by, 16);
  s->position = kiln_arena_grow(s->arena, s->position, old * sizeof *s->position, count * sizeof *s->position, 16);
  memset(by + old, 0, (count - old) * sizeof *by);
  memset(s->position + old, 0, (count - old) * sizeof *s->position);
  s->replaced = (struct kiln_replaced){by, count};
}

static void set_position(struct kiln_simplify *s, kiln_value id) {
  if (id >= s->replaced.count)
    grow_values(s);
  s->position[id] = ++s->clock;
}

static void replace(struct kiln_simplify *s, kiln_value id, kiln_value by) {
  struct kiln_inst *inst = &s->fn->insts[by];
  if (id >= s->replaced.count)
    grow_values(s);
  if (!by || by == id) // only after memory ran out
    return;
  if (!inst->name && !kiln_op_is_free(inst->op))
    inst->name = s->fn->insts[id].name;
  s->replaced.by[id] = by;
  s->changed = true;
}

bool kiln_op_is_commutative(enum kiln_op op) {
  static const bool commutative[KILN_OP_COUNT] = {
      [KILN_OP_IADD] = true,     [KILN_OP_IMUL] = true,     [KILN_OP_SMUL_HI] = true, [KILN_OP_UMUL_HI] = true,
      [KILN_OP_SADD_SAT] = true, [KILN_OP_UADD_SAT] = true, [KILN_OP_SMIN] = true,    [KILN_OP_SMAX] = true,
      [KILN_OP_UMIN] = true,     [KILN_OP_UMAX] = true,     [KILN_OP_AND] = true,     [KILN_OP_OR] = true,
      [KILN_OP_XOR] = true,      [KILN_OP_BAND] = true,     [KILN_OP_BOR] = true,     [KILN_OP_BXOR] = true,
      [KILN_OP_FADD] = true,     [KILN_OP_FMUL] = true,     [KILN_OP_EQ] = true,      [KILN_OP_NE] = true,
      [KILN_OP_FEQ] = true,      [KILN_OP_FNE] = true};
  return commutative[op];
}

// ---- the table of visible values ------------------------------------------------------------------------------------

static uint32_t hash_inst(const struct kiln_simplify *s, const struct kiln_inst *inst) {
  const kiln_value *operands = s->fn->operands + inst->operand_first;
  uint64_t hash = (uint64_t)inst->op << 48 ^ (uint64_t)inst->type << 20 ^ inst->flags ^ inst->imm * 0x9e3779b97f4a7c15u;
  if (kiln_op_is_commutative((enum kiln_op)inst->op)) {
    hash ^= ((uint64_t)operands[0] + operands[1]) * 0xff51afd7ed558ccdu;
  } else {
    for (uint32_t i = 0; i < inst->operand_count; i++)
      hash = (hash ^ operands[i]) * 0xff51afd7ed558ccdu;
  }
  if (inst->op == KILN_OP_SHUFFLE)
    for (unsigned i = 0; i < 16; i++)
      hash = (hash ^ s->fn->shuffles[inst->node][i]) * 0xff51afd7ed558ccdu;
  return (uint32_t)(hash >> 32 ^ hash);
}

static bool same_inst(const struct kiln_simplify *s, const struct kiln_inst *a, const struct kiln_inst *b) {
  const kiln_value *x = s->fn->operands + a->operand_first, *y = s->fn->operands + b->operand_first;
  if (a->op != b->op || a->type != b->type || a->flags != b->flags || a->imm != b->imm ||
      a->operand_count != b->operand_count)
    return false;
  if (a->op == KILN_OP_SHUFFLE && memcmp(s->fn->shuffles[a->node], s->fn->shuffles[b->node], 16) != 0)
    return false;
  if (a->operand_count == 0 || memcmp(x, y, a->operand_count * sizeof *x) == 0)
    return true;
  return kiln_op_is_commutative((enum kiln_op)a->op) && x[0] == y[1] && x[1] == y[0];
}

// A visible instruction that gives the same value as the instruction; 0: no other instruction does, and this
// one has been entered.
static kiln_value find_or_enter(struct kiln_simplify *s, kiln_value id) {
  const struct kiln_inst *inst = &s->fn->insts[id];
  uint32_t hash = hash_inst(s, inst), *head = &s->heads[hash & (s->head_count - 1)];
  for (uint32_t e = *head; e; e = s->entries.items[e - 1].next)
    if (s->entries.items[e - 1].hash == hash && same_inst(s, &s->fn->insts[s->entries.items[e - 1].value], inst))
      return s->entries.items[e - 1].value;
  KILN_VEC_PUSH(s->arena, &s->entries, (struct kiln_simplify_entry){id, hash, *head});
  *head = s->entries.count;
  return 0;
}

static void forget(struct kiln_simplify *s, uint32_t mark) {
  while (s->entries.count > mark) {
    const struct kiln_simplify_entry *last = &s->entries.items[--s->entries.count];
    s->heads[last->hash & (s->head_count - 1)] = last->next;
  }
}

// ---- plain instructions ---------------------------------------------------------------------------------------------

// The value of a load of known data, which module variables in constant memory have.
static kiln_value constant_load(struct kiln_simplify *s, kiln_value id) {
  struct kiln_function *fn = s->fn;
  const struct kiln_inst *inst = &fn->insts[id];
  kiln_value base = kiln_operands(fn, id)[0];
  uint64_t offset = 0, index, size = kiln_type_bytes(inst->type);
  if (fn->insts[base].op == KILN_OP_PADD && kiln_const_splat(fn, kiln_operands(fn, base)[1], &index)) {
    offset = index * fn->insts[base].imm;
    base = kiln_operands(fn, base)[0];
  }
  if (fn->insts[base].op != KILN_OP_GLOBAL || fn->insts[base].type != kiln_ptr_type(KILN_CONSTANT) ||
      inst->flags & KILN_MEM_VOLATILE || kiln_type_kind(inst->type) == KILN_PTR)
    return 0;
  const struct kiln_global *global = &fn->module->globals[fn->insts[base].imm];
  if (global->reloc_count || size > global->size || offset > global->size - size)
    return 0;
  union kiln_lanes lanes = {{0}};
  unsigned element = kiln_kind_bits(kiln_type_kind(inst->type)) / 8;
  for (unsigned i = 0; global->init && i < size; i++)
    lanes.bits[i / element] |= (uint64_t)((const unsigned char *)global->init)[offset + i] << 8 * (i % element);
  return kiln_const_from_lanes(fn, inst->type, &lanes);
}

static void constant_to_the_right(struct kiln_simplify *s, kiln_value id) {
  const struct kiln_inst *inst = &s->fn->insts[id];
  kiln_value *operands = s->fn->operands + inst->operand_first;
  if (!kiln_op_is_commutative((enum kiln_op)inst->op))
    return;
  unsigned x = s->fn->insts[operands[0]].op, y = s->fn->insts[operands[1]].op;
  if ((x == KILN_OP_CONST || x == KILN_OP_CONST_VEC) && y != KILN_OP_CONST && y != KILN_OP_CONST_VEC) {
    kiln_value swapped = operands[0];
    operands[0] = operands[1];
    operands[1] = swapped;
  }
}

// A value that is the same as the instruction; the instruction itself if there is no other.
static kiln_value simplify_value(struct kiln_simplify *s, kiln_value id) {
  struct kiln_function *fn = s->fn;
  enum kiln_op op = (enum kiln_op)fn->insts[id].op;
  if (op == KILN_OP_LOAD || op == KILN_OP_PSPACE) {
    kiln_value known = op == KILN_OP_LOAD ? constant_load(s, id) : kiln_simplify_chain(s, id);
    return known ? known : id;
  }
  enum kiln_op_effect effect = kiln_op_table[op].effect;
  if ((effect != KILN_EFFECT_PURE && effect != KILN_EFFECT_ITEM) || op == KILN_OP_VAR)
    return id;
  constant_to_the_right(s, id);
  const struct kiln_inst *inst = &fn->insts[id];
  const uint8_t *lanes = op == KILN_OP_SHUFFLE ? fn->shuffles[inst->node] : NULL;
  kiln_value known = 0;
  if (inst->operand_count && fn->insts[kiln_operands(fn, id)[0]].op <= KILN_OP_CONST_VEC)
    known = kiln_fold(fn, op, inst->type, kiln_operands(fn, id), inst->operand_count, inst->imm, inst->flags, lanes);
  if (!known)
    known = kiln_simplify_algebra(s, id);
  if (!known)
    known = find_or_enter(s, id);
  return known ? kiln_resolve(&s->replaced, known) : id;
}

kiln_value kiln_simplify_make(struct kiln_simplify *s, kiln_value inst, enum kiln_op op, kiln_type type,
                              const kiln_value *operands, uint32_t count, uint64_t imm, uint16_t flags) {
  struct kiln_builder b = kiln_builder_before(s->fn, inst);
  kiln_value made = kiln_build(&b, op, type, operands, count, imm, 0, flags);
  if (!made || kiln_op_is_free(s->fn->insts[made].op))
    return made;
  set_position(s, made);
  kiln_value value = simplify_value(s, made);
  if (value != made)
    kiln_remove(s->fn, made);
  return value;
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

static void empty_region(struct kiln_simplify *s, uint32_t region) {
  while (s->fn->regions[region].last)
    kiln_remove(s->fn, s->fn->regions[region].last);
}

static void become_block(struct kiln_simplify *s, kiln_value id, uint32_t chosen) {
  struct kiln_function *fn = s->fn;
  struct kiln_node *node = kiln_node(fn, id);
  for (uint32_t i = 0; i < node->region_count; i++)
    if (i != chosen)
      empty_region(s, node->region_first + i);
  node->region_first += chosen;
  node->region_count = 1;
  node->cases = NULL;
  fn->insts[id].op = KILN_OP_BLOCK;
  fn->insts[id].flags = 0;
  fn->insts[id].operand_count = 0;
  s->changed = true;
}

// Replaces an if or switch whose condition is constant by the region that it chooses.
static void choose_region(struct kiln_simplify *s, kiln_value id) {
  struct kiln_function *fn = s->fn;
  uint64_t bits;
  kiln_value selector = kiln_operands(fn, id)[0];
  if (!kiln_const_splat(fn, selector, &bits))
    return;
  if (fn->insts[id].op == KILN_OP_IF) {
    become_block(s, id, bits & 1 ? 0 : 1);
    return;
  }
  const struct kiln_node *node = kiln_node(fn, id);
  int64_t value = kiln_sign_extend(bits, kiln_kind_bits(kiln_type_kind(fn->insts[selector].type)));
  uint32_t chosen = 0;
  for (uint32_t i = 1; i < node->region_count && !chosen; i++)
    chosen = node->cases[i - 1] == value ? i : 0;
  become_block(s, id, chosen);
}

static bool has_jump(const struct kiln_simplify *s, kiln_value node, enum kiln_op op) {
  for (kiln_value jump = s->jumps.first[node]; jump; jump = s->jumps.next[jump])
    if (s->fn->insts[jump].region && s->fn->insts[jump].op == op)
      return true;
  return false;
}

// Replaces header phis that keep their first value. visited: the body has been walked, so more is known of the next
// values.
static void constant_header_phis(struct kiln_simplify *s, kiln_value loop, bool visited) {
  struct kiln_function *fn = s->fn;
  const struct kiln_node *node = kiln_node(fn, loop);
  for (uint32_t i = 0; i < node->header.count; i++) {
    kiln_value phi = node->header.items[i], first = kiln_operands(fn, loop)[i];
    bool constant = true;
    for (kiln_value jump = s->jumps.first[loop]; jump && constant; jump = s->jumps.next[jump]) {
      if (!fn->insts[jump].region || fn->insts[jump].op != KILN_OP_CONTINUE)
        continue;
      kiln_value next = kiln_resolve(&s->replaced, kiln_operands(fn, jump)[i]);
      constant = next == phi || next == first;
    }
    if (!constant || s->replaced.by[phi])
      continue;
    replace(s, phi, first);
    s->late |= visited;
  }
}

// Moves the instructions of a block that nothing breaks out of before the block. Returns the first of them, or what
// comes after the block.
static kiln_value splice(struct kiln_simplify *s, kiln_value id) {
  struct kiln_function *fn = s->fn;
  const struct kiln_node *node = kiln_node(fn, id);
  uint32_t outer = fn->insts[id].region, inner = node->region_first;
  kiln_value end = fn->regions[inner].last, first = fn->regions[inner].first;
  if (first == end)
    first = 0;
  while (fn->regions[inner].first != end)
    kiln_move(fn, fn->regions[inner].first, outer, id);
  if (fn->insts[end].op == KILN_OP_YIELD) {
    for (uint32_t i = 0; i < node->results.count; i++)
      replace(s, node->results.items[i], kiln_resolve(&s->replaced, kiln_operands(fn, end)[i]));
    kiln_unlink(fn, end);
    first = first ? first : fn->insts[id].next;
  } else { // it leaves the outer region as well
    kiln_remove_rest(fn, id);
    kiln_move(fn, end, outer, 0);
    first = first ? first : end;
  }
  kiln_remove(fn, id);
  s->changed = true;
  return first;
}

static bool is_visible_after(const struct kiln_simplify *s, kiln_value value, uint32_t entered) {
  return kiln_op_is_free(s->fn->insts[value].op) || s->position[value] < entered;
}

// Replaces results that get the same value from every jump.
static void constant_results(struct kiln_simplify *s, kiln_value id, uint32_t entered) {
  struct kiln_function *fn = s->fn;
  const struct kiln_node *node = kiln_node(fn, id);
  for (uint32_t i = 0; i < node->results.count; i++) {
    kiln_value phi = node->results.items[i], same = 0;
    bool constant = true;
    for (kiln_value jump = s->jumps.first[id]; jump && constant; jump = s->jumps.next[jump]) {
      if (!fn->insts[jump].region || fn->insts[jump].op == KILN_OP_CONTINUE)
        continue;
      kiln_value value = kiln_resolve(&s->replaced, kiln_operands(fn, jump)[i]);
      constant = !same || same == value;
      same = value;
    }
    if (constant && same && is_visible_after(s, same, entered))
      replace(s, phi, same);
  }
}

// Replaces an if whose only effect is to select values.
static kiln_value if_to_select(struct kiln_simplify *s, kiln_value id) {
  struct kiln_function *fn = s->fn;
  const struct kiln_node *node = kiln_node(fn, id);
  kiln_value ends[2], next = fn->insts[id].next, condition = kiln_operands(fn, id)[0];
  for (uint32_t r = 0; r < 2; r++) {
    ends[r] = fn->regions[node->region_first + r].first;
    if (fn->insts[ends[r]].op != KILN_OP_YIELD)
      return 0;
  }
  for (uint32_t i = 0; i < node->results.count; i++) {
    kiln_value phi = node->results.items[i];
    if (s->replaced.by[phi])
      continue;
    kiln_value operands[] = {condition, kiln_operands(fn, ends[0])[i], kiln_operands(fn, ends[1])[i]};
    replace(s, phi, kiln_simplify_make(s, id, KILN_OP_SELECT, KILN_VOID, operands, 3, 0, 0));
  }
  kiln_remove(fn, id);
  s->changed = true;
  return next;
}

// Whether nothing breaks out of a block. A break at its very end is a yield.
static bool is_plain_block(struct kiln_simplify *s, kiln_value id) {
  struct kiln_function *fn = s->fn;
  struct kiln_inst *last = &fn->insts[fn->regions[kiln_node(fn, id)->region_first].last];
  if (last->op == KILN_OP_BREAK && last->imm == id) {
    last->op = KILN_OP_YIELD;
    last->imm = 0;
    s->changed = true;
  }
  return !has_jump(s, id, KILN_OP_BREAK);
}

static void relabel(struct kiln_simplify *s, uint32_t region) {
  for (kiln_value id = s->fn->regions[region].first; id; id = s->fn->insts[id].next)
    s->fn->insts[id].region = region;
}

// Exchanges the arms of an if with nothing in its then-arm, where the condition has an inverse: the text reads better.
static void turn_around(struct kiln_simplify *s, kiln_value id) {
  struct kiln_function *fn = s->fn;
  uint32_t then = kiln_node(fn, id)->region_first;
  kiln_value condition = kiln_operands(fn, id)[0];
  unsigned op = fn->insts[condition].op;
  bool has_inverse = (op >= KILN_OP_EQ && op <= KILN_OP_FNE) || op == KILN_OP_BNOT;
  if (!has_inverse || fn->insts[fn->regions[then].first].op != KILN_OP_YIELD ||
      fn->insts[fn->regions[then + 1].first].op == KILN_OP_YIELD ||
      fn->insts[fn->regions[then + 1].last].op != KILN_OP_YIELD)
    return;
  kiln_value inverse = kiln_simplify_make(s, id, KILN_OP_BNOT, KILN_VOID, &condition, 1, 0, 0);
  if (fn->insts[inverse].op == KILN_OP_BNOT)
    return;
  kiln_set_operands(fn, id, &inverse, 1);
  struct kiln_region swapped = fn->regions[then];
  fn->regions[then] = fn->regions[then + 1];
  fn->regions[then + 1] = swapped;
  relabel(s, then);
  relabel(s, then + 1);
  s->changed = true;
}

static void walk_region(struct kiln_simplify *s, uint32_t region);

// Simplifies a node. Returns the instruction with which the walk goes on.
static kiln_value walk_node(struct kiln_simplify *s, kiln_value id) {
  struct kiln_function *fn = s->fn;
  set_position(s, id);
  uint32_t entered = s->position[id];
  if (fn->insts[id].op == KILN_OP_IF || fn->insts[id].op == KILN_OP_SWITCH)
    choose_region(s, id);
  if (fn->insts[id].op == KILN_OP_IF)
    turn_around(s, id);
  struct kiln_node *node = kiln_node(fn, id);
  if (fn->insts[id].op == KILN_OP_LOOP) {
    constant_header_phis(s, id, false);
    if (!has_jump(s, id, KILN_OP_CONTINUE)) { // runs once
      for (uint32_t i = 0; i < node->header.count; i++)
        if (!s->replaced.by[node->header.items[i]])
          replace(s, node->header.items[i], kiln_operands(fn, id)[i]);
      node->header.count = 0;
      node->unroll = 0;
      become_block(s, id, 0);
    }
  }
  if (fn->insts[id].op == KILN_OP_BLOCK && is_plain_block(s, id))
    return splice(s, id);
  for (uint32_t i = 0; i < node->header.count; i++)
    set_position(s, node->header.items[i]);
  uint32_t first = node->region_first, count = node->region_count;
  for (uint32_t r = first; r < first + count; r++)
    walk_region(s, r);
  node = kiln_node(fn, id);
  for (uint32_t i = 0; i < node->results.count; i++)
    set_position(s, node->results.items[i]);
  if (fn->insts[id].op == KILN_OP_LOOP)
    constant_header_phis(s, id, true);
  constant_results(s, id, entered);
  if (fn->insts[id].op == KILN_OP_BLOCK && is_plain_block(s, id)) {
    kiln_value next = fn->insts[id].next;
    bool goes_on = fn->insts[fn->regions[kiln_node(fn, id)->region_first].last].op == KILN_OP_YIELD;
    splice(s, id);
    return goes_on ? next : 0;
  }
  if (fn->insts[id].op == KILN_OP_IF) {
    kiln_value next = if_to_select(s, id);
    if (next)
      return next;
  }
  return fn->insts[id].next;
}

static void walk_region(struct kiln_simplify *s, uint32_t region) {
  struct kiln_function *fn = s->fn;
  uint32_t mark = s->entries.count;
  for (kiln_value id = fn->regions[region].first, next; id; id = next) {
    kiln_resolve_operands(fn, id, &s->replaced);
    if (kiln_op_is_node(fn->insts[id].op)) {
      next = walk_node(s, id);
      continue;
    }
    next = fn->insts[id].next;
    set_position(s, id);
    if (kiln_op_is_jump(fn->insts[id].op))
      continue;
    kiln_value value = simplify_value(s, id);
    if (value == id)
      continue;
    replace(s, id, value);
    kiln_unlink(fn, id);
  }
  forget(s, mark);
}

void kiln_simplify_begin(struct kiln_simplify *s, struct kiln_function *fn, struct kiln_arena *arena) {
  *s = (struct kiln_simplify){.fn = fn, .arena = arena, .head_count = 64};
  grow_values(s);
  s->jumps = kiln_jumps_find(fn, arena);
  while (s->head_count < fn->inst_count)
    s->head_count *= 2;
  s->heads = KILN_NEW_ARRAY(arena, uint32_t, s->head_count);
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_function *fn = subject;
  struct kiln_simplify s;
  kiln_simplify_begin(&s, fn, arena);
  walk_region(&s, fn->body);
  if (s.late)
    kiln_resolve_all(fn, &s.replaced);
  return s.changed;
}

bool kiln_pass_simplify(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }
