// Work-items that wait for each other: barriers of the block, and exchanges within a warp.
#include "tests/cuda/emulator/parse.h"

// ---- barriers

enum { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR }; // in instruction.mode

// Values of all that are at a barrier, combined.
static uint64_t reduce_predicates(const struct machine *m, uint32_t number, unsigned mode) {
  uint32_t count = 0, all = 0;
  for (uint32_t i = 0; i < m->item_count; i++) {
    const struct item *item = &m->items[i];
    if (item->state != STATE_AT_BARRIER || item->barrier != number)
      continue;
    const struct instruction *in = item_instruction(item);
    all++;
    count += (item->r[in->from[2]] & 1) != in->negates;
  }
  return mode == BARRIER_POPC ? count : mode == BARRIER_AND ? count == all : count > 0;
}

// Work-items of one warp come to the same aligned barrier, and all that meet want the same of it.
static bool check_meeting(struct machine *m, uint32_t number) {
  const struct item *first = NULL, *of_warp = NULL;
  for (uint32_t i = 0; i < m->item_count; i++) {
    struct item *item = &m->items[i];
    if (item->lane == 0)
      of_warp = NULL;
    if (item->state != STATE_AT_BARRIER || item->barrier != number)
      continue;
    const struct instruction *in = item_instruction(item);
    if (of_warp && in != item_instruction(of_warp) && in->memory.count) {
      item_fail(item, PTX_MISUSE, "another work-item of the warp is at the barrier of line %u",
                item_instruction(of_warp)->line);
      return false;
    }
    if (first && (in->mode != item_instruction(first)->mode || item->barrier_size != first->barrier_size)) {
      item_fail(item, PTX_MISUSE, "another work-item is at the barrier of line %u, which is of another kind",
                item_instruction(first)->line);
      return false;
    }
    of_warp = item;
    first = first ? first : item;
  }
  return true;
}

// How many count as arrived at a barrier for so many: whole warps, with those of their work-items that have ended.
static uint32_t arrived(const struct machine *m, uint32_t number) {
  uint32_t count = m->arrivals[number];
  for (uint32_t begin = 0; begin < m->item_count; begin += WARP) {
    uint32_t here = 0, ended = 0;
    for (uint32_t i = begin; i < begin + WARP; i++) {
      bool exists = i < m->item_count && m->items[i].state != STATE_ENDED;
      ended += !exists;
      here += exists && m->items[i].state == STATE_AT_BARRIER && m->items[i].barrier == number;
    }
    count += here ? here + ended : 0;
  }
  return count;
}

static void try_barrier(struct machine *m, uint32_t number, uint32_t size) {
  if (size) {
    if (arrived(m, number) < size)
      return;
  } else {
    uint32_t waiting = m->arrivals[number];
    for (uint32_t i = 0; i < m->item_count; i++)
      waiting += m->items[i].state == STATE_AT_BARRIER && m->items[i].barrier == number;
    if (waiting + m->ended < m->item_count)
      return;
  }
  if (!check_meeting(m, number))
    return;
  m->arrivals[number] = 0;
  uint64_t results[3];
  for (unsigned mode = BARRIER_POPC; mode <= BARRIER_OR; mode++)
    results[mode - BARRIER_POPC] = reduce_predicates(m, number, mode);
  for (uint32_t i = 0; i < m->item_count; i++) {
    struct item *item = &m->items[i];
    if (item->state != STATE_AT_BARRIER || item->barrier != number)
      continue;
    const struct instruction *in = item_instruction(item);
    if (in->mode >= BARRIER_POPC)
      item->r[in->to[0]] = results[in->mode - BARRIER_POPC];
    item_resume(item);
  }
}

static void run_barrier(struct item *item, struct instruction *in) {
  struct machine *m = item->machine;
  uint32_t number = (uint32_t)item->r[in->from[0]], size = in->count ? (uint32_t)item->r[in->from[1]] : 0;
  if (number >= BARRIERS || size % WARP || size > 1024 || (in->count && !size)) {
    item_fail(item, PTX_MISUSE, "barrier %u for %u work-items", number, size);
    return;
  }
  item->barrier = number;
  item->barrier_size = size;
  m->counts_arrivals |= size != 0;
  if (in->mode == BARRIER_ARRIVE)
    m->arrivals[number]++;
  else
    item_wait(item, STATE_AT_BARRIER);
  if (size || !m->runnable ||
      in->mode == BARRIER_ARRIVE) // before the last one comes, only the others could be waited for
    try_barrier(m, number, size);
}

