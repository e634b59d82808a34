// Ranges of integers: interval arithmetic from places in groups, constants, and loops that count.
//
// A header phi is first assumed to stay in the range from zero to its first value; where a walk shows that it does not,
// nothing is known of it, and the walk is repeated. A phi that counts by a constant between constants or known bounds
// has the range that the condition of its loop says. Requires a verified function; changes nothing. Linear.
#include "jit/pass/ranges.h"

#include <string.h>

#define MAX_WALKS 4
#define LOCAL_ID_LIMIT (1 << 20) // no device has groups of a million work-items

struct ranges {
  const struct kiln_function *fn;
  struct kiln_jumps jumps;
  struct kiln_range *ranges; // by value
  uint8_t *rule;             // by header phi: enum rule
  bool small_ids;            // global ids are below 2^31
};

enum rule { ASSUMED, COUNTED, UNKNOWN };

// ---- intervals ------------------------------------------------------------------------------------------------------

static struct kiln_range full(kiln_type type) {
  enum kiln_kind kind = kiln_type_kind(type);
  if (!kiln_kind_is_int(kind) || kiln_kind_bits(kind) == 64)
    return (struct kiln_range){INT64_MIN, INT64_MAX};
  int64_t limit = (int64_t)1 << (kiln_kind_bits(kind) - 1);
  return (struct kiln_range){-limit, limit - 1};
}

static bool inside(struct kiln_range inner, struct kiln_range outer) {
  return inner.low >= outer.low && inner.high <= outer.high;
}

static struct kiln_range either(struct kiln_range x, struct kiln_range y) {
  return (struct kiln_range){x.low < y.low ? x.low : y.low, x.high > y.high ? x.high : y.high};
}

static struct kiln_range sum(kiln_type type, struct kiln_range x, struct kiln_range y) {
  struct kiln_range r;
  if (__builtin_add_overflow(x.low, y.low, &r.low) || __builtin_add_overflow(x.high, y.high, &r.high))
    return full(type);
  return r;
}

static struct kiln_range difference(kiln_type type, struct kiln_range x, struct kiln_range y) {
  struct kiln_range r;
  if (__builtin_sub_overflow(x.low, y.high, &r.low) || __builtin_sub_overflow(x.high, y.low, &r.high))
    return full(type);
  return r;
}

static struct kiln_range product(kiln_type type, struct kiln_range x, struct kiln_range y) {
  int64_t corners[4];
  if (__builtin_mul_overflow(x.low, y.low, &corners[0]) || __builtin_mul_overflow(x.low, y.high, &corners[1]) ||
      __builtin_mul_overflow(x.high, y.low, &corners[2]) || __builtin_mul_overflow(x.high, y.high, &corners[3]))
    return full(type);
  struct kiln_range r = {corners[0], corners[0]};
  for (int i = 1; i < 4; i++)
    r = either(r, (struct kiln_range){corners[i], corners[i]});
  return r;
}

// Whether the query asks for a place in a group, or for what there is of sub-groups.
static bool is_within_group(unsigned op) {
  return op == KILN_OP_LOCAL_ID || op == KILN_OP_SUB_GROUP_SIZE || op == KILN_OP_MAX_SUB_GROUP_SIZE ||
         op == KILN_OP_NUM_SUB_GROUPS || op == KILN_OP_SUB_GROUP_ID || op == KILN_OP_SUB_GROUP_LOCAL_ID;
}

// ---- operations -----------------------------------------------------------------------------------------------------

static struct kiln_range range_of(const struct ranges *s, kiln_value value) {
  const struct kiln_inst *inst = &s->fn->insts[value];
  enum kiln_kind kind = kiln_type_kind(inst->type);
  if (inst->op != KILN_OP_CONST || !kiln_kind_is_int(kind))
    return kiln_op_is_free(inst->op) ? full(inst->type) : s->ranges[value];
  int64_t bits = kiln_sign_extend(inst->imm, kiln_kind_bits(kind));
  return (struct kiln_range){bits, bits};
}

