// Operations between work-items: which work-items run one together, and what it gives them.
//
// Work-items of a sub-group run an operation together when they wait at it in the same call and the same iteration of
// every loop around it. Of the operations that some wait at, the first in program order runs first (an earlier
// iteration before a later one), which gives those that are after the chance to arrive: so control flow comes together
// as early as its structure allows. Operations of a whole group are barriers: launch.c sees to it that all have
// arrived.
#include "backends/interp/interp.h"
#include "kiln/op_cases.h"

#include <string.h>

// ---- who runs together

static const struct interp_frame *top(const struct interp_item *item) { return &item->frames[item->depth - 1]; }

static bool is_inside(const struct interp_loop *loop, uint32_t pc) { return pc >= loop->first && pc < loop->end; }

// The order of the places where two work-items wait, iterations of loops included: negative when a comes first.
static int compare_places(const struct interp_item *a, const struct interp_item *b) {
  for (uint32_t depth = 0; depth < a->depth && depth < b->depth; depth++) {
    const struct interp_frame *x = &a->frames[depth], *y = &b->frames[depth];
    // Loops are listed in program order, outer ones before inner ones. Frames point after what they wait at.
    for (uint32_t i = 0; i < x->fn->loop_count; i++) {
      const struct interp_loop *loop = &x->fn->loops[i];
      if (!is_inside(loop, x->pc - 1) || !is_inside(loop, y->pc - 1))
        continue;
      uint64_t m = x->words[loop->counter], n = y->words[loop->counter];
      if (m != n)
        return m < n ? -1 : 1;
    }
    if (x->pc != y->pc)
      return x->pc < y->pc ? -1 : 1;
  }
  return 0;
}

static bool is_of_group(const struct interp_inst *inst) {
  return inst->code == CODE_CROSS && kiln_collective_scope(inst->imm) == KILN_SCOPE_GROUP;
}

static bool waits_for_sub_group(const struct interp_item *item) {
  return item->barrier && item->barrier->code == CODE_CROSS && !is_of_group(item->barrier);
}

// ---- values of those who run together, by number in the sub-group or group

struct slot {
  bool is_on;
  uint64_t bits, undefined; // the latter: which of the former
};

struct exchange {
  struct interp_worker *worker;
  const struct interp_inst *inst;
  kiln_type type;            // of the value that is exchanged
  struct interp_item *items; // the first of the sub-group or group
  uint32_t count;
  struct slot slots[INTERP_MAX_GROUP];
};

static bool combine(const struct exchange *x, struct slot *into, const struct slot *with) {
  if (!with->is_on)
    return true;
  if (!into->is_on) {
    *into = *with;
    return true;
  }
  union kiln_lanes values[2] = {{{into->bits}}, {{with->bits}}}, result;
  const union kiln_lanes *operands[2] = {&values[0], &values[1]};
  const kiln_type types[2] = {x->type, x->type};
  if (!kiln_eval(kiln_reduce_op((enum kiln_reduce)x->inst->flags), x->type, 0, 0, NULL, types, operands, 2, &result))
    return false;
  into->undefined = into->undefined | with->undefined ? interp_mask(kiln_kind_bits(kiln_type_kind(x->type))) : 0;
  into->bits = result.bits[0];
  return true;
}

// What an exclusive scan begins with.
static uint64_t identity(enum kiln_reduce reduce, enum kiln_kind kind) {
  static const uint64_t one[] = {[KILN_F16] = 0x3c00, [KILN_F32] = 0x3f800000, [KILN_F64] = 0x3ff0000000000000};
  static const uint64_t infinity[] = {[KILN_F16] = 0x7c00, [KILN_F32] = 0x7f800000, [KILN_F64] = 0x7ff0000000000000};
  unsigned bits = kiln_kind_bits(kind);
  switch (reduce) {
  case KILN_REDUCE_ADD:
  case KILN_REDUCE_OR:
  case KILN_REDUCE_XOR:
  case KILN_REDUCE_UMAX:
  case KILN_REDUCE_FADD:
  case KILN_REDUCE_COUNT:
    return 0;
  case KILN_REDUCE_MUL:
    return 1;
  case KILN_REDUCE_AND:
  case KILN_REDUCE_UMIN:
    return interp_mask(bits);
  case KILN_REDUCE_SMIN:
    return interp_mask(bits - 1);
  case KILN_REDUCE_SMAX:
    return (uint64_t)1 << (bits - 1);
  case KILN_REDUCE_FMUL:
    return one[kind];
  case KILN_REDUCE_FMIN:
    return infinity[kind];
  case KILN_REDUCE_FMAX:
    return infinity[kind] | (uint64_t)1 << (bits - 1);
  }
  return 0;
}

