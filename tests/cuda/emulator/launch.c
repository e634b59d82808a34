// Runs launches: blocks one after the other, the work-items of a block in turns.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/cuda/emulator/parse.h"

enum { MAX_DEPTH = 4096, MAX_LOCAL = 512 * 1024, TURN = 4096, MAX_THREADS = 1024, FRAME_ALIGN = 256 };
static const uint64_t default_steps = UINT64_C(2000000000);

// ---- faults

void item_fail(struct item *item, enum ptx_kind kind, const char *format, ...) {
  struct machine *machine = item->machine;
  item_stop(item);
  if (machine->failed)
    return;
  machine->failed = true;
  machine->error->kind = kind;
  char *text = machine->error->text;
  size_t size = sizeof machine->error->text;
  va_list arguments;
  va_start(arguments, format);
  int used = vsnprintf(text, size, format, arguments);
  va_end(arguments);
  const struct instruction *in = item_instruction(item);
  if (used >= 0 && (size_t)used < size)
    snprintf(text + used, size - (size_t)used, " (%s, line %u: %.*s; block %u,%u,%u, work-item %u,%u,%u)",
             machine->function->name, in->line, (int)in->text_size, in->text, machine->id[0], machine->id[1],
             machine->id[2], item->id[0], item->id[1], item->id[2]);
}