static struct kiln_range shifted(kiln_type type, unsigned op, struct kiln_range x, struct kiln_range count) {
  unsigned bits = kiln_kind_bits(kiln_type_kind(type));
  if (count.low != count.high || count.low < 0 || count.low >= (int64_t)bits)
    return full(type);
  if (op == KILN_OP_SHL)
    return count.low > 40 ? full(type) : product(type, x, (struct kiln_range){1ll << count.low, 1ll << count.low});
  if (op == KILN_OP_LSHR && x.low < 0)
    return full(type);
  return (struct kiln_range){x.low >> count.low, x.high >> count.low};
}

// The range of an operation on values that are both at least zero.
static struct kiln_range of_positive(unsigned op, struct kiln_range x, struct kiln_range y) {
  if (kiln_op_is_quotient(op))
    return (struct kiln_range){0, x.high / (y.low > 0 ? y.low : 1)};
  return (struct kiln_range){0, x.high < y.high ? x.high : y.high}; // of AND, UREM, SREM: x % 0 is 0
}

static struct kiln_range compute(const struct ranges *s, kiln_value id) {
  const struct kiln_inst *inst = &s->fn->insts[id];
  const kiln_value *operands = kiln_operands(s->fn, id);
  unsigned op = inst->op;
  if (is_within_group(op))
    return (struct kiln_range){0, LOCAL_ID_LIMIT};
  if (op == KILN_OP_GLOBAL_ID && s->small_ids)
    return (struct kiln_range){0, INT32_MAX};
  if (!kiln_kind_is_int(kiln_type_kind(inst->type)) || kiln_type_lanes(inst->type) > 1 || inst->operand_count == 0)
    return full(inst->type);
  struct kiln_range x = range_of(s, operands[0]);
  struct kiln_range y = inst->operand_count > 1 ? range_of(s, operands[1]) : x;
  if (op == KILN_OP_IADD)
    return sum(inst->type, x, y);
  if (op == KILN_OP_ISUB)
    return difference(inst->type, x, y);
  if (op == KILN_OP_IMUL)
    return product(inst->type, x, y);
  if (op == KILN_OP_SHL || op == KILN_OP_LSHR || op == KILN_OP_ASHR)
    return shifted(inst->type, op, x, y);
  if (op == KILN_OP_AND && (x.low >= 0 || y.low >= 0))
    return (struct kiln_range){0, x.low < 0 ? y.high : y.low < 0 || x.high < y.high ? x.high : y.high};
  if (kiln_op_is_division(op) && x.low >= 0 && y.low >= 0)
    return of_positive(op, x, y);
  if (op == KILN_OP_SMIN)
    return (struct kiln_range){x.low < y.low ? x.low : y.low, x.high < y.high ? x.high : y.high};
  if (op == KILN_OP_SMAX)
    return (struct kiln_range){x.low > y.low ? x.low : y.low, x.high > y.high ? x.high : y.high};
  if (op == KILN_OP_SELECT)
    return either(y, range_of(s, operands[2]));
  if (op == KILN_OP_TRUNC || op == KILN_OP_SEXT)
    return kiln_type_kind(s->fn->insts[operands[0]].type) == KILN_BOOL ? (struct kiln_range){-1, 0} : x;
  if (op == KILN_OP_ZEXT) {
    unsigned bits = kiln_kind_bits(kiln_type_kind(s->fn->insts[operands[0]].type));
    bool known = kiln_kind_is_int(kiln_type_kind(s->fn->insts[operands[0]].type)) && x.low >= 0;
    return known ? x : (struct kiln_range){0, ((int64_t)1 << bits) - 1};
  }
  return full(inst->type);
}

// ---- loops ----------------------------------------------------------------------------------------------------------

static bool is_const(const struct ranges *s, kiln_value value) { return s->fn->insts[value].op == KILN_OP_CONST; }