// ---- warps

struct exchange {
  uint32_t present; // those of the mask that have not ended
  uint64_t values[WARP];
};

static struct item *item_of_lane(const struct item *item, uint32_t lane) {
  uint32_t number = item->warp * WARP + lane;
  return number < item->machine->item_count ? &item->machine->items[number] : NULL;
}

static bool same_operation(const struct item *item, const struct item *other) {
  const struct instruction *a = item_instruction(item), *b = item_instruction(other);
  return a == b || (item->machine->launch->sm >= 70 && a->u.exchange == b->u.exchange && a->mode == b->mode);
}

static void try_exchange(struct item *item) {
  struct exchange all = {0};
  for (uint32_t lane = 0; lane < WARP; lane++) {
    const struct item *other = item_of_lane(item, lane);
    if (!(item->wait_mask >> lane & 1) || !other || other->state == STATE_ENDED)
      continue;
    if (other->state != STATE_IN_WARP || other->wait_mask != item->wait_mask || !same_operation(item, other))
      return;
    all.present |= UINT32_C(1) << lane;
    all.values[lane] = other->r[item_instruction(other)->from[0]];
  }
  for (uint32_t lane = 0; lane < WARP; lane++) {
    if (!(all.present >> lane & 1))
      continue;
    struct item *other = item_of_lane(item, lane);
    struct instruction *in = item_instruction(other);
    if (in->u.exchange)
      in->u.exchange(other, in, &all);
    item_resume(other);
  }
}

// The mask is the source behind those of the operation.
static void run_exchange(struct item *item, struct instruction *in) {
  item->wait_mask = (uint32_t)item->r[in->from[in->count]];
  if (!(item->wait_mask >> item->lane & 1)) {
    item_fail(item, PTX_MISUSE, "the mask %#x does not have lane %u itself", item->wait_mask, item->lane);
    return;
  }
  item_wait(item, STATE_IN_WARP);
  try_exchange(item);
}

void end_waits(struct item *item) {
  struct machine *m = item->machine;
  if (m->runnable + m->ended == m->item_count)
    return; // no other one waits
  for (uint32_t lane = 0; lane < WARP; lane++) {
    struct item *other = item_of_lane(item, lane);
    if (other && other->state == STATE_IN_WARP)
      try_exchange(other);
  }
  for (uint32_t i = 0; i < m->item_count && (m->counts_arrivals || !m->runnable); i++)
    if (m->items[i].state == STATE_AT_BARRIER)
      try_barrier(m, m->items[i].barrier, m->items[i].barrier_size);
}

// ---- what is exchanged

enum { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX };

static void shuffle(struct item *item, struct instruction *in, const struct exchange *all) {
  uint32_t b = (uint32_t)item->r[in->from[1]] & 31, c = (uint32_t)item->r[in->from[2]];
  uint32_t segment = c >> 8 & 31, last = (item->lane & segment) | (c & 31 & ~segment);
  int32_t lane = (int32_t)item->lane, from = lane;
  switch (in->mode) {
  case SHUFFLE_UP:
    from = lane - (int32_t)b;
    break;
  case SHUFFLE_DOWN:
    from = lane + (int32_t)b;
    break;
  case SHUFFLE_BUTTERFLY:
    from = lane ^ (int32_t)b;
    break;
  default:
    from = (int32_t)((item->lane & segment) | (b & ~segment));
  }
  bool inside = in->mode == SHUFFLE_UP ? from >= (int32_t)last : from <= (int32_t)last;
  if (!inside)
    from = lane;
  // What a lane has that takes no part is undefined.
  uint64_t value = all->present >> from & 1 ? all->values[from] : item->machine->garbage & UINT32_MAX;
  item->r[in->to[0]] = value & UINT32_MAX;
  item->r[in->to[1]] = inside;
}

enum { VOTE_ALL, VOTE_ANY, VOTE_UNIFORM, VOTE_BALLOT };

static void vote(struct item *item, struct instruction *in, const struct exchange *all) {
  uint32_t yes = 0;
  for (uint32_t lane = 0; lane < WARP; lane++)
    if (all->present >> lane & 1)
      yes |= (uint32_t)((all->values[lane] & 1) != item_instruction(item_of_lane(item, lane))->negates) << lane;
  bool results[3] = {yes == all->present, yes != 0, yes == 0 || yes == all->present};
  item->r[in->to[0]] = in->mode == VOTE_BALLOT ? yes : results[in->mode];
}

