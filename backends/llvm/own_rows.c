// Kernels whose loops go along memory of each work-item's own, far from that of its neighbours: "a[id * n + k]".
#include "backends/llvm/spmd.h"

#define FAR_APART 256 // bytes, or elements, from lane to lane
#define MAX_ADDRESS_DEPTH 8
#define LOOP_WEIGHT 8     // rounds of a loop inside another
#define MAX_OPERATIONS 32 // in loops, per row that they fill
#define MIN_CHAIN 2       // operations of a round that wait for each other

static bool is_sum(enum kiln_op op) { return op == KILN_OP_PADD || op == KILN_OP_IADD || op == KILN_OP_ISUB; }

static bool extends(enum kiln_op op) { return op == KILN_OP_SEXT || op == KILN_OP_ZEXT; }

static bool is_far_apart(const struct kiln_function *fn, kiln_value v, unsigned depth);

static bool is_multiple(const struct kiln_function *fn, kiln_value v, kiln_value factor, unsigned depth) {
  return fn->shapes[factor].kind == KILN_SHAPE_UNIFORM &&
         (fn->shapes[v].kind == KILN_SHAPE_LINEAR || is_far_apart(fn, v, depth + 1));
}

// Whether a place grows from lane to lane by a factor that is not known, or is large.
static bool is_far_apart(const struct kiln_function *fn, kiln_value v, unsigned depth) {
  const struct kiln_inst *in = &fn->insts[v];
  const kiln_value *x = kiln_operands(fn, v);
  enum kiln_op op = (enum kiln_op)in->op;
  if (fn->shapes[v].kind == KILN_SHAPE_LINEAR)
    return fn->shapes[v].stride >= FAR_APART || fn->shapes[v].stride <= -FAR_APART;
  if (fn->shapes[v].kind != KILN_SHAPE_VARYING || depth == MAX_ADDRESS_DEPTH)
    return false;
  if (op == KILN_OP_IMUL)
    return is_multiple(fn, x[0], x[1], depth) || is_multiple(fn, x[1], x[0], depth);
  return ((is_sum(op) || extends(op) || op == KILN_OP_TRUNC) && is_far_apart(fn, x[0], depth + 1)) ||
         (is_sum(op) && is_far_apart(fn, x[1], depth + 1));
}

bool kiln_ll_is_rest(const struct kiln_function *fn, kiln_value v) {
  if (fn->insts[v].op != KILN_OP_LOOP || kiln_node(fn, v)->unroll != 1)
    return false;
  for (uint32_t i = 0; i < fn->insts[v].operand_count; i++) {
    const struct kiln_inst *first = &fn->insts[kiln_operands(fn, v)[i]];
    if (first->op == KILN_OP_PHI && fn->insts[first->imm].region == fn->insts[v].region)
      return true;
  }
  return false;
}

bool kiln_ll_is_in_rest(const struct kiln_function *fn, kiln_value v) {
  for (v = fn->regions[fn->insts[v].region].owner; v; v = fn->regions[fn->insts[v].region].owner)
    if (kiln_ll_is_rest(fn, v))
      return true;
  return false;
}

static bool is_access(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *in = &fn->insts[v];
  return in->region && (in->op == KILN_OP_LOAD || in->op == KILN_OP_STORE) && !kiln_ll_is_in_rest(fn, v);
}

static kiln_value loop_of(const struct kiln_function *fn, kiln_value v) {
  for (v = fn->regions[fn->insts[v].region].owner; v && fn->insts[v].op != KILN_OP_LOOP;)
    v = fn->regions[fn->insts[v].region].owner;
  return v;
}

bool kiln_ll_walks_own_rows(const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->shape_count; v++)
    if (is_access(fn, v) && is_far_apart(fn, kiln_operands(fn, v)[0], 0) && loop_of(fn, v))
      return true;
  return false;
}

static kiln_value root(const struct kiln_function *fn, kiln_value pointer) {
  while (fn->insts[pointer].op == KILN_OP_PADD)
    pointer = kiln_operands(fn, pointer)[0];
  return pointer;
}

bool kiln_ll_reads_one_own_row(const struct kiln_function *fn) {
  kiln_value only = 0;
  for (kiln_value v = 1; v < fn->shape_count; v++) {
    kiln_value place = is_access(fn, v) && loop_of(fn, v) ? kiln_operands(fn, v)[0] : 0;
    if (!place || !is_far_apart(fn, place, 0))
      continue;
    if (fn->insts[v].op == KILN_OP_STORE || (only && only != root(fn, place)))
      return false;
    only = root(fn, place);
  }
  return only != 0;
}

bool kiln_ll_gathers_own_rows(const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->shape_count; v++) {
    kiln_value loop = is_access(fn, v) ? loop_of(fn, v) : 0;
    if (loop && kiln_node(fn, loop)->unroll != 1 && is_far_apart(fn, kiln_operands(fn, v)[0], 0)) // 1: by quads
      return true;
  }
  return false;
}

// ---- rows that are filled

// Whether the value has the counter of the loop as a term.
static bool counts(const struct kiln_function *fn, kiln_value loop, kiln_value v, unsigned depth) {
  const struct kiln_inst *in = &fn->insts[v];
  const kiln_value *x = kiln_operands(fn, v);
  if (in->op == KILN_OP_PHI)
    return in->imm == loop;
  if (depth == MAX_ADDRESS_DEPTH || !(is_sum((enum kiln_op)in->op) || extends((enum kiln_op)in->op)))
    return false;
  return counts(fn, loop, x[0], depth + 1) || (is_sum((enum kiln_op)in->op) && counts(fn, loop, x[1], depth + 1));
}