static bool is_inside(const struct ranges *s, kiln_value value, kiln_value loop) {
  const struct kiln_inst *inst = &s->fn->insts[value];
  kiln_value node = inst->op == KILN_OP_PHI ? (kiln_value)inst->imm : value;
  while (node && node != loop)
    node = kiln_owner(s->fn, node);
  return node == loop;
}

// Finds a condition in the loop's own region without which the loop is left: "phi < limit" (up) or "limit < phi".
static bool find_limit(const struct ranges *s, kiln_value loop, kiln_value phi, bool up, int64_t *out) {
  const struct kiln_function *fn = s->fn;
  for (kiln_value id = fn->regions[kiln_node(fn, loop)->region_first].first; id; id = fn->insts[id].next) {
    if (fn->insts[id].op != KILN_OP_IF ||
        fn->insts[fn->regions[kiln_node(fn, id)->region_first + 1].last].op == KILN_OP_YIELD)
      continue;
    struct kiln_inequality stays;
    if (!kiln_inequality_of(fn, kiln_operands(fn, id)[0], true, &stays) || (up ? stays.low : stays.high) != phi ||
        is_inside(s, up ? stays.high : stays.low, loop))
      continue;
    struct kiln_range limit = range_of(s, up ? stays.high : stays.low);
    if (!stays.is_signed && limit.low < 0)
      continue;
    if (limit.low == INT64_MIN || limit.high == INT64_MAX)
      continue;
    *out = up ? limit.high - stays.is_strict : limit.low + stays.is_strict;
    return true;
  }
  return false;
}

// The one continue of a loop, if it stands at the end of the loop's own region; else 0.
static kiln_value only_continue(const struct ranges *s, kiln_value loop) {
  kiln_value jump = kiln_jumps_only_continue(&s->jumps, s->fn, loop);
  return jump && s->fn->insts[jump].region == kiln_node(s->fn, loop)->region_first ? jump : 0;
}

// Finds the range of a phi to which each iteration adds a constant, or which starts at a constant and is shifted to the
// left.
static bool count(const struct ranges *s, kiln_value loop, uint32_t index, struct kiln_range *out) {
  const struct kiln_function *fn = s->fn;
  kiln_value phi = kiln_node(fn, loop)->header.items[index], jump = only_continue(s, loop);
  if (!jump)
    return false;
  kiln_value next = kiln_operands(fn, jump)[index];
  unsigned op = fn->insts[next].op;
  if (op != KILN_OP_IADD && (op != KILN_OP_SHL || !is_const(s, kiln_operands(fn, loop)[index])))
    return false;
  kiln_value x = kiln_operands(fn, next)[0], y = kiln_operands(fn, next)[1];
  if ((x != phi || !is_const(s, y)) && (y != phi || !is_const(s, x) || op == KILN_OP_SHL))
    return false;
  int64_t step = range_of(s, x == phi ? y : x).low, limit, end;
  struct kiln_range first = range_of(s, kiln_operands(fn, loop)[index]);
  bool up = op == KILN_OP_SHL || step > 0;
  if (step == 0 || !find_limit(s, loop, phi, up, &limit))
    return false;
  if (op == KILN_OP_SHL ? first.low < 0 || step < 0 || step > 20 || __builtin_mul_overflow(limit, 1ll << step, &end)
                        : __builtin_add_overflow(limit, step, &end))
    return false;
  struct kiln_range range = either(first, (struct kiln_range){end, end});
  // Downwards an unsigned comparison says nothing of numbers below zero.
  if (!inside(range, full(fn->insts[phi].type)) || ((!up || op == KILN_OP_SHL) && range.low < 0))
    return false;
  *out = range;
  return true;
}

// A counter that decreases from a positive number often ends at zero.
static struct kiln_range or_less(struct kiln_range range) {
  return range.low > 0 ? (struct kiln_range){0, range.high} : range;
}

