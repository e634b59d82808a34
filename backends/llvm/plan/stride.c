// How far a value moves from one work-item to the next, where no bound and no divisor lies between them: which holds in
// most warps if the value is a clamped, mirrored or wrapped position, or made of bits of ids, as in a butterfly:
// ((t & ~(j - 1)) << 1) | (t & (j - 1)). Only speed may depend on it.
#include "backends/llvm/plan/width.h"

#define MAX_DEPTH 32  // operations from an id to an address
#define MAX_STEPS 200 // in all
#define MIN_PERIOD 64 // the least constant divisor, or mask and one, within whose multiples most warps lie
#define MAX_FACTOR 1024

struct search {
  const struct kiln_function *fn;
  const struct kiln_shape *shapes; // NULL: along dimension 1
  unsigned steps;
};

static const struct kiln_ll_stride unknown = {false, 0};

static struct kiln_ll_stride stride_of(struct search *s, kiln_value v, unsigned depth);

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

// What is known without a look at operands.
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

// Whether work-items choose by their positions, so that neighbours mostly choose alike, rather than by what they load.
static bool is_by_position(struct search *s, kiln_value condition, unsigned depth) {
  const struct kiln_inst *in = kiln_inst(s->fn, condition);
  struct kiln_ll_stride stride;
  if (is_leaf(s, condition, &stride))
    return true;
  bool is_logic = in->op == KILN_OP_BAND || in->op == KILN_OP_BOR || in->op == KILN_OP_BNOT;
  bool known = is_logic || kiln_op_family(kiln_op_of(in)) == KILN_FAMILY_COMPARE;
  for (uint32_t i = 0; known && i < in->operand_count; i++) {
    kiln_value x = kiln_operands(s->fn, condition)[i];
    known = depth < MAX_DEPTH && (is_logic ? is_by_position(s, x, depth + 1) : stride_of(s, x, depth + 1).known);
  }
  return known;
}

// ---- phis

// The operand of result i at the first test that leaves the loop; 0: none near its start.
static kiln_value left_with(const struct kiln_function *fn, kiln_value loop, uint32_t i) {
  kiln_value v = fn->regions[kiln_node(fn, loop)->region_first].first;
  for (unsigned steps = 0; v && steps < MAX_STEPS; steps++, v = kiln_inst(fn, v)->next) {
    unsigned side = kiln_leaving_side(fn, v, loop, false);
    if (side < 2)
      return kiln_operands(fn, fn->regions[kiln_node(fn, v)->region_first + side].last)[i];
  }
  return 0;
}

// Of the values that the sides of an "if" end with.
static struct kiln_ll_stride of_sides(struct search *s, kiln_value node, uint32_t number, unsigned depth) {
  const struct kiln_function *fn = s->fn;
  const struct kiln_node *n = kiln_node(fn, node);
  struct kiln_ll_stride all = {true, 0};
  if (!is_by_position(s, kiln_operands(fn, node)[0], depth))
    return unknown;
  for (uint32_t r = 0; r < n->region_count; r++) {
    kiln_value last = fn->regions[n->region_first + r].last;
    if (kiln_inst(fn, last)->op == KILN_OP_YIELD)
      all = either(all, stride_of(s, kiln_operands(fn, last)[number], depth));
  }
  return all;
}

// What a loop carries moves like its initial value: what iterations add counts as the same for all work-items.
static struct kiln_ll_stride of_phi(struct search *s, kiln_value phi, unsigned depth) {
  const struct kiln_function *fn = s->fn;
  kiln_value node = (kiln_value)kiln_inst(fn, phi)->imm;
  uint32_t number;
  if (kiln_ll_header_of(fn, phi, &number))
    return stride_of(s, kiln_operands(fn, node)[number], depth);
  const struct kiln_value_list *results = &kiln_node(fn, node)->results;
  for (number = 0; results->items[number] != phi;)
    number++;
  if (kiln_inst(fn, node)->op == KILN_OP_IF)
    return of_sides(s, node, number, depth);
  kiln_value left = kiln_inst(fn, node)->op == KILN_OP_LOOP ? left_with(fn, node, number) : 0;
  return left ? stride_of(s, left, depth) : unknown;
}

// ---- operations