static bool is_slow(enum kiln_op op) {
  return op == KILN_OP_FDIV || op == KILN_OP_SQRT || op == KILN_OP_UDIV || op == KILN_OP_SDIV || op == KILN_OP_UREM ||
         op == KILN_OP_SREM;
}

static bool fills_row(const struct kiln_function *fn, kiln_value v, kiln_value loop) {
  kiln_value place = fn->insts[v].op == KILN_OP_STORE ? kiln_operands(fn, v)[0] : 0;
  return place && fn->insts[place].op == KILN_OP_PADD && is_far_apart(fn, place, 0) && counts(fn, loop, place, 0);
}

// Whether a loop loads from the same array as it fills, but from another place: an element that hangs on one that was
// stored before takes its time after it.
static bool hangs_on_its_rows(const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->shape_count; v++) {
    kiln_value loop = is_access(fn, v) ? loop_of(fn, v) : 0;
    if (!loop || !fills_row(fn, v, loop))
      continue;
    kiln_value place = kiln_operands(fn, v)[0];
    for (kiln_value load = 1; load < fn->shape_count; load++) {
      if (fn->insts[load].op != KILN_OP_LOAD || !is_access(fn, load) || loop_of(fn, load) != loop)
        continue;
      kiln_value from = kiln_operands(fn, load)[0];
      if (from != place && root(fn, from) == root(fn, place))
        return true;
    }
  }
  return false;
}

// Floating-point operations that lead from what the round began with to the value, one after another; -1: none does.
static int chain_to(const struct kiln_function *fn, kiln_value loop, kiln_value v, unsigned depth) {
  const struct kiln_inst *in = &fn->insts[v];
  if (in->op == KILN_OP_PHI)
    return in->imm == loop ? 0 : -1;
  if (depth == MAX_ADDRESS_DEPTH || !in->region || kiln_op_table[in->op].effect != KILN_EFFECT_PURE)
    return -1;
  int longest = -1;
  for (uint32_t i = 0; i < in->operand_count; i++) {
    int length = chain_to(fn, loop, kiln_operands(fn, v)[i], depth + 1);
    longest = length > longest ? length : longest;
  }
  return longest < 0 ? -1 : longest + kiln_kind_is_float(kiln_type_kind(in->type));
}

// Whether a loop that fills rows waits in each round for two operations of the one before, such as a recursive filter:
// other work-items go on meanwhile.
static bool hangs_on_rounds(const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->shape_count; v++) {
    kiln_value loop = is_access(fn, v) ? loop_of(fn, v) : 0;
    if (!loop || !fills_row(fn, v, loop))
      continue;
    for (kiln_value next = 1; next < fn->shape_count; next++)
      for (uint32_t i = 0; fn->insts[next].op == KILN_OP_CONTINUE && fn->insts[next].imm == loop &&
                           fn->insts[next].region && i < fn->insts[next].operand_count; i++)
        if (chain_to(fn, loop, kiln_operands(fn, next)[i], 0) >= MIN_CHAIN)
          return true;
  }
  return false;
}

struct work { // what loops do
  uint64_t operations, rows;
  bool is_slow, shares; // rows that neighbours share
};

// How often the innermost loop around a value runs for one round of the outermost.
static unsigned rounds_of(const struct kiln_function *fn, kiln_value loop) {
  unsigned rounds = 1;
  while ((loop = loop_of(fn, loop)) && rounds < UINT16_MAX)
    rounds *= LOOP_WEIGHT;
  return rounds;
}

// A sum of a product, which is one operation where the machine has FMA: kernels go the same way on all.
static bool is_fused(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *in = &fn->insts[v];
  if (in->op != KILN_OP_FADD && in->op != KILN_OP_FSUB)
    return false;
  const kiln_value *x = kiln_operands(fn, v);
  return fn->insts[x[0]].op == KILN_OP_FMUL || fn->insts[x[1]].op == KILN_OP_FMUL;
}

static void look_at(const struct kiln_function *fn, kiln_value v, kiln_value loop, struct work *work) {
  const struct kiln_inst *in = &fn->insts[v];
  bool computes = kiln_op_table[in->op].effect == KILN_EFFECT_PURE && in->op != KILN_OP_PADD && !is_fused(fn, v);
  unsigned rounds = rounds_of(fn, loop);
  work->operations += computes && fn->shapes[v].kind == KILN_SHAPE_VARYING ? rounds : 0;
  work->is_slow |= is_slow((enum kiln_op)in->op);
  work->shares |= in->op == KILN_OP_LOAD && fn->shapes[kiln_operands(fn, v)[0]].kind == KILN_SHAPE_LINEAR;
  work->rows += fills_row(fn, v, loop) ? rounds : 0;
}

bool kiln_ll_fills_own_rows(const struct kiln_function *fn) {
  struct work work = {0};
  for (kiln_value v = 1; v < fn->shape_count; v++) {
    kiln_value loop = fn->insts[v].region ? loop_of(fn, v) : 0;
    if (loop && !kiln_ll_is_in_rest(fn, v))
      look_at(fn, v, loop, &work);
  }
  return work.rows && !work.shares && work.operations <= MAX_OPERATIONS * work.rows &&
         !(work.is_slow && hangs_on_its_rows(fn)) && !hangs_on_rounds(fn);
}
