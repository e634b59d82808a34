// Accesses whose lanes lie at known distances from one another: a stride other than the element's size (struct members,
// columns), or bit operations with constants on local ids (i & 7, 2 * i - (i & 3)), whose value in the first lane of a
// full warp is a multiple of the lanes.
//
// The distances are found for all values at once, in the order of the program: in 8 lanes, with i = local_id(0),
//
//   a = i & 3            0 1 2 3 0 1 2 3        a base of 0
//   b = 2 * i            0 2 4 6 8 10 12 14     a base that is a multiple of 16
//   b - a                0 1 2 3 8 9 10 11      the same base: two records of four elements
//
// Kernels aimed at its conditions (tests/gen/aimed.def): records.
#include <string.h>

#include "backends/llvm/plan/find.h"
#include "backends/llvm/plan/group.h"

#define MAX_DISTANCE (1 << 20) // between lanes, in bytes or in units of an integer

// Lane l has base + at[l]. base is a multiple of 2^zeros.
struct pattern {
  int64_t at[KILN_LL_MAX_LANES];
  unsigned zeros;
};

// A pattern that comes from the operands of its value.
struct kiln_ll_pattern {
  uint32_t item_region; // the one in which the operands are at hand; 0: they are everywhere
  unsigned zeros;
  int64_t at[]; // by lane
};

struct search {
  const struct kiln_ll_fn *f;
  const struct kiln_ll_pattern **patterns; // by value; NULL: none, or of a value that comes later
};

static unsigned zeros_of(int64_t bits) { return bits ? (unsigned)__builtin_ctzll((uint64_t)bits) : 62; }

// Whether adding the distance changes no bit of the base.
static bool is_packed(const struct search *s, const struct pattern *p, unsigned zeros) {
  for (unsigned i = 0; i < s->f->form->lanes; i++)
    if (p->at[i] < 0 || p->at[i] >> zeros)
      return false;
  return true;
}

static bool is_near(const struct search *s, const struct pattern *p) {
  for (unsigned i = 0; i < s->f->form->lanes; i++)
    if (p->at[i] >= MAX_DISTANCE || p->at[i] <= -MAX_DISTANCE)
      return false;
  return true;
}

// Whether v is an id in dimension 0 that is a multiple of the lanes in the first lane.
static bool row_id_value(const struct search *s, kiln_value v) {
  const struct kiln_function *fn = s->f->fn;
  const struct kiln_inst *in = kiln_inst(fn, v);
  bool is_id = in->op == KILN_OP_LOCAL_ID || (in->op == KILN_OP_GLOBAL_ID && fn->counts_on_rows);
  return is_id && in->imm == 0 && kiln_ll_shape(s->f, v).kind == KILN_SHAPE_LINEAR;
}

// The largest known k such that the value in the first lane is a multiple of 2^k, if phi is a multiple of 2^of_phi: the
// least one of what the value is the sum of.
static unsigned known_zeros(const struct search *s, kiln_value v, kiln_value phi, unsigned of_phi) {
  const struct kiln_function *fn = s->f->fn;
  struct kiln_worklist *work = kiln_ll_worklist(s->f->ll, fn, v);
  unsigned least = zeros_of(0);
  while (kiln_worklist_take(work, &v)) {
    enum kiln_op op = kiln_op_of(kiln_inst(fn, v));
    bool is_sum =
        op == KILN_OP_IADD || op == KILN_OP_ISUB || op == KILN_OP_TRUNC || op == KILN_OP_ZEXT || op == KILN_OP_SEXT;
    unsigned zeros = v == phi             ? of_phi
                     : row_id_value(s, v) ? zeros_of(s->f->form->lanes)
                                          : zeros_of((int64_t)~kiln_known_zeros(fn, v));
    if (v != phi && is_sum)
      kiln_worklist_add_all(work, kiln_operands(fn, v), kiln_inst(fn, v)->operand_count);
    else
      least = zeros < least ? zeros : least;
  }
  return least;
}