uint64_t next_random(struct machine *machine) { // splitmix64
  uint64_t z = machine->random += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

// ---- frames

static uint64_t special_value(const struct item *item, enum special special) {
  const struct machine *m = item->machine;
  uint32_t equal = UINT32_C(1) << item->lane;
  switch (special) {
  case SPECIAL_TID_X:
  case SPECIAL_TID_Y:
  case SPECIAL_TID_Z:
    return item->id[special - SPECIAL_TID_X];
  case SPECIAL_NTID_X:
  case SPECIAL_NTID_Y:
  case SPECIAL_NTID_Z:
    return m->launch->block[special - SPECIAL_NTID_X];
  case SPECIAL_CTAID_X:
  case SPECIAL_CTAID_Y:
  case SPECIAL_CTAID_Z:
    return m->id[special - SPECIAL_CTAID_X];
  case SPECIAL_NCTAID_X:
  case SPECIAL_NCTAID_Y:
  case SPECIAL_NCTAID_Z:
    return m->launch->grid[special - SPECIAL_NCTAID_X];
  case SPECIAL_LANEID:
    return item->lane;
  case SPECIAL_WARPID:
    return item->warp;
  case SPECIAL_NWARPID:
  case SPECIAL_NSMID:
    return 64;
  case SPECIAL_LANEMASK_EQ:
    return equal;
  case SPECIAL_LANEMASK_LE:
    return equal | (equal - 1);
  case SPECIAL_LANEMASK_LT:
    return equal - 1;
  case SPECIAL_LANEMASK_GE:
    return (uint32_t) ~(equal - 1);
  case SPECIAL_LANEMASK_GT:
    return (uint32_t) ~(equal | (equal - 1));
  case SPECIAL_DYNAMIC_SMEM_SIZE:
    return m->launch->dynamic_shared_bytes;
  case SPECIAL_TOTAL_SMEM_SIZE:
    return m->shared_bytes;
  case SPECIAL_SMID:
  case SPECIAL_GRIDID:
  case SPECIAL_CLOCK: // run_mov_clock gives those
  case SPECIAL_CLOCK_HI:
  case SPECIAL_CLOCK64:
  case SPECIAL_GLOBALTIMER:
  case SPECIAL_GLOBALTIMER_LO:
  case SPECIAL_GLOBALTIMER_HI:
  case SPECIAL_NONE:
    break;
  }
  return 0;
}

static void fill_frame(struct item *item, const struct function *f) {
  memcpy(item->r, f->slots, f->slot_count * sizeof *item->r);
  for (size_t i = 0; i < f->fixup_count; i++) {
    const struct fixup *fixup = &f->fixups[i];
    uint64_t value = 0;
    switch (fixup->kind) {
    case FIX_SPECIAL:
      value = special_value(item, fixup->special);
      break;
    case FIX_SHARED:
      value = item->machine->shared_offsets[fixup->variable->index];
      break;
    case FIX_LOCAL:
      value = local_base(item) + fixup->variable->address;
      break;
    case FIX_PARAM:
      value = param_base(item) + fixup->variable->address;
      break;
    }
    item->r[fixup->slot] = value + (uint64_t)fixup->addend;
  }
}

// More of a work-item's own memory.
static bool enlarge(char **memory, uint32_t *size, uint32_t wanted) {
  if (*size >= wanted)
    return true;
  uint32_t capacity = wanted + wanted / 2;
  char *larger = realloc(*memory, capacity);
  if (!larger)
    return false;
  *memory = larger;
  *size = capacity;
  return true;
}

static uint32_t round_up(uint32_t value, uint32_t align) { return (value + align - 1) & ~(align - 1); }

static bool enter(struct item *item, struct frame *frame, const struct function *f) {
  const struct frame *up = item->frame;
  frame->up = item->frame;
  frame->function = f;
  frame->locals = up ? round_up(up->locals + up->function->local_bytes, FRAME_ALIGN) : 0;
  frame->params = up ? round_up(up->params + up->function->param_bytes, FRAME_ALIGN) : 0;
  frame->depth = up ? up->depth + 1 : 0;
  if (frame->depth > MAX_DEPTH || frame->locals + f->local_bytes > MAX_LOCAL) {
    item_fail(item, PTX_ADDRESS, "the stack is exhausted at %u calls", frame->depth);
    return false;
  }
  if (!enlarge(&item->locals, &item->locals_size, frame->locals + f->local_bytes) ||
      !enlarge(&item->params, &item->params_size, frame->params + f->param_bytes)) {
    item_fail(item, PTX_NO_MEMORY, "no memory for the stack");
    return false;
  }
  if (f->local_bytes)
    memset(item->locals + frame->locals, (int)(item->machine->garbage & 255), f->local_bytes);
  if (f->param_bytes)
    memset(item->params + frame->params, (int)(item->machine->garbage & 255), f->param_bytes);
  item->frame = frame;
  item->r = frame->r;
  item->pc = f->code;
  fill_frame(item, f);
  return true;
}

void run_call(struct item *item, struct instruction *in) {
  const struct call *call = in->u.call;
  const struct function *f = call->function;
  struct frame *frame = malloc(sizeof *frame + f->slot_count * sizeof *frame->r);
  if (!frame) {
    item_fail(item, PTX_NO_MEMORY, "no memory for the stack");
    return;
  }
  frame->r = (uint64_t *)(void *)(frame + 1);
  frame->back = item->pc;
  frame->call = call;
  uint32_t caller = item->frame->params;
  if (!enter(item, frame, f)) {
    free(frame);
    return;
  }
  for (uint32_t i = 0; i < call->argument_count; i++)
    memcpy(item->params + frame->params + f->arguments[i]->address, item->params + caller + call->arguments[i]->address,
           call->arguments[i]->size);
}

static void leave(struct item *item) {
  struct frame *frame = item->frame, *up = frame->up;
  const struct call *call = frame->call;
  for (uint32_t i = 0; i < call->result_count; i++)
    memcpy(item->params + up->params + call->results[i]->address,
           item->params + frame->params + frame->function->results[i]->address, call->results[i]->size);
  item->pc = frame->back;
  item->frame = up;
  item->r = up->r;
  free(frame);
}

void run_return(struct item *item, struct instruction *in) {
  (void)in;
  if (item->frame->up)
    leave(item);
  else
    item_end(item);
}

static void run_exit(struct item *item, struct instruction *in) {
  (void)in;
  item_end(item);
}
static void run_trap(struct item *item, struct instruction *in) {
  (void)in;
  item_fail(item, PTX_TRAP, "trap");
}

void decode_end(struct parser *p, const struct form *form, struct instruction *in) {
  bool is_return = form->base[0] == 'r';
  if (form->count > 1 || (form->count && !(is_return && part_is(form, 0, "uni"))))
    unknown_operation(p, form);
  in->run = is_return ? run_return : form->base[0] == 'e' ? run_exit : run_trap;
}

void item_end(struct item *item) {
  item_wait(item, STATE_ENDED);
  item->machine->ended++;
  end_waits(item);
}

// ---- turns

static void take_turn(struct item *item) {
  while (item->budget > 0) {
    item->budget--;
    struct instruction *in = item->pc++;
    in->executed++;
    if (in->guard && (item->r[in->guard] & 1) != in->guard_value)
      continue;
    in->run(item, in);
  }
}

// The work-item whose turn is next; NULL: none can go on.
static struct item *choose(struct machine *m) {
  if (!m->runnable)
    return NULL;
  if (m->launch->seed)
    m->cursor = (uint32_t)(next_random(m) % m->item_count);
  while (m->items[m->cursor].state != STATE_RUNS)
    m->cursor = m->cursor + 1 == m->item_count ? 0 : m->cursor + 1;
  struct item *item = &m->items[m->cursor];
  if (!m->launch->seed)
    m->cursor = m->cursor + 1 == m->item_count ? 0 : m->cursor + 1;
  return item;
}

// Who waits where, of the first places that there are.
static void report_deadlock(struct machine *m) {
  enum { PLACES = 4 };
  const struct instruction *places[PLACES];
  uint32_t counts[PLACES] = {0}, used = 0, first = m->item_count;
  for (uint32_t i = 0; i < m->item_count; i++) {
    if (m->items[i].state == STATE_ENDED)
      continue;
    first = i < first ? i : first;
    uint32_t k = 0;
    while (k < used && places[k] != item_instruction(&m->items[i]))
      k++;
    if (k == PLACES)
      continue;
    places[k] = item_instruction(&m->items[i]);
    used = k == used ? used + 1 : used;
    counts[k]++;
  }
  char text[160] = "";
  for (uint32_t k = 0, at = 0; k < used && at < sizeof text; k++)
    at += (uint32_t)snprintf(text + at, sizeof text - at, ", %u at line %u", counts[k], places[k]->line);
  item_fail(&m->items[first], PTX_DEADLOCK, "work-items wait for others that never come: %u of %u have ended%s",
            m->ended, m->item_count, text);
}

static void start_item(struct machine *m, uint32_t number) {
  struct item *item = &m->items[number];
  const uint32_t *block = m->launch->block;
  item->state = STATE_RUNS;
  item->frame = NULL;
  item->id[0] = number % block[0];
  item->id[1] = number / block[0] % block[1];
  item->id[2] = number / block[0] / block[1];
  item->lane = number % WARP;
  item->warp = number / WARP;
  item->carry = m->garbage & 1;
  item->first.r = m->registers + number * m->function->slot_count;
  item->pc = m->function->code + 1; // if the stack does not suffice, the first operation is named
  enter(item, &item->first, m->function);
}

static bool run_block(struct machine *m) {
  if (m->shared_bytes)
    memset(m->shared, (int)(m->garbage & 255), m->shared_bytes);
  memset(m->arrivals, 0, sizeof m->arrivals);
  m->runnable = m->item_count;
  m->ended = m->cursor = 0;
  m->counts_arrivals = false;
  for (uint32_t i = 0; i < m->item_count; i++)
    start_item(m, i);
  while (m->ended < m->item_count && !m->failed) {
    struct item *item = choose(m);
    if (!item) {
      report_deadlock(m);
      break;
    }
    int64_t turn = m->launch->seed ? INT64_C(1) << (next_random(m) % 12) : TURN;
    item->budget = turn;
    item->unused = 0;
    take_turn(item);
    m->steps += (uint64_t)(turn - item->unused);
    if (m->steps > m->max_steps && !m->failed)
      item_fail(item, PTX_TIMEOUT, "more than %llu operations", (unsigned long long)m->max_steps);
  }
  return !m->failed;
}

// Blocks in an order that the seed decides: a step that has no divisor in common with their number.
static bool run_blocks(struct machine *m) {
  const uint32_t *grid = m->launch->grid;
  uint64_t count = (uint64_t)grid[0] * grid[1] * grid[2], step = 1, at = 0;
  if (m->launch->seed) {
    at = next_random(m) % count;
    do {
      step = 1 + next_random(m) % count;
      for (uint64_t a = step, b = count; b;) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
        if (!b && a != 1)
          step = 0;
      }
    } while (!step);
  }
  for (uint64_t i = 0; i < count; i++) {
    m->id[0] = (uint32_t)(at % grid[0]);
    m->id[1] = (uint32_t)(at / grid[0] % grid[1]);
    m->id[2] = (uint32_t)(at / grid[0] / grid[1]);
    if (!run_block(m))
      return false;
    at = (at + step) % count;
  }
  return true;
}