static void enter_loop(struct ranges *s, kiln_value loop) {
  const struct kiln_node *node = kiln_node(s->fn, loop);
  for (uint32_t i = 0; i < node->header.count; i++) {
    kiln_value phi = node->header.items[i];
    kiln_type type = s->fn->insts[phi].type;
    struct kiln_range *range = &s->ranges[phi];
    *range = full(type);
    if (!kiln_kind_is_int(kiln_type_kind(type)) || kiln_type_lanes(type) > 1)
      continue;
    if (count(s, loop, i, range))
      s->rule[phi] = COUNTED;
    else if (s->rule[phi] == ASSUMED)
      *range = or_less(range_of(s, kiln_operands(s->fn, loop)[i]));
  }
}

// The values of a jump to a node's end widen its results; those of a continue must stay in the assumed range. False if
// they do not.
static bool take_jump(struct ranges *s, kiln_value jump) {
  const struct kiln_value_list *phis = kiln_phis_of(s->fn, jump);
  bool header = s->fn->insts[jump].op == KILN_OP_CONTINUE, held = true;
  for (uint32_t i = 0; phis && i < phis->count; i++) {
    kiln_value phi = phis->items[i];
    struct kiln_range value = range_of(s, kiln_operands(s->fn, jump)[i]);
    if (!header) {
      s->ranges[phi] = either(s->ranges[phi], value);
    } else if (s->rule[phi] == ASSUMED && !inside(value, s->ranges[phi])) {
      s->rule[phi] = UNKNOWN;
      held = false;
    }
  }
  return held;
}

// Finds the ranges of all values in program order. False if an assumption did not hold.
static bool walk(struct ranges *s) {
  const struct kiln_function *fn = s->fn;
  bool held = true;
  for (kiln_value id = fn->regions[fn->body].first; id; id = kiln_walk_next(fn, id)) {
    unsigned op = fn->insts[id].op;
    if (kiln_op_is_node(op)) {
      const struct kiln_node *node = kiln_node(fn, id);
      for (uint32_t i = 0; i < node->results.count; i++)
        s->ranges[node->results.items[i]] = (struct kiln_range){INT64_MAX, INT64_MIN}; // nothing yet
      if (op == KILN_OP_LOOP)
        enter_loop(s, id);
    } else if (kiln_op_is_jump(op)) {
      held &= take_jump(s, id);
    } else {
      struct kiln_range range = compute(s, id), limit = full(fn->insts[id].type);
      s->ranges[id] = inside(range, limit) ? range : limit;
    }
  }
  return held;
}

static void find(const struct kiln_function *fn, bool small_ids, struct kiln_arena *arena, struct kiln_range *out) {
  struct ranges s = {.fn = fn, .jumps = kiln_jumps_find(fn, arena), .ranges = out, .small_ids = small_ids};
  s.rule = KILN_NEW_ARRAY(arena, uint8_t, fn->inst_count);
  for (unsigned i = 0; !walk(&s); i++)
    for (kiln_value id = 1; i >= MAX_WALKS && id < fn->inst_count; id++)
      s.rule[id] = UNKNOWN;
}

const struct kiln_range *kiln_ranges_find(struct kiln_function *fn, bool small_ids, struct kiln_arena *arena) {
  struct kiln_function_priv *priv = kiln_function_priv(fn);
  if (priv->ranges_count == fn->inst_count && priv->ranges_small_ids == small_ids)
    return priv->ranges;
  if (!KILN_IR_RESERVE(fn->module, priv->ranges, 0, priv->ranges_capacity, fn->inst_count))
    return KILN_NEW_ARRAY(arena, struct kiln_range, fn->inst_count); // the module has failed
  memset(priv->ranges, 0, fn->inst_count * sizeof *priv->ranges);
  find(fn, small_ids, arena, priv->ranges);
  priv->ranges_count = fn->inst_count;
  priv->ranges_small_ids = small_ids;
  return priv->ranges;
}
