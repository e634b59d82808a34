// How far a value moves from one work-item to the next, where no bound and no divisor lies between them: which holds in
// most warps if the value is a clamped, mirrored or wrapped position, or made of bits of ids, as in a butterfly:
// ((t & ~(j - 1)) << 1) | (t & (j - 1)). Only speed may depend on it.
#include "backends/llvm/plan/width.h"

#define MIN_PERIOD 64 // the least constant divisor, or mask and one, within whose multiples most warps lie
#define MAX_FACTOR 1024

struct search {
  const struct kiln_function *fn;
  const struct kiln_shape *shapes; // NULL: along dimension 1
  struct kiln_ll_stride *strides;  // by value
  bool *by_position; // by condition: work-items choose by their positions, so that neighbours mostly choose alike,
                     // rather than by what they load
};

static const struct kiln_ll_stride unknown = {false, 0};

static struct kiln_ll_stride sum(struct kiln_ll_stride x, struct kiln_ll_stride y, int64_t times_x, int64_t times_y) {
  uint64_t step = (uint64_t)x.step * (uint64_t)times_x + (uint64_t)y.step * (uint64_t)times_y;
  return (struct kiln_ll_stride){x.known && y.known, (int64_t)step};
}

// Of two values between which each work-item chooses: what moves is more likely than a bound, and upwards more likely
// than downwards, as in a mirror.
static struct kiln_ll_stride either(struct kiln_ll_stride x, struct kiln_ll_stride y) {
  struct kiln_ll_stride greater = x.step > y.step ? x : y, other = x.step > y.step ? y : x;
  return (struct kiln_ll_stride){x.known && y.known, greater.step ? greater.step : other.step};
}

// The stride of a value for which no operand needs a look. False: it is found from operands.
static bool is_leaf(const struct search *s, kiln_value v, struct kiln_ll_stride *out) {
  const struct kiln_inst *in = kiln_inst(s->fn, v);
  *out = (struct kiln_ll_stride){true, 0};
  if (s->shapes) {
    out->step = s->shapes[v].kind == KILN_SHAPE_LINEAR ? s->shapes[v].stride : 0;
    return s->shapes[v].kind != KILN_SHAPE_VARYING;
  }
  out->step = (in->op == KILN_OP_GLOBAL_ID || in->op == KILN_OP_LOCAL_ID) && in->imm == 1;
  return kiln_op_family(kiln_op_of(in)) == KILN_FAMILY_ITEM || in->op == KILN_OP_CONST || in->op == KILN_OP_PARAM ||
         in->op == KILN_OP_GLOBAL;
}

// The stride of an operand, which has been found before that of the operation.
static struct kiln_ll_stride known(const struct search *s, kiln_value v) {
  struct kiln_ll_stride leaf;
  return is_leaf(s, v, &leaf) ? leaf : s->strides[v];
}

static bool is_by_position(const struct search *s, kiln_value condition) {
  struct kiln_ll_stride leaf;
  return is_leaf(s, condition, &leaf) || s->by_position[condition];
}

// Whether work-items choose by their positions where v is the condition (search.by_position).
static bool chooses_by_position(const struct search *s, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(s->fn, v);
  bool is_logic = in->op == KILN_OP_BAND || in->op == KILN_OP_BOR || in->op == KILN_OP_BNOT;
  bool chooses = is_logic || kiln_op_family(kiln_op_of(in)) == KILN_FAMILY_COMPARE;
  for (uint32_t i = 0; chooses && i < in->operand_count; i++) {
    kiln_value x = kiln_operands(s->fn, v)[i];
    chooses = is_logic ? is_by_position(s, x) : known(s, x).known;
  }
  return chooses;
}

// ---- phis

// The operand of result i at the first test that leaves the loop; 0: it has no test of its own.
static kiln_value left_with(const struct kiln_function *fn, kiln_value loop, uint32_t i) {
  kiln_value v = fn->regions[kiln_node(fn, loop)->region_first].first;
  for (; v; v = kiln_inst(fn, v)->next) {
    unsigned side = kiln_leaving_side(fn, v, loop, false);
    if (side < 2)
      return kiln_operands(fn, fn->regions[kiln_node(fn, v)->region_first + side].last)[i];
  }
  return 0;
}

// The stride of a result of an "if", from the values that its sides end with.
static struct kiln_ll_stride of_sides(const struct search *s, kiln_value node, uint32_t number) {
  const struct kiln_function *fn = s->fn;
  const struct kiln_node *n = kiln_node(fn, node);
  struct kiln_ll_stride all = {true, 0};
  if (!is_by_position(s, kiln_operands(fn, node)[0]))
    return unknown;
  for (uint32_t r = 0; r < n->region_count; r++) {
    kiln_value last = fn->regions[n->region_first + r].last;
    if (kiln_inst(fn, last)->op == KILN_OP_YIELD)
      all = either(all, known(s, kiln_operands(fn, last)[number]));
  }
  return all;
}

static struct kiln_ll_stride of_result(const struct search *s, kiln_value node, uint32_t number) {
  if (kiln_inst(s->fn, node)->op == KILN_OP_IF)
    return of_sides(s, node, number);
  kiln_value left = kiln_inst(s->fn, node)->op == KILN_OP_LOOP ? left_with(s->fn, node, number) : 0;
  return left ? known(s, left) : unknown;
}

// ---- operations