// Pairs at distance 1, then pairs of pairs, and so on; the result is in the slots of all.
static bool reduce(struct exchange *x) {
  uint32_t size = kiln_collective_cluster(x->inst->imm) ? kiln_collective_cluster(x->inst->imm) : INTERP_MAX_GROUP;
  for (uint32_t distance = 1; distance < size && distance < x->count; distance *= 2)
    for (uint32_t i = 0; i < x->count; i += 2 * distance)
      if (i + distance < x->count && !combine(x, &x->slots[i], &x->slots[i + distance]))
        return false;
  for (uint32_t i = 0; i < x->count; i++)
    x->slots[i] = x->slots[i / size * size];
  return true;
}

// At each distance 1, 2, 4, … every slot takes in the one so far before it.
static bool scan(struct exchange *x) {
  for (uint32_t distance = 1; distance < x->count; distance *= 2)
    for (uint32_t i = x->count; i-- > distance;) {
      struct slot sum = x->slots[i - distance];
      if (!combine(x, &sum, &x->slots[i]))
        return false;
      x->slots[i] = sum;
    }
  return true;
}

static bool scan_exclusive(struct exchange *x) {
  memmove(&x->slots[1], &x->slots[0], (x->count - 1) * sizeof *x->slots);
  enum kiln_kind kind = kiln_type_kind(x->type);
  x->slots[0] = (struct slot){true, identity((enum kiln_reduce)x->inst->flags, kind), 0};
  return scan(x);
}

static void vote(struct exchange *x) {
  bool all = true, any = false, undefined = false;
  uint64_t ballot = 0;
  for (uint32_t i = 0; i < x->count; i++) {
    if (!x->slots[i].is_on)
      continue;
    undefined |= x->slots[i].undefined != 0;
    all &= (x->slots[i].bits & 1) != 0;
    any |= (x->slots[i].bits & 1) != 0;
    if (i < 64)
      ballot |= (x->slots[i].bits & 1) << i;
  }
  uint64_t bits = x->inst->op == KILN_OP_GROUP_ALL ? all : x->inst->op == KILN_OP_GROUP_ANY ? any : ballot;
  for (uint32_t i = 0; i < x->count; i++)
    x->slots[i] = (struct slot){true, bits, undefined ? interp_mask(x->inst->bits) : 0};
}

static const uint64_t *operand_of(const struct exchange *x, uint32_t index, uint32_t ref) {
  return interp_ref(x->worker, top(&x->items[index])->words, ref);
}

// The value of the slot that each names, undefined when nobody is there.
static bool pick(struct exchange *x, const bool *takes_part) {
  const struct slot nobody = {true, 0, interp_mask(x->inst->bits)};
  struct slot from[INTERP_MAX_GROUP];
  memcpy(from, x->slots, x->count * sizeof *from);
  const uint64_t *first = NULL;
  for (uint32_t i = 0; i < x->count; i++) {
    if (!takes_part[i])
      continue;
    const uint64_t *id = operand_of(x, i, x->inst->b);
    if (x->inst->op == KILN_OP_GROUP_BROADCAST && first && !first[0] && !id[0] && first[1] != id[1])
      return kiln_interp_fail(x->worker, &x->items[i], x->inst,
                              "asks for the value of %llu, while others that run this broadcast ask for that of %llu",
                              (unsigned long long)id[1], (unsigned long long)first[1]);
    first = id;
    bool known = !id[0] && id[1] < x->count && from[id[1]].is_on;
    x->slots[i] = known ? from[id[1]] : nobody;
  }
  return true;
}