enum { MATCH_ANY, MATCH_ALL };

static void match(struct item *item, struct instruction *in, const struct exchange *all) {
  uint32_t same = 0;
  for (uint32_t lane = 0; lane < WARP; lane++)
    if (all->present >> lane & 1 && all->values[lane] == all->values[item->lane])
      same |= UINT32_C(1) << lane;
  bool is_all = same == all->present;
  item->r[in->to[0]] = in->mode == MATCH_ANY || is_all ? same : 0;
  item->r[in->to[1]] = is_all;
}

static const struct {
  const char *name;
  enum type type;
} reductions[] = {{"add", T_U32}, {"add", T_S32}, {"min", T_U32}, {"min", T_S32}, {"max", T_U32},
                  {"max", T_S32}, {"and", T_B32}, {"or", T_B32},  {"xor", T_B32}};

static uint32_t combine(unsigned mode, uint32_t a, uint32_t b) {
  bool is_signed = reductions[mode].type == T_S32, less = is_signed ? (int32_t)a < (int32_t)b : a < b;
  switch (mode) {
  case 0:
  case 1:
    return a + b;
  case 2:
  case 3:
    return less ? a : b;
  case 4:
  case 5:
    return less ? b : a;
  case 6:
    return a & b;
  case 7:
    return a | b;
  default:
    return a ^ b;
  }
}

static void reduce(struct item *item, struct instruction *in, const struct exchange *all) {
  uint32_t result = 0, count = 0;
  for (uint32_t lane = 0; lane < WARP; lane++)
    if (all->present >> lane & 1)
      result = count++ ? combine(in->mode, result, (uint32_t)all->values[lane]) : (uint32_t)all->values[lane];
  item->r[in->to[0]] = result;
}

// The lanes that are here too, or some of them: nothing makes a warp stay together.
static void run_activemask(struct item *item, struct instruction *in) {
  struct machine *m = item->machine;
  uint32_t mask = UINT32_C(1) << item->lane;
  for (uint32_t lane = 0; lane < WARP && !in->guard; lane++) {
    const struct item *other = item_of_lane(item, lane);
    if (other && other->state == STATE_RUNS && other->pc == in && other->frame->depth == item->frame->depth &&
        (!m->launch->seed || next_random(m) & 1))
      mask |= UINT32_C(1) << lane;
  }
  for (uint32_t lane = 0; lane < WARP; lane++) {
    struct item *other = item_of_lane(item, lane);
    if (!(mask >> lane & 1))
      continue;
    other->r[in->to[0]] = mask;
    other->pc = in + 1;
  }
}

// ---- decoding

void decode_barrier(struct parser *p, const struct form *form, struct instruction *in) {
  static const char *const operations[] = {"sync", "arrive", "popc", "and", "or"};
  bool is_old = !strcmp(form->base, "bar");
  if (is_old && part_is(form, 0, "warp") && part_is(form, 1, "sync") && form->count == 2) {
    need(p, form, 60, 30);
    in->from[0] = read_source(p, T_U32, OPERAND_EXACT);
    in->run = run_exchange;
    return;
  }
  uint32_t i = part_is(form, 0, "cta");
  if (i)
    need(p, form, 78, 30);
  bool reduces = part_is(form, i, "red");
  i += reduces;
  while (in->mode < 5 && !part_is(form, i, operations[in->mode]))
    in->mode++;
  i++;
  bool is_aligned = part_is(form, i, "aligned");
  i += is_aligned;
  bool has_type = reduces && part_is(form, i, in->mode == BARRIER_POPC ? "u32" : "pred");
  if (in->mode == 5 || reduces != (in->mode >= BARRIER_POPC) || reduces != has_type || i + has_type != form->count) {
    unknown_operation(p, form);
    return;
  }
  in->memory.count = is_old || is_aligned; // whether warps come together
  in->run = run_barrier;
  if (reduces) {
    read_target(p, in, 0, in->mode == BARRIER_POPC ? T_U32 : T_PRED, OPERAND_EXACT);
    expect(p, ",");
  }
  if (p->token.kind == TOKEN_INTEGER && p->token.bits >= BARRIERS)
    parser_fail(p, PTX_SYNTAX, "there is no barrier %llu", (unsigned long long)p->token.bits);
  in->from[0] = read_source(p, T_U32, OPERAND_EXACT);
  for (; !p->failed && take(p, ",");) {
    // a number of work-items; in the end of a reduction, a predicate
    uint32_t slot;
    const struct symbol *symbol =
        p->token.kind == TOKEN_WORD ? find_symbol(p, p->token.text, p->token.size, &slot) : NULL;
    if (reduces && (token_is(p, "!") || (symbol && symbol->type == T_PRED))) {
      in->from[2] = read_predicate(p, in);
      break;
    }
    in->from[1] = read_source(p, T_U32, OPERAND_EXACT);
    in->count = 1;
  }
  if (in->mode == BARRIER_ARRIVE && !in->count)
    parser_fail(p, PTX_SYNTAX, "%.*s: without a number of work-items", (int)form->size, form->text);
}