static struct kiln_ll_stride of_product(const struct search *s, kiln_value v) {
  const kiln_value *x = kiln_operands(s->fn, v);
  struct kiln_ll_stride first = known(s, x[0]), second = known(s, x[1]);
  int64_t factor;
  if (first.step == 0 && second.step == 0)
    return sum(first, second, 1, 1);
  if (!kiln_ll_constant(s->fn, x[1], &factor))
    return unknown;
  if (kiln_inst(s->fn, v)->op == KILN_OP_SHL)
    factor = factor >= 0 && factor < 32 ? (int64_t)1 << factor : INT64_MAX;
  return factor < -MAX_FACTOR || factor > MAX_FACTOR ? unknown : sum(first, second, factor, 0);
}

// Whether v is ~y: a mask of high bits where y is a mask of low bits.
static bool is_inverted(const struct kiln_function *fn, kiln_value v) {
  int64_t number;
  return kiln_inst(fn, v)->op == KILN_OP_XOR && kiln_ll_constant(fn, kiln_operands(fn, v)[1], &number) && number == -1;
}

// The stride of a quotient, a remainder or a masked value. The period is the divisor, or a mask of low bits and one.
static struct kiln_ll_stride of_division(const struct search *s, kiln_value v) {
  const kiln_value *x = kiln_operands(s->fn, v);
  enum kiln_op op = kiln_op_of(kiln_inst(s->fn, v));
  struct kiln_ll_stride dividend = known(s, x[0]), divisor = known(s, x[1]);
  bool is_mask = op == KILN_OP_AND;
  bool cuts = kiln_op_is_quotient(op) || (is_mask && is_inverted(s->fn, x[1]));
  int64_t number;
  if (!divisor.known || divisor.step)
    return unknown;
  if (kiln_ll_constant(s->fn, x[1], &number) &&
      (number < MIN_PERIOD - is_mask || (is_mask && ((uint64_t)number & ((uint64_t)number + 1)) != 0)))
    return unknown;
  return cuts ? (struct kiln_ll_stride){dividend.known, 0} : dividend;
}

static struct kiln_ll_stride stride_of(const struct search *s, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(s->fn, v);
  const kiln_value *x = kiln_operands(s->fn, v);
  struct kiln_ll_stride leaf;
  if (is_leaf(s, v, &leaf))
    return leaf;
  if (kiln_type_lanes(in->type) > 1)
    return unknown;
  switch (in->op) {
  case KILN_OP_SMIN:
  case KILN_OP_SMAX:
  case KILN_OP_UMIN:
  case KILN_OP_UMAX:
    return either(known(s, x[0]), known(s, x[1]));
  case KILN_OP_SELECT:
    return is_by_position(s, x[0]) ? either(known(s, x[1]), known(s, x[2])) : unknown;
  case KILN_OP_SEXT:
  case KILN_OP_ZEXT:
  case KILN_OP_TRUNC:
    return known(s, x[0]);
  case KILN_OP_IADD:
  case KILN_OP_OR: // of bits that the other one does not have
    return sum(known(s, x[0]), known(s, x[1]), 1, 1);
  case KILN_OP_ISUB:
    return sum(known(s, x[0]), known(s, x[1]), 1, -1);
  case KILN_OP_PADD:
    return sum(known(s, x[0]), known(s, x[1]), 1, (int64_t)in->imm);
  case KILN_OP_IMUL:
  case KILN_OP_SHL:
    return of_product(s, v);
  case KILN_OP_AND:
  case KILN_OP_SDIV:
  case KILN_OP_UDIV:
  case KILN_OP_SREM:
  case KILN_OP_UREM:
    return of_division(s, v);
  case KILN_OP_LOAD: { // from one address
    struct kiln_ll_stride address = known(s, x[0]);
    return address.step ? unknown : address;
  }
  default:
    return unknown;
  }
}

// What a loop carries moves like its initial value: what iterations add counts as the same for all work-items.
static void find_region(const struct search *s, uint32_t region) {
  const struct kiln_function *fn = s->fn;
  for (kiln_value v = fn->regions[region].first; v; v = kiln_inst(fn, v)->next) {
    s->strides[v] = stride_of(s, v);
    s->by_position[v] = chooses_by_position(s, v);
    if (!kiln_op_is_node(kiln_inst(fn, v)->op))
      continue;
    const struct kiln_node *node = kiln_node(fn, v);
    for (uint32_t i = 0; i < node->header.count; i++)
      s->strides[node->header.items[i]] = known(s, kiln_operands(fn, v)[i]);
    for (uint32_t r = 0; r < node->region_count; r++)
      find_region(s, node->region_first + r);
    for (uint32_t i = 0; i < node->results.count; i++)
      s->strides[node->results.items[i]] = of_result(s, v, i);
  }
}

const struct kiln_ll_stride *kiln_ll_likely_strides(struct kiln_ll *ll, const struct kiln_function *fn,
                                                    const struct kiln_shape *shapes) {
  struct search s = {fn, shapes, KILN_NEW_ARRAY(&ll->arena, struct kiln_ll_stride, fn->inst_count),
                     KILN_NEW_ARRAY(&ll->arena, bool, fn->inst_count)};
  find_region(&s, fn->body);
  struct kiln_ll_stride leaf;
  for (kiln_value v = 1; v < fn->inst_count; v++)
    s.strides[v] = is_leaf(&s, v, &leaf) ? leaf : s.strides[v];
  return s.strides;
}