static bool compute(struct exchange *x, const bool *takes_part) {
  switch ((enum kiln_op)x->inst->op) {
  case KILN_OP_SUB_GROUP_BARRIER:
    return true;
  case KILN_OP_GROUP_ALL:
  case KILN_OP_GROUP_ANY:
  case KILN_OP_SUB_GROUP_BALLOT:
    vote(x);
    return true;
  case KILN_OP_GROUP_BROADCAST:
  case KILN_OP_SUB_GROUP_SHUFFLE:
    return pick(x, takes_part);
  case KILN_OP_GROUP_REDUCE:
    return reduce(x);
  case KILN_OP_GROUP_SCAN_INCLUSIVE:
    return scan(x);
  case KILN_OP_GROUP_SCAN_EXCLUSIVE:
    return scan_exclusive(x);
  case KILN_OP_BARRIER:
    KILN_CASES_BUT_GROUP break;
  }
  return false;
}

static bool run(struct interp_worker *worker, uint32_t first, uint32_t count, const bool *takes_part) {
  struct exchange x = {.worker = worker, .items = &worker->items[first], .count = count};
  const struct interp_item *leader = NULL;
  for (uint32_t i = 0; i < count; i++)
    if (takes_part[i])
      leader = leader ? leader : &x.items[i];
  x.inst = leader->barrier;
  const struct kiln_function *fn = top(leader)->fn->fn;
  bool has_result = x.inst->op != KILN_OP_SUB_GROUP_BARRIER;
  if (has_result)
    x.type = kiln_value_type(fn, kiln_operands(fn, x.inst->value)[0]);
  for (uint32_t i = 0; i < count && has_result; i++)
    if (takes_part[i]) {
      const uint64_t *value = operand_of(&x, i, x.inst->a);
      x.slots[i] = (struct slot){true, value[1], interp_undefined(value, 1, 0)};
    }
  if (!compute(&x, takes_part)) {
    if (!worker->status)
      kiln_interp_fail(worker, leader, x.inst, "does an operation that the interpreter cannot evaluate");
    return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (!takes_part[i])
      continue;
    uint64_t *dst = top(&x.items[i])->words + x.inst->dst;
    if (has_result) {
      dst[0] = 0;
      dst[1] = x.slots[i].bits;
      interp_set_undefined(dst, 1, 0, x.slots[i].undefined);
    }
    x.items[i].barrier = NULL;
  }
  return true;
}

bool kiln_interp_cross_sub_groups(struct interp_worker *worker, uint32_t count, bool *progress) {
  uint32_t size = worker->warp_size;
  *progress = false;
  for (uint32_t first = 0; first < count; first += size) {
    const struct interp_item *items = &worker->items[first], *leader = NULL;
    uint32_t members = count - first < size ? count - first : size;
    bool takes_part[KILN_MAX_WARP_SIZE];
    for (uint32_t i = 0; i < members; i++)
      if (waits_for_sub_group(&items[i]) && (!leader || compare_places(&items[i], leader) < 0))
        leader = &items[i];
    if (!leader)
      continue;
    for (uint32_t i = 0; i < members; i++)
      takes_part[i] = waits_for_sub_group(&items[i]) && compare_places(&items[i], leader) == 0;
    if (!run(worker, first, members, takes_part))
      return false;
    *progress = true;
  }
  return true;
}

bool kiln_interp_cross_group(struct interp_worker *worker, const struct interp_item *item, uint32_t count) {
  bool takes_part[INTERP_MAX_GROUP];
  for (uint32_t i = 0; i < count; i++) {
    takes_part[i] = true;
    if (!worker->items[i].done)
      continue;
    char id[100];
    kiln_interp_id(worker, &worker->items[i], id, sizeof id);
    return kiln_interp_fail(worker, item, item->barrier,
                            "waits for an exchange with all of its group, from which %s has returned", id);
  }
  return run(worker, 0, count, takes_part);
}