static void read_mask(struct parser *p, struct instruction *in, unsigned index) {
  expect(p, ",");
  in->count = (uint8_t)index;
  in->from[index] = read_source(p, T_U32, OPERAND_EXACT);
}

void decode_shfl(struct parser *p, const struct form *form, struct instruction *in) {
  static const char *const modes[] = {"up", "down", "bfly", "idx"};
  while (in->mode < 4 && !part_is(form, 1, modes[in->mode]))
    in->mode++;
  if (form->count != 3 || !part_is(form, 0, "sync") || in->mode == 4 || !part_is(form, 2, "b32")) {
    unknown_operation(p, form);
    return;
  }
  need(p, form, 60, 30);
  read_target(p, in, 0, T_B32, OPERAND_EXACT);
  if (take(p, "|"))
    read_target(p, in, 1, T_PRED, OPERAND_EXACT);
  for (unsigned i = 0; i < 3; i++) {
    expect(p, ",");
    in->from[i] = read_source(p, T_B32, OPERAND_EXACT);
  }
  read_mask(p, in, 3);
  in->run = run_exchange;
  in->u.exchange = shuffle;
}

void decode_vote(struct parser *p, const struct form *form, struct instruction *in) {
  static const char *const modes[] = {"all", "any", "uni", "ballot"};
  while (in->mode < 4 && !part_is(form, 1, modes[in->mode]))
    in->mode++;
  bool is_ballot = in->mode == VOTE_BALLOT;
  if (form->count != 3 || !part_is(form, 0, "sync") || in->mode == 4 || !part_is(form, 2, is_ballot ? "b32" : "pred")) {
    unknown_operation(p, form);
    return;
  }
  need(p, form, 60, 30);
  read_target(p, in, 0, is_ballot ? T_B32 : T_PRED, OPERAND_EXACT);
  expect(p, ",");
  in->from[0] = read_predicate(p, in);
  read_mask(p, in, 1);
  in->run = run_exchange;
  in->u.exchange = vote;
}

void decode_match(struct parser *p, const struct form *form, struct instruction *in) {
  in->mode = part_is(form, 0, "any") ? MATCH_ANY : MATCH_ALL;
  enum type type = part_type(p, form, 2);
  if (form->count != 3 || !(part_is(form, 0, "any") || part_is(form, 0, "all")) || !part_is(form, 1, "sync") ||
      (type != T_B32 && type != T_B64)) {
    unknown_operation(p, form);
    return;
  }
  read_target(p, in, 0, T_B32, OPERAND_EXACT);
  if (in->mode == MATCH_ALL && take(p, "|"))
    read_target(p, in, 1, T_PRED, OPERAND_EXACT);
  expect(p, ",");
  in->from[0] = read_source(p, type, OPERAND_EXACT);
  read_mask(p, in, 1);
  in->run = run_exchange;
  in->u.exchange = match;
}

void decode_redux(struct parser *p, const struct form *form, struct instruction *in) {
  enum type type = part_type(p, form, 2);
  uint8_t count = sizeof reductions / sizeof *reductions;
  while (in->mode < count && !(part_is(form, 1, reductions[in->mode].name) && reductions[in->mode].type == type))
    in->mode++;
  if (form->count != 3 || !part_is(form, 0, "sync") || in->mode == count) {
    unknown_operation(p, form);
    return;
  }
  read_target(p, in, 0, type, OPERAND_EXACT);
  expect(p, ",");
  in->from[0] = read_source(p, type, OPERAND_EXACT);
  read_mask(p, in, 1);
  in->run = run_exchange;
  in->u.exchange = reduce;
}

void decode_activemask(struct parser *p, const struct form *form, struct instruction *in) {
  if (form->count != 1 || !part_is(form, 0, "b32")) {
    unknown_operation(p, form);
    return;
  }
  read_target(p, in, 0, T_B32, OPERAND_EXACT);
  in->run = run_activemask;
}
