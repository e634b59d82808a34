// Barrier elimination. If work-items load local memory before a barrier and store to it after, or the other way round,
// and each loaded address has one distance from the address that the same work-item stores to, both item regions may
// run as one, warp by warp: from the last warp downwards if the addresses after the barrier are higher, since the
// remaining accesses of a warp then lie above all that lower warps touch. Values that cross the barrier stay in
// registers.
//
// Requires: uniform and recomputed values are known. Only for many lanes, rows, and groups of one row.
#include "backends/llvm/spmd/cost.h"
#include "backends/llvm/spmd/group.h"

// A memory access in an item region; in local memory its address is root + address + per_item * local_id(0), modulo
// 2^32. That distinguishes addresses within one object, which is smaller.
struct access {
  enum kiln_space space;
  uint32_t bytes;
  bool stores;
  kiln_value root; // variable or parameter; 0: not known
  uint32_t per_item;
  struct kiln_ll_order address;
};

struct side {
  struct access accesses[KILN_COST_ELIMINATED_ACCESSES];
  uint32_t count, size;
};

struct elimination {
  const struct kiln_function *fn;
  struct kiln_ll_group *g;
  struct kiln_arena *arena;
  uint32_t *stamp; // by value: the item region that last contained it
  uint32_t serial;
};

// ---- addresses

static bool add_term(struct kiln_ll_order *sum, kiln_value v, uint32_t factor) {
  uint32_t i = 0;
  while (i < sum->count && sum->terms[i] != v)
    i++;
  if (i == KILN_LL_ORDER_TERMS)
    return false;
  if (i == sum->count) {
    sum->terms[sum->count++] = v;
    sum->factors[i] = 0;
  }
  sum->factors[i] += factor;
  if (!sum->factors[i]) {
    sum->count--;
    sum->terms[i] = sum->terms[sum->count];
    sum->factors[i] = sum->factors[sum->count];
  }
  return true;
}

static void find_address(const struct elimination *j, struct access *a, kiln_value pointer) {
  struct kiln_affine form;
  kiln_affine_of(j->fn, pointer, KILN_AFFINE_MAY_WRAP, &form);
  a->address.constant = (uint32_t)form.constant;
  for (uint32_t i = 0; i < form.term_count; i++) {
    const struct kiln_term *term = &form.terms[i];
    const struct kiln_inst *in = &j->fn->insts[term->value];
    if (in->op == KILN_OP_LOCAL_ID && in->imm == 0)
      a->per_item += (uint32_t)term->factor;
    else if (!j->g->uniform[term->value] || in->op == KILN_OP_UNDEF || kiln_kind_bits(kiln_type_kind(in->type)) < 32 ||
             !add_term(&a->address, term->value, (uint32_t)term->factor))
      return;
  }
  enum kiln_op base = kiln_op_of(&j->fn->insts[form.base]);
  if (form.exact_bits >= 32 && (base == KILN_OP_GLOBAL || base == KILN_OP_PARAM))
    a->root = form.base;
}

// ---- item regions

static bool add_access(const struct elimination *j, struct side *side, kiln_value v) {
  const struct kiln_inst *in = &j->fn->insts[v];
  const kiln_value *x = kiln_operands(j->fn, v);
  if (!kiln_op_is_access(in->op) || in->flags & KILN_MEM_VOLATILE || side->count == KILN_COST_ELIMINATED_ACCESSES)
    return false;
  kiln_type type = kiln_access_type(j->fn, v);
  unsigned bytes = kiln_type_bytes(type) + (kiln_type_lanes(type) == 3 ? kiln_ll_element_bytes(type) : 0);
  struct access *a = &side->accesses[side->count++];
  *a = (struct access){
      .space = kiln_type_space(j->fn->insts[x[0]].type), .bytes = bytes ? bytes : 1, .stores = in->op == KILN_OP_STORE};
  if (a->space == KILN_LOCAL)
    find_address(j, a, x[0]);
  return true;
}

// Adds an instruction and what it contains. False: it may not run together with other item regions.
static bool add_inst(struct elimination *j, struct side *side, kiln_value v) {
  const struct kiln_inst *in = &j->fn->insts[v];
  if (++side->size > KILN_COST_ELIMINATED)
    return false;
  j->stamp[v] = j->serial;
  if (kiln_op_is_node(in->op)) {
    const struct kiln_node *node = &j->fn->nodes[in->node];
    for (uint32_t r = node->region_first; r < node->region_first + node->region_count; r++)
      for (kiln_value i = j->fn->regions[r].first; i; i = j->fn->insts[i].next)
        if (!add_inst(j, side, i))
          return false;
    return true;
  }
  enum kiln_op_effect effect = kiln_effect_of(j->fn, v);
  if (effect == KILN_EFFECT_READ || effect == KILN_EFFECT_WRITE)
    return add_access(j, side, v);
  if (kiln_op_leaves(in->op))
    return !j->g->is_group[j->fn->insts[(kiln_value)in->imm].node];
  return effect == KILN_EFFECT_PURE || effect == KILN_EFFECT_ITEM || effect == KILN_EFFECT_FREE ||
         in->op == KILN_OP_YIELD || in->op == KILN_OP_PHI;
}

static bool add_item_region(struct elimination *j, struct side *side, kiln_value first, kiln_value stop) {
  *side = (struct side){.count = 0};
  j->serial++;
  for (kiln_value v = first; v != stop; v = j->fn->insts[v].next)
    if (!add_inst(j, side, v))
      return false;
  return true;
}