// ---- launches

static bool refuse(struct ptx_error *error, enum ptx_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(struct ptx_error *error, enum ptx_kind kind, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  error->kind = kind;
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  return false;
}

// The most that a block may have where the host asks for more than 48 KiB.
static uint32_t shared_limit(uint32_t sm) {
  static const struct {
    uint32_t sm, bytes;
  } limits[] = {{120, 101376}, {100, 232448}, {90, 232448}, {89, 101376}, {87, 166912},
                {86, 101376},  {80, 166912},  {75, 65536},  {70, 98304},  {0, 49152}};
  uint32_t i = 0;
  while (sm < limits[i].sm)
    i++;
  return limits[i].bytes;
}

static bool check_sizes(const struct ptx_launch *launch, const struct ptx_entry *entry, struct ptx_error *error) {
  static const uint32_t grid_limits[3] = {INT32_MAX, 65535, 65535}, block_limits[3] = {1024, 1024, 64};
  uint64_t threads = 1, most = 1;
  for (int d = 0; d < 3; d++) {
    if (!launch->grid[d] || launch->grid[d] > grid_limits[d] || !launch->block[d] || launch->block[d] > block_limits[d])
      return refuse(error, PTX_BAD_LAUNCH, "%s: %u blocks of %u in dimension %d", entry->name, launch->grid[d],
                    launch->block[d], d);
    if (entry->need_threads[d] && entry->need_threads[d] != launch->block[d])
      return refuse(error, PTX_BAD_LAUNCH, "%s: blocks of %u in dimension %d, not of %u as .reqntid says", entry->name,
                    launch->block[d], d, entry->need_threads[d]);
    threads *= launch->block[d];
    most *= entry->max_threads[d];
  }
  if (threads > MAX_THREADS || (most && threads > most))
    return refuse(error, PTX_BAD_LAUNCH, "%s: blocks of %llu work-items; at most %llu", entry->name,
                  (unsigned long long)threads, (unsigned long long)(most && most < MAX_THREADS ? most : MAX_THREADS));
  return true;
}

static bool check_launch(const struct ptx_module *module, const struct ptx_entry *entry,
                         const struct ptx_launch *launch, struct ptx_error *error) {
  if (launch->sm < module->target || (module->is_exact && launch->sm != module->target))
    return refuse(error, PTX_BAD_LAUNCH, "%s: code of sm_%u%s on sm_%u", entry->name, module->target,
                  module->is_exact ? "a" : "", launch->sm);
  if (launch->parameter_bytes < entry->parameter_bytes)
    return refuse(error, PTX_BAD_LAUNCH, "%s: %zu bytes of parameters, not %u", entry->name, launch->parameter_bytes,
                  entry->parameter_bytes);
  uint64_t shared = (uint64_t)entry->shared_bytes + launch->dynamic_shared_bytes;
  if (shared > shared_limit(launch->sm))
    return refuse(error, PTX_BAD_LAUNCH, "%s: %llu bytes of shared memory; at most %u", entry->name,
                  (unsigned long long)shared, shared_limit(launch->sm));
  return check_sizes(launch, entry, error);
}

// Static variables in the order of the text, then the dynamic ones, which all begin at the same place.
static void place_shared(struct machine *m) {
  uint32_t next = m->launch->sm >= 90 ? SHARED_FROM_90 : 0, begin = next, align = 16;
  for (size_t i = 0; i < m->function->shared_count; i++) {
    const struct variable *v = m->function->shared[i];
    if (v->is_dynamic) {
      align = v->align > align ? (uint32_t)v->align : align;
      continue;
    }
    next = round_up(next, (uint32_t)v->align);
    m->shared_offsets[v->index] = next;
    m->shared_ranges[m->shared_range_count++] = (struct shared_range){next, next + (uint32_t)v->size};
    next += (uint32_t)v->size;
  }
  uint32_t dynamic = round_up(next, align);
  for (size_t i = 0; i < m->function->shared_count; i++)
    if (m->function->shared[i]->is_dynamic)
      m->shared_offsets[m->function->shared[i]->index] = dynamic;
  if (m->launch->dynamic_shared_bytes)
    m->shared_ranges[m->shared_range_count++] =
        (struct shared_range){dynamic, dynamic + m->launch->dynamic_shared_bytes};
  m->shared_begin = begin;
  m->shared_bytes = dynamic + m->launch->dynamic_shared_bytes - begin;
}

static void set_undefined(struct machine *m) {
  uint64_t byte = m->launch->seed ? next_random(m) & 255 : 0xa5;
  m->garbage = byte * UINT64_C(0x0101010101010101);
  m->division = m->launch->seed ? next_random(m) : UINT64_MAX;
  for (int i = 0; i < 4; i++)
    m->lean[i] = !m->launch->seed || m->launch->rounds_approximations ? 0 : next_random(m) & 1 ? 1 : -1;
  for (size_t i = 0; i < m->module->function_count; i++) {
    struct function *f = m->module->functions[i];
    for (size_t k = 0; k < f->slot_count; k++)
      if (f->is_register[k])
        f->slots[k] = f->is_predicate[k] ? m->garbage & 1 : m->garbage;
  }
}

static bool prepare(struct machine *m) {
  const struct function *f = m->function;
  const uint32_t *block = m->launch->block;
  m->item_count = block[0] * block[1] * block[2];
  m->shared_offsets = calloc(m->module->shared_count + 1, sizeof *m->shared_offsets);
  m->shared_ranges = calloc(f->shared_count + 1, sizeof *m->shared_ranges);
  m->parameters = malloc(m->launch->parameter_bytes + 1);
  m->items = calloc(m->item_count, sizeof *m->items);
  m->registers = malloc((m->item_count * f->slot_count + 1) * sizeof *m->registers);
  if (!m->shared_offsets || !m->shared_ranges || !m->parameters || !m->items || !m->registers)
    return false;
  place_shared(m);
  m->shared = malloc((size_t)m->shared_bytes + 1);
  if (m->launch->parameter_bytes)
    memcpy(m->parameters, m->launch->parameters, m->launch->parameter_bytes);
  for (uint32_t i = 0; i < m->item_count; i++)
    m->items[i].machine = m;
  set_undefined(m);
  return m->shared != NULL;
}

static void release(struct machine *m) {
  for (uint32_t i = 0; m->items && i < m->item_count; i++) {
    struct item *item = &m->items[i];
    while (item->frame && item->frame != &item->first) { // of a run that failed
      struct frame *up = item->frame->up;
      free(item->frame);
      item->frame = up;
    }
    free(item->locals);
    free(item->params);
  }
  free(m->items);
  free(m->registers);
  free(m->shared);
  free(m->shared_offsets);
  free(m->shared_ranges);
  free(m->parameters);
}

bool ptx_run(struct ptx_module *module, const struct ptx_entry *entry, const struct ptx_launch *launch,
             struct ptx_error *error) {
  *error = (struct ptx_error){0};
  if (!check_launch(module, entry, launch, error))
    return false;
  struct machine m = {.module = module,
                      .function = module->entry_functions[entry - module->entries],
                      .launch = launch,
                      .run_number = ++module->runs,
                      .random = launch->seed,
                      .max_steps = launch->max_steps ? launch->max_steps : default_steps,
                      .error = error};
  if (prepare(&m))
    run_blocks(&m);
  else
    m.failed = !refuse(error, PTX_NO_MEMORY, "%s: no memory for %u work-items", entry->name, m.item_count);
  release(&m);
  return !m.failed;
}