static struct kiln_ll_stride of_product(struct search *s, kiln_value v, unsigned depth) {
  const kiln_value *x = kiln_operands(s->fn, v);
  struct kiln_ll_stride first = stride_of(s, x[0], depth), second = stride_of(s, x[1], depth);
  int64_t factor;
  if (first.step == 0 && second.step == 0)
    return sum(first, second, 1, 1);
  if (!kiln_ll_constant(s->fn, x[1], &factor))
    return unknown;
  if (kiln_inst(s->fn, v)->op == KILN_OP_SHL)
    factor = factor >= 0 && factor < 32 ? (int64_t)1 << factor : INT64_MAX;
  return factor < -MAX_FACTOR || factor > MAX_FACTOR ? unknown : sum(first, second, factor, 0);
}

// ~y, which is a mask of high bits where y is one of low bits.
static bool is_inverted(const struct kiln_function *fn, kiln_value v) {
  int64_t number;
  return kiln_inst(fn, v)->op == KILN_OP_XOR && kiln_ll_constant(fn, kiln_operands(fn, v)[1], &number) && number == -1;
}

// Of a quotient, a remainder or a masked value. The period is the divisor, or a mask of low bits and one.
static struct kiln_ll_stride of_division(struct search *s, kiln_value v, unsigned depth) {
  const kiln_value *x = kiln_operands(s->fn, v);
  enum kiln_op op = kiln_op_of(kiln_inst(s->fn, v));
  struct kiln_ll_stride dividend = stride_of(s, x[0], depth), divisor = stride_of(s, x[1], depth);
  bool is_mask = op == KILN_OP_AND;
  bool cuts = kiln_op_is_quotient(op) || (is_mask && is_inverted(s->fn, x[1]));
  int64_t number;
  if (!divisor.known || divisor.step)
    return unknown;
  if (kiln_ll_constant(s->fn, x[1], &number) &&
      (number < MIN_PERIOD - is_mask || (is_mask && (number & (number + 1)) != 0)))
    return unknown;
  return cuts ? (struct kiln_ll_stride){dividend.known, 0} : dividend;
}

static struct kiln_ll_stride stride_of(struct search *s, kiln_value v, unsigned depth) {
  const struct kiln_inst *in = kiln_inst(s->fn, v);
  const kiln_value *x = kiln_operands(s->fn, v);
  struct kiln_ll_stride leaf;
  if (is_leaf(s, v, &leaf))
    return leaf;
  if (depth++ == MAX_DEPTH || s->steps++ >= MAX_STEPS || kiln_type_lanes(in->type) > 1)
    return unknown;
  switch (in->op) {
  case KILN_OP_SMIN:
  case KILN_OP_SMAX:
  case KILN_OP_UMIN:
  case KILN_OP_UMAX:
    return either(stride_of(s, x[0], depth), stride_of(s, x[1], depth));
  case KILN_OP_SELECT:
    return is_by_position(s, x[0], depth) ? either(stride_of(s, x[1], depth), stride_of(s, x[2], depth)) : unknown;
  case KILN_OP_PHI:
    return of_phi(s, v, depth);
  case KILN_OP_SEXT:
  case KILN_OP_ZEXT:
  case KILN_OP_TRUNC:
    return stride_of(s, x[0], depth);
  case KILN_OP_IADD:
  case KILN_OP_OR: // of bits that the other one does not have
    return sum(stride_of(s, x[0], depth), stride_of(s, x[1], depth), 1, 1);
  case KILN_OP_ISUB:
    return sum(stride_of(s, x[0], depth), stride_of(s, x[1], depth), 1, -1);
  case KILN_OP_PADD:
    return sum(stride_of(s, x[0], depth), stride_of(s, x[1], depth), 1, (int64_t)in->imm);
  case KILN_OP_IMUL:
  case KILN_OP_SHL:
    return of_product(s, v, depth);
  case KILN_OP_AND:
  case KILN_OP_SDIV:
  case KILN_OP_UDIV:
  case KILN_OP_SREM:
  case KILN_OP_UREM:
    return of_division(s, v, depth);
  case KILN_OP_LOAD: { // from one address
    struct kiln_ll_stride address = stride_of(s, x[0], depth);
    return address.step ? unknown : address;
  }
  default:
    return unknown;
  }
}

struct kiln_ll_stride kiln_ll_likely_stride(const struct kiln_function *fn, const struct kiln_shape *shapes,
                                            kiln_value v) {
  struct search search = {fn, shapes, 0};
  return stride_of(&search, v, 0);
}