// Whether an instruction, or one inside it, uses a per-work-item value of the item region with the stamp.
static bool takes(const struct elimination *j, kiln_value v, uint32_t stamp) {
  const struct kiln_inst *in = &j->fn->insts[v];
  for (uint32_t i = 0; i < in->operand_count; i++) {
    kiln_value x = kiln_operands(j->fn, v)[i];
    const struct kiln_inst *def = &j->fn->insts[x];
    if (j->stamp[def->op == KILN_OP_PHI ? (kiln_value)def->imm : x] == stamp && !j->g->uniform[x] &&
        !j->g->recomputed[x] && def->op != KILN_OP_VAR)
      return true;
  }
  if (!kiln_op_is_node(in->op))
    return false;
  const struct kiln_node *node = &j->fn->nodes[in->node];
  for (uint32_t r = node->region_first; r < node->region_first + node->region_count; r++)
    for (kiln_value inside = j->fn->regions[r].first; inside; inside = j->fn->insts[inside].next)
      if (takes(j, inside, stamp))
        return true;
  return false;
}

// ---- both sides of a barrier

// The orders of warps that the accesses require.
struct direction {
  bool up, down, either; // either: by_sum tells
  struct kiln_ll_order by_sum;
};

static bool is_other_object(const struct elimination *j, kiln_value x, kiln_value y) {
  const struct kiln_inst *a = &j->fn->insts[x], *b = &j->fn->insts[y];
  return a->op == KILN_OP_GLOBAL && b->op == KILN_OP_GLOBAL ? a->imm != b->imm : x != y;
}

static bool subtract(struct kiln_ll_order *from, const struct kiln_ll_order *sum) {
  from->constant -= sum->constant;
  for (uint32_t i = 0; i < sum->count; i++)
    if (!add_term(from, sum->terms[i], 0 - sum->factors[i]))
      return false;
  return true;
}

// Work-item p makes access a, then work-item q makes b. The distance is between both addresses in one work-item. They
// overlap only if -b.bytes < per_item * (q - p) + distance < a.bytes; so for a distance of zero or more only if q <= p.
static bool constrain(const struct elimination *j, const struct access *a, const struct access *b,
                      struct direction *direction) {
  if ((!a->stores && !b->stores) || a->space == KILN_CONSTANT || b->space == KILN_CONSTANT ||
      a->space == KILN_PRIVATE || b->space == KILN_PRIVATE)
    return true;
  if (a->space == KILN_GENERIC || b->space == KILN_GENERIC)
    return false;
  if (a->space != b->space)
    return true;
  if (a->space != KILN_LOCAL || !a->root || !b->root)
    return false;
  if (is_other_object(j, a->root, b->root))
    return true;
  int64_t per_item = (int32_t)a->per_item;
  struct kiln_ll_order distance = b->address;
  if (a->per_item != b->per_item || per_item < a->bytes || per_item < b->bytes || !subtract(&distance, &a->address))
    return false;
  if (!distance.count) {
    direction->down |= (int32_t)distance.constant > 0;
    direction->up |= (int32_t)distance.constant < 0;
    return true;
  }
  if (!direction->either)
    direction->by_sum = distance;
  direction->either = true;
  return subtract(&distance, &direction->by_sum) && !distance.count && !distance.constant;
}

// The order in which the item regions [first, barrier) and (barrier, stop) may run as one; NULL: none, or no gain.
static struct kiln_ll_order *common_order(struct elimination *j, kiln_value first, kiln_value barrier,
                                          kiln_value stop) {
  struct side sides[2];
  struct direction direction = {false};
  uint32_t stamp = j->serial + 1;
  if (!add_item_region(j, &sides[0], first, barrier))
    return NULL;
  bool taken = false;
  for (kiln_value v = j->fn->insts[barrier].next; v != stop && !taken; v = j->fn->insts[v].next)
    taken = takes(j, v, stamp);
  if (!taken || !add_item_region(j, &sides[1], j->fn->insts[barrier].next, stop))
    return NULL;
  for (uint32_t a = 0; a < sides[0].count; a++)
    for (uint32_t b = 0; b < sides[1].count; b++)
      if (!constrain(j, &sides[0].accesses[a], &sides[1].accesses[b], &direction))
        return NULL;
  if (direction.up + direction.down + direction.either > 1)
    return NULL;
  struct kiln_ll_order *result = KILN_NEW(j->arena, struct kiln_ll_order);
  *result = direction.by_sum;
  result->constant = direction.either ? result->constant : direction.down;
  return result;
}

static void eliminate_in_region(struct elimination *j, uint32_t region, uint32_t depth) {
  const struct kiln_function *fn = j->fn;
  kiln_value first = fn->regions[region].first, last = fn->regions[region].last, v = first;
  for (; v != last && depth <= KILN_LL_MAX_DEPTH; v = fn->insts[v].next) {
    const struct kiln_inst *in = &fn->insts[v];
    if (!kiln_ll_ends_item_region(fn, j->g, v))
      continue;
    if (in->op == KILN_OP_BARRIER) {
      kiln_value stop = in->next;
      while (!kiln_ll_ends_item_region(fn, j->g, stop))
        stop = fn->insts[stop].next;
      j->g->eliminated[v] = common_order(j, first, v, stop);
      v = j->g->eliminated[v] ? stop : v; // at most two are merged
      in = &fn->insts[v];
    }
    if (kiln_op_is_node(in->op) && j->g->is_group[in->node])
      for (uint32_t i = 0; i < fn->nodes[in->node].region_count; i++)
        eliminate_in_region(j, fn->nodes[in->node].region_first + i, depth + 1);
    if (v == last)
      break;
    first = in->next;
  }
}

void kiln_ll_group_eliminate_barriers(struct kiln_ll *ll, const struct kiln_function *fn, struct kiln_ll_group *g) {
  struct elimination j = {fn, g, &ll->arena, KILN_NEW_ARRAY(&ll->arena, uint32_t, fn->inst_count), 0};
  eliminate_in_region(&j, fn->body, 0);
}