// known_zeros for a loop counter in the uniform-loop version. Its loop has one continue, at the end.
static unsigned counted_zeros(const struct search *s, kiln_value v) {
  const struct kiln_function *fn = s->f->fn;
  uint32_t i;
  kiln_value loop = kiln_ll_header_of(fn, v, &i);
  if (!loop || !s->f->form->divergent[fn->insts[loop].node] || !kiln_ll_uniform_loop(s->f, loop))
    return 0;
  kiln_value next = fn->regions[kiln_node(fn, loop)->region_first].last;
  unsigned zeros = known_zeros(s, kiln_operands(fn, loop)[i], 0, 0), step;
  while ((step = known_zeros(s, kiln_operands(fn, next)[i], v, zeros)) < zeros)
    zeros = step;
  return zeros;
}

static bool leaf(const struct search *s, kiln_value v, int64_t stride, struct pattern *out) {
  int64_t bits;
  if (kiln_ll_constant(s->f->fn, v, &bits) && bits >= 0 && bits < MAX_DISTANCE) {
    out->zeros = zeros_of(0); // all of it is distance
    for (unsigned i = 0; i < s->f->form->lanes; i++)
      out->at[i] = bits;
    return true;
  }
  out->zeros = kiln_ll_constant(s->f->fn, v, &bits) ? zeros_of(bits) : counted_zeros(s, v);
  for (unsigned i = 0; i < s->f->form->lanes; i++)
    out->at[i] = i * stride;
  return stride < MAX_DISTANCE && stride > -MAX_DISTANCE;
}

static void row_id(const struct search *s, struct pattern *out) {
  out->zeros = zeros_of(s->f->form->lanes);
  for (unsigned i = 0; i < s->f->form->lanes; i++)
    out->at[i] = i;
}

// The pattern of v in an item region: from its operands if they are at hand there, else by its shape.
static bool pattern_in(const struct search *s, uint32_t item_region, kiln_value v, struct pattern *out) {
  const struct kiln_ll_pattern *known = s->patterns[v];
  struct kiln_shape shape = kiln_ll_shape(s->f, v);
  if (shape.kind == KILN_SHAPE_UNIFORM)
    return leaf(s, v, 0, out);
  if (known && (!known->item_region || known->item_region == item_region)) {
    out->zeros = known->zeros;
    memcpy(out->at, known->at, s->f->form->lanes * sizeof *known->at);
    return true;
  }
  return shape.kind == KILN_SHAPE_LINEAR && !s->f->form->conditional[v] && leaf(s, v, shape.stride, out);
}

// The item region in which v can be computed; 0: it can be in all item regions.
static uint32_t item_region_of(const struct search *s, kiln_value v) {
  const struct kiln_ll_group *g = s->f->group;
  return g && !g->recomputed[v] ? g->item_region[v] : 0;
}

// Whether what operand is computed from is at hand where v is computed.
static bool has_operands(const struct search *s, kiln_value v, kiln_value operand) {
  uint32_t item_region = item_region_of(s, operand);
  return !item_region || item_region == item_region_of(s, v);
}

// The pattern of an operand of v, where v is computed.
static bool find(const struct search *s, kiln_value v, kiln_value operand, struct pattern *out) {
  return pattern_in(s, item_region_of(s, v), operand, out);
}

static bool may_extend(const struct search *s, kiln_value v) {
  const struct kiln_function *fn = s->f->fn;
  enum kiln_op op = kiln_op_of(kiln_inst(fn, v));
  return (op == KILN_OP_ZEXT || op == KILN_OP_SEXT) &&
         kiln_kind_bits(kiln_type_kind(kiln_value_type(fn, kiln_operands(fn, v)[0]))) >= 32;
}

// in_bounds: all lanes access one object with v as the index.
static bool extend(const struct search *s, kiln_value v, bool in_bounds, struct pattern *out) {
  if (!find(s, v, kiln_operands(s->f->fn, v)[0], out))
    return false;
  if (!is_packed(s, out, out->zeros)) {
    // The lanes differ by no more than the object's size, and the extension of lane 0 gives that of the others.
    if (!in_bounds)
      return false;
    int64_t first = out->at[0];
    for (unsigned i = 0; i < s->f->form->lanes; i++)
      out->at[i] -= first;
    out->zeros = 0;
  }
  return true;
}

static bool with_constant(const struct search *s, enum kiln_op op, int64_t number, unsigned bits, struct pattern *p) {
  bool packed = is_packed(s, p, p->zeros);
  unsigned lanes = s->f->form->lanes, shift = (unsigned)number % bits;
  if (op == KILN_OP_AND) {
    if (!packed)
      return false;
    for (unsigned i = 0; i < lanes; i++)
      p->at[i] &= number;
    p->zeros = number >= 0 && number >> p->zeros == 0 ? 62 : p->zeros; // 62: the base is 0
    return true;
  }
  if (op == KILN_OP_LSHR) {
    if (!packed || p->zeros < shift)
      return false;
    for (unsigned i = 0; i < lanes; i++)
      p->at[i] >>= shift;
    p->zeros -= shift;
    return true;
  }
  if (op == KILN_OP_SHL)
    number = shift < 20 ? (int64_t)1 << shift : MAX_DISTANCE;
  if (number >= MAX_DISTANCE || number <= -MAX_DISTANCE)
    return false;
  for (unsigned i = 0; i < lanes; i++)
    p->at[i] *= number;
  p->zeros = p->zeros + zeros_of(number) > 62 ? 62 : p->zeros + zeros_of(number);
  return is_near(s, p);
}

// A constant is part of the distances where the other operand's base has no bits there, else it is part of the base.
static void settle(const struct search *s, struct pattern *constant, const struct pattern *other) {
  int64_t number = constant->at[0];
  bool fits = true;
  for (unsigned i = 0; i < s->f->form->lanes; i++) {
    if (constant->zeros != zeros_of(0) || constant->at[i] != number)
      return;
    fits &= other->at[i] >= 0 && (other->at[i] + number) >> other->zeros == 0;
  }
  if (fits)
    return;
  constant->zeros = zeros_of(number);
  memset(constant->at, 0, sizeof constant->at);
}

static bool combine(const struct search *s, enum kiln_op op, struct pattern *x, struct pattern *y) {
  settle(s, x, y);
  settle(s, y, x);
  unsigned zeros = x->zeros < y->zeros ? x->zeros : y->zeros;
  bool bitwise = op == KILN_OP_OR || op == KILN_OP_XOR;
  if (bitwise && (!is_packed(s, x, zeros) || !is_packed(s, y, zeros)))
    return false;
  for (unsigned i = 0; i < s->f->form->lanes; i++)
    x->at[i] = op == KILN_OP_IADD   ? x->at[i] + y->at[i]
               : op == KILN_OP_ISUB ? x->at[i] - y->at[i]
               : op == KILN_OP_OR   ? x->at[i] | y->at[i]
                                    : x->at[i] ^ y->at[i];
  x->zeros = zeros;
  return is_near(s, x);
}

// A sum that the source says to fit may be extended term by term.
static bool extend_sum(const struct search *s, kiln_value extension, struct pattern *out) {
  kiln_value sum = kiln_operands(s->f->fn, extension)[0];
  const struct kiln_inst *in = kiln_inst(s->f->fn, sum);
  const kiln_value *x = kiln_operands(s->f->fn, sum);
  struct pattern other;
  return (in->op == KILN_OP_IADD || in->op == KILN_OP_ISUB) && in->flags & KILN_INT_NSW &&
         has_operands(s, extension, sum) && find(s, sum, x[0], out) && find(s, sum, x[1], &other) &&
         is_packed(s, out, out->zeros) && is_packed(s, &other, other.zeros) && combine(s, kiln_op_of(in), out, &other);
}

// The pattern of an index into local memory. All lanes access one object.
static bool local_index(const struct search *s, kiln_value pointer, kiln_value index, struct pattern *out) {
  return kiln_ll_shape(s->f, index).kind != KILN_SHAPE_UNIFORM && may_extend(s, index) &&
         has_operands(s, pointer, index) && extend(s, index, true, out);
}

static bool pointer(const struct search *s, kiln_value v, struct pattern *out) {
  const struct kiln_inst *in = kiln_inst(s->f->fn, v);
  const kiln_value *x = kiln_operands(s->f->fn, v);
  struct pattern index;
  int64_t stride = (int64_t)in->imm;
  bool is_local = kiln_type_space(in->type) == KILN_LOCAL && kiln_ll_shape(s->f, x[0]).kind == KILN_SHAPE_UNIFORM;
  if (stride >= MAX_DISTANCE || stride <= -MAX_DISTANCE || !find(s, v, x[0], out) ||
      !((is_local && local_index(s, v, x[1], &index)) || find(s, v, x[1], &index)))
    return false;
  for (unsigned i = 0; i < s->f->form->lanes; i++)
    out->at[i] += index.at[i] * stride;
  out->zeros = 0;
  return is_near(s, out);
}

static bool from_operands(const struct search *s, kiln_value v, struct pattern *out) {
  const struct kiln_inst *in = kiln_inst(s->f->fn, v);
  const kiln_value *x = kiln_operands(s->f->fn, v);
  enum kiln_op op = kiln_op_of(in);
  unsigned bits = kiln_kind_bits(kiln_type_kind(in->type));
  struct pattern other;
  int64_t number;
  if (op == KILN_OP_PADD)
    return pointer(s, v, out);
  if (bits < 32)
    return false;
  switch (in->op) {
  case KILN_OP_ZEXT:
  case KILN_OP_SEXT:
    return may_extend(s, v) && (extend(s, v, false, out) || (op == KILN_OP_SEXT && extend_sum(s, v, out)));
  case KILN_OP_TRUNC:
    return find(s, v, x[0], out);
  case KILN_OP_AND:
  case KILN_OP_SHL:
  case KILN_OP_LSHR:
  case KILN_OP_IMUL:
    return kiln_ll_constant(s->f->fn, x[1], &number) && find(s, v, x[0], out) &&
           with_constant(s, op, number, bits, out);
  case KILN_OP_IADD:
  case KILN_OP_ISUB:
  case KILN_OP_OR:
  case KILN_OP_XOR:
    return find(s, v, x[0], out) && find(s, v, x[1], &other) && combine(s, op, out, &other);
  }
  return false;
}

static void find_pattern(const struct search *s, kiln_value v) {
  unsigned lanes = s->f->form->lanes;
  bool is_row_id = row_id_value(s, v);
  struct pattern found;
  if (kiln_inst(s->f->fn, v)->op == KILN_OP_LOCAL_ID ? !is_row_id : !is_row_id && !from_operands(s, v, &found))
    return;
  if (is_row_id)
    row_id(s, &found);
  struct kiln_ll_pattern *kept =
      kiln_arena_alloc(&s->f->ll->arena, sizeof *kept + lanes * sizeof *kept->at, _Alignof(struct kiln_ll_pattern));
  kept->item_region = is_row_id ? 0 : item_region_of(s, v);
  kept->zeros = found.zeros;
  memcpy(kept->at, found.at, lanes * sizeof *kept->at);
  s->patterns[v] = kept;
}

const struct kiln_ll_pattern **kiln_ll_find_patterns(const struct kiln_ll_fn *f) {
  const struct kiln_function *fn = f->fn;
  struct search s = {f, KILN_NEW_ARRAY(&f->ll->arena, const struct kiln_ll_pattern *, fn->inst_count)};
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_ll_next_within(fn, fn->body, v)) {
    kiln_type type = kiln_inst(fn, v)->type;
    if (kiln_ll_shape(f, v).kind != KILN_SHAPE_UNIFORM && kiln_type_lanes(type) == 1 &&
        (kiln_kind_is_int(kiln_type_kind(type)) || kiln_type_kind(type) == KILN_PTR))
      find_pattern(&s, v);
  }
  return s.patterns;
}

bool kiln_ll_find_distances(const struct kiln_ll_fn *f, const struct kiln_ll_pattern **patterns, kiln_value access,
                            int64_t at[KILN_LL_MAX_LANES]) {
  kiln_value address = kiln_operands(f->fn, access)[0];
  struct kiln_shape shape = kiln_ll_shape(f, address);
  struct search s = {f, patterns};
  struct pattern found;
  if (!(shape.kind == KILN_SHAPE_LINEAR
            ? leaf(&s, address, shape.stride, &found)
            : pattern_in(&s, f->group ? f->group->item_region[access] : 0, address, &found)))
    return false;
  for (unsigned i = 0; i < f->form->lanes; i++)
    at[i] = found.at[i] - found.at[0];
  return true;
}
