// Memory: what is reachable where, loads, stores, atomics, and the windows of generic addresses.
#include <stdlib.h>

#include "tests/cuda/emulator/parse.h"

// ---- global memory

struct range {
  uint64_t begin, end;
};
struct ptx_memory {
  struct range *ranges; // in order
  size_t count, capacity;
};

struct ptx_memory *ptx_memory_create(void) {
  return calloc(1, sizeof(struct ptx_memory));
}

void ptx_memory_destroy(struct ptx_memory *memory) {
  if (memory)
    free(memory->ranges);
  free(memory);
}

// The first range that begins behind the address.
static size_t range_behind(const struct ptx_memory *memory, uint64_t address) {
  size_t low = 0, high = memory->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (memory->ranges[middle].begin > address)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

bool ptx_memory_add(struct ptx_memory *memory, const void *address, uint64_t size) {
  uint64_t begin = (uint64_t)(uintptr_t)address;
  size_t at = range_behind(memory, begin);
  if (!size || begin + size < begin || (at && memory->ranges[at - 1].end > begin) ||
      (at < memory->count && memory->ranges[at].begin < begin + size))
    return false;
  if (memory->count == memory->capacity) {
    size_t capacity = memory->capacity ? 2 * memory->capacity : 64;
    struct range *ranges = realloc(memory->ranges, capacity * sizeof *ranges);
    if (!ranges)
      return false;
    memory->ranges = ranges;
    memory->capacity = capacity;
  }
  memmove(memory->ranges + at + 1, memory->ranges + at, (memory->count - at) * sizeof *memory->ranges);
  memory->ranges[at] = (struct range){begin, begin + size};
  memory->count++;
  return true;
}

bool ptx_memory_remove(struct ptx_memory *memory, const void *address) {
  size_t at = range_behind(memory, (uint64_t)(uintptr_t)address);
  if (!at || memory->ranges[at - 1].begin != (uint64_t)(uintptr_t)address)
    return false;
  memmove(memory->ranges + at - 1, memory->ranges + at, (memory->count - at) * sizeof *memory->ranges);
  memory->count--;
  return true;
}

static const struct range *find_range(const struct ptx_memory *memory, uint64_t address) {
  size_t at = memory ? range_behind(memory, address) : 0;
  return at && memory->ranges[at - 1].end > address ? &memory->ranges[at - 1] : NULL;
}

bool ptx_memory_reaches(const struct ptx_memory *memory, uint64_t address, uint64_t size) {
  const struct range *range = find_range(memory, address);
  return range && size <= range->end - address;
}

static char *global_place(struct item *item, struct instruction *in, uint64_t address, uint32_t size) {
  const struct machine *machine = item->machine;
  if (in->run_number == machine->run_number && address - in->low < in->high - in->low && size <= in->high - address)
    return (char *)(uintptr_t)address;
  const struct range *range = find_range(machine->launch->memory, address);
  if (!range || size > range->end - address) {
    if (range)
      item_fail(item, PTX_ADDRESS, "%u bytes at %#llx of global memory: %llu behind the end of %llu", size,
                (unsigned long long)address, (unsigned long long)(address + size - range->end),
                (unsigned long long)(range->end - range->begin));
    else
      item_fail(item, PTX_ADDRESS, "%u bytes at %#llx: no global memory is there", size, (unsigned long long)address);
    return NULL;
  }
  in->run_number = machine->run_number;
  in->low = range->begin;
  in->high = range->end;
  return (char *)(uintptr_t)address;
}

// ---- the other spaces

static bool inside(uint64_t address, uint32_t size, uint64_t begin, uint64_t bytes) {
  return address >= begin && address - begin < bytes && size <= bytes - (address - begin);
}

static char *shared_place(struct item *item, uint64_t address, uint32_t size) {
  const struct machine *machine = item->machine;
  for (uint32_t i = 0; i < machine->shared_range_count; i++) {
    const struct shared_range *range = &machine->shared_ranges[i];
    if (inside(address, size, range->begin, range->end - range->begin))
      return machine->shared + (address - machine->shared_begin);
  }
  item_fail(item, PTX_ADDRESS, "%u bytes at %#llx of shared memory: in no variable", size, (unsigned long long)address);
  return NULL;
}

uint64_t local_base(const struct item *item) { return FIRST_LOCAL + item->frame->locals; }
uint64_t param_base(const struct item *item) { return FRAME_PARAMS + item->frame->params; }

static char *local_place(struct item *item, uint64_t address, uint32_t size) {
  for (const struct frame *frame = item->frame; frame; frame = frame->up)
    for (size_t i = 0; i < frame->function->local_count; i++) {
      const struct variable *v = frame->function->locals[i];
      if (inside(address, size, FIRST_LOCAL + frame->locals + v->address, v->size))
        return item->locals + (address - FIRST_LOCAL);
    }
  item_fail(item, PTX_ADDRESS, "%u bytes at %#llx of local memory: in no variable", size, (unsigned long long)address);
  return NULL;
}

static char *param_place(struct item *item, uint64_t address, uint32_t size) {
  const struct machine *machine = item->machine;
  for (size_t i = 0; i < machine->function->argument_count; i++) {
    const struct variable *v = machine->function->arguments[i];
    if (inside(address, size, FIRST_PARAM + v->address, v->size))
      return machine->parameters + (address - FIRST_PARAM);
  }
  if (inside(address, size, param_base(item), item->frame->function->param_bytes))
    return item->params + (address - FRAME_PARAMS);
  item_fail(item, PTX_ADDRESS, "%u bytes at %#llx of param space: in no parameter", size, (unsigned long long)address);
  return NULL;
}

static char *const_place(struct item *item, uint64_t address, uint32_t size) {
  const struct ptx_module *module = item->machine->module;
  for (size_t i = 0; i < module->variable_count; i++) {
    const struct variable *v = module->variables[i];
    if (v->space == SPACE_CONST && inside(address, size, v->address, v->size))
      return module->bank + address;
  }
  item_fail(item, PTX_ADDRESS, "%u bytes at %#llx of constant memory: in no variable", size,
            (unsigned long long)address);
  return NULL;
}

static const struct window {
  enum space space;
  uint64_t begin;
  const char *name;
} windows[] = {
    {SPACE_SHARED, SHARED_WINDOW, "shared"},
    {SPACE_LOCAL, LOCAL_WINDOW, "local"},
    {SPACE_PARAM, PARAM_WINDOW, "param"},
    {SPACE_CONST, CONST_WINDOW, "const"},
};

static const struct window *window_of(uint64_t address) {
  for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
    if (inside(address, 1, windows[i].begin, WINDOW_SIZE))
      return &windows[i];
  return NULL;
}
static const struct window *window_of_space(enum space space) {
  for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
    if (windows[i].space == space)
      return &windows[i];
  return NULL;
}

// Also says in which space a generic address is.
static char *place(struct item *item, struct instruction *in, enum space *space, uint64_t address, uint32_t size) {
  if (address & (size - 1)) {
    item_fail(item, PTX_MISALIGNED, "%u bytes at %#llx are not aligned", size, (unsigned long long)address);
    return NULL;
  }
  if (*space == SPACE_GENERIC) {
    const struct window *window = address >> 48 ? window_of(address) : NULL;
    *space = window ? window->space : SPACE_GLOBAL;
    address -= window ? window->begin : 0;
  }
  switch (*space) {
  case SPACE_GLOBAL:
    return global_place(item, in, address, size);
  case SPACE_SHARED:
    return shared_place(item, address, size);
  case SPACE_LOCAL:
    return local_place(item, address, size);
  case SPACE_PARAM:
    return param_place(item, address, size);
  case SPACE_CONST:
    return const_place(item, address, size);
  case SPACE_GENERIC:
  case SPACE_NONE:
    break;
  }
  return NULL;
}

// ---- loads and stores

static uint64_t load_element(const char *at, unsigned bytes, bool extends_sign) {
  uint8_t b;
  uint16_t h;
  uint32_t w;
  uint64_t d;
  switch (bytes) {
  case 1:
    memcpy(&b, at, 1);
    return extends_sign ? (uint64_t)(int8_t)b : b;
  case 2:
    memcpy(&h, at, 2);
    return extends_sign ? (uint64_t)(int16_t)h : h;
  case 4:
    memcpy(&w, at, 4);
    return extends_sign ? (uint64_t)(int32_t)w : w;
  default:
    memcpy(&d, at, 8);
    return d;
  }
}

static void store_element(char *at, unsigned bytes, uint64_t bits) {
  uint8_t b = (uint8_t)bits;
  uint16_t h = (uint16_t)bits;
  uint32_t w = (uint32_t)bits;
  switch (bytes) {
  case 1:
    memcpy(at, &b, 1);
    return;
  case 2:
    memcpy(at, &h, 2);
    return;
  case 4:
    memcpy(at, &w, 4);
    return;
  default:
    memcpy(at, &bits, 8);
  }
}

static uint64_t access_address(const struct item *item, const struct instruction *in) {
  return item->r[in->from[0]] + (uint64_t)in->memory.offset;
}

static void run_load(struct item *item, struct instruction *in) {
  unsigned bytes = in->memory.bytes;
  enum space space = in->memory.space;
  const char *at = place(item, in, &space, access_address(item, in), bytes * in->memory.count);
  if (!at)
    return;
  for (unsigned i = 0; i < in->memory.count; i++)
    item->r[in->to[i]] = load_element(at + i * bytes, bytes, in->memory.extends_sign) & in->mask[i];
}

static void run_store(struct item *item, struct instruction *in) {
  unsigned bytes = in->memory.bytes;
  enum space space = in->memory.space;
  char *at = place(item, in, &space, access_address(item, in), bytes * in->memory.count);
  if (!at)
    return;
  if (space == SPACE_CONST || (space == SPACE_PARAM && access_address(item, in) < FRAME_PARAMS)) {
    item_fail(item, PTX_ADDRESS, "a store to memory that is only read");
    return;
  }
  for (unsigned i = 0; i < in->memory.count; i++)
    store_element(at + i * bytes, bytes, item->r[in->from[i + 1]]);
}

// ---- names of operations

enum order { ORDER_NONE, ORDER_WEAK, ORDER_VOLATILE, ORDER_RELAXED, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_BOTH };
enum scope { SCOPE_NONE, SCOPE_CTA, SCOPE_GPU, SCOPE_SYS, SCOPE_CLUSTER };

struct words {
  int order, scope, space, count, is_constant, cache;
};

// Whether the part is one of the words of memory.def.
static bool read_word(struct parser *p, const struct form *form, uint32_t index, struct words *words) {
#define WORD(text, field, value, version, sm)                                                                          \
  if (part_is(form, index, text)) {                                                                                    \
    words->field = value;                                                                                              \
    need(p, form, version, sm);                                                                                        \
    return true;                                                                                                       \
  }
#include "tests/cuda/emulator/memory.def"
#undef WORD
  return false;
}

// An access of the memory model has a scope, and a plain one has none.
static void check_words(struct parser *p, const struct form *form, const struct words *words, bool is_store) {
  bool is_ordered = words->order >= ORDER_RELAXED;
  if (is_ordered != (words->scope != SCOPE_NONE) || words->order == ORDER_BOTH ||
      words->order == (is_store ? ORDER_ACQUIRE : ORDER_RELEASE))
    parser_fail(p, PTX_SYNTAX, "%.*s: order and scope", (int)form->size, form->text);
  bool has_order = words->space == SPACE_GENERIC || words->space == SPACE_GLOBAL || words->space == SPACE_SHARED;
  if (words->order > ORDER_WEAK && !has_order && words->order != ORDER_VOLATILE)
    parser_fail(p, PTX_SYNTAX, "%.*s: a space without order", (int)form->size, form->text);
  if (words->is_constant && (words->space != SPACE_GLOBAL || is_store))
    parser_fail(p, PTX_SYNTAX, "%.*s: only ld.global.nc is one", (int)form->size, form->text);
  if (is_store && words->space == SPACE_CONST)
    parser_fail(p, PTX_SYNTAX, "%.*s: constant memory", (int)form->size, form->text);
}

static enum type read_access(struct parser *p, const struct form *form, struct instruction *in, bool is_store) {
  struct words words = {.space = SPACE_GENERIC, .count = 1};
  uint32_t i = 0;
  while (i + 1 < form->count && read_word(p, form, i, &words))
    i++;
  enum type type = part_type(p, form, i);
  if (i + 1 != form->count)
    unknown_operation(p, form);
  if (p->failed)
    return type;
  if (type == T_PRED || type == T_F16 || type == T_F16X2 || type == T_BF16 || type == T_BF16X2)
    unknown_operation(p, form);
  check_words(p, form, &words, is_store);
  unsigned bytes = type_bits(type) / 8;
  if (bytes * (unsigned)words.count > 16)
    unknown_operation(p, form);
  in->memory = (struct memory_access){.space = (enum space)words.space,
                                      .bytes = (uint8_t)bytes,
                                      .count = (uint8_t)words.count,
                                      .extends_sign = type_class(type) == CLASS_SIGNED};
  return type;
}

static unsigned element_flags(enum type type) {
  return type_class(type) == CLASS_FLOAT ? OPERAND_EXACT : OPERAND_WIDER;
}

void decode_load(struct parser *p, const struct form *form, struct instruction *in) {
  enum type type = read_access(p, form, in, false);
  if (p->failed)
    return;
  unsigned count = in->memory.count;
  if (count > 1)
    expect(p, "{");
  for (unsigned i = 0; i < count; i++) {
    if (i)
      expect(p, ",");
    read_target(p, in, i, type, element_flags(type));
  }
  if (count > 1)
    expect(p, "}");
  expect(p, ",");
  read_address(p, in, 0, in->memory.bytes * count);
  in->run = run_load;
}

void decode_store(struct parser *p, const struct form *form, struct instruction *in) {
  enum type type = read_access(p, form, in, true);
  if (p->failed)
    return;
  unsigned count = in->memory.count;
  read_address(p, in, 0, in->memory.bytes * count);
  expect(p, ",");
  if (count > 1)
    expect(p, "{");
  for (unsigned i = 0; i < count; i++) {
    if (i)
      expect(p, ",");
    in->from[i + 1] = read_source(p, type, element_flags(type));
  }
  if (count > 1)
    expect(p, "}");
  in->run = run_store;
}

// ---- atomics

#define ATOMIC(name, type, T, version, sm, value)                                                                      \
  static uint64_t atomic_##name##_##type(uint64_t old, uint64_t x, uint64_t y) {                                       \
    T a = get_##T(old), b = get_##T(x), c = get_##T(y);                                                                \
    (void)a, (void)b, (void)c;                                                                                         \
    return put_##T(value);                                                                                             \
  }
#include "tests/cuda/emulator/atomic.def"
#undef ATOMIC

static const struct atomic {
  const char *name;
  enum type type;
  unsigned version, sm;
  uint64_t (*combine)(uint64_t old, uint64_t b, uint64_t c);
} atomics[] = {
#define ATOMIC(name, type, T, version, sm, value) {#name, T_##type, version, sm, atomic_##name##_##type},
#include "tests/cuda/emulator/atomic.def"
#undef ATOMIC
};

static void run_atomic(struct item *item, struct instruction *in) {
  enum space space = in->memory.space;
  char *at = place(item, in, &space, access_address(item, in), in->memory.bytes);
  if (!at)
    return;
  if (space != SPACE_GLOBAL && space != SPACE_SHARED) {
    item_fail(item, PTX_MISUSE, "an atomic operation on memory that is neither global nor shared");
    return;
  }
  uint64_t old = load_element(at, in->memory.bytes, false), b = item->r[in->from[1]], c = item->r[in->from[2]];
  if (in->flushes && space == SPACE_GLOBAL) { // f32 sums in global memory know no denormals
    uint64_t sum = in->u.combine(put_F32(flush_F32(get_F32(old))), put_F32(flush_F32(get_F32(b))), 0);
    store_element(at, 4, put_F32(flush_F32(get_F32(sum))));
  } else if (in->mode) { // both halves
    uint64_t low = in->u.combine(old & 65535, b & 65535, 0), high = in->u.combine(old >> 16, b >> 16 & 65535, 0);
    store_element(at, 4, low | high << 16);
  } else {
    store_element(at, in->memory.bytes, in->u.combine(old, b, c));
  }
  item->r[in->to[0]] = old & in->mask[0];
}

// The operation whose name is part index, behind which only the type is, or .noftz and the type of small floats.
static const struct atomic *find_atomic(const struct form *form, uint32_t index, enum type type) {
  bool is_small = type == T_F16 || type == T_BF16 || type == T_F16X2 || type == T_BF16X2;
  if (form->count != index + 2 + is_small || (is_small && !part_is(form, index + 1, "noftz")))
    return NULL;
  for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++)
    if (part_is(form, index, atomics[i].name) && atomics[i].type == type)
      return &atomics[i];
  return NULL;
}

void decode_atomic(struct parser *p, const struct form *form, struct instruction *in) {
  struct words words = {.space = SPACE_GENERIC};
  uint32_t i = 0;
  while (i + 2 < form->count && read_word(p, form, i, &words))
    i++;
  enum type type = part_type(p, form, form->count - 1);
  const struct atomic *atomic = p->failed ? NULL : find_atomic(form, i, type);
  bool returns = form->base[0] == 'a', is_swap = atomic && !strcmp(atomic->name, "cas");
  if (!atomic || (!returns && (is_swap || !strcmp(atomic->name, "exch"))) || words.count || words.is_constant ||
      words.cache) {
    unknown_operation(p, form);
    return;
  }
  need(p, form, atomic->version, atomic->sm);
  if (words.space != SPACE_GENERIC && words.space != SPACE_GLOBAL && words.space != SPACE_SHARED)
    parser_fail(p, PTX_SYNTAX, "%.*s: another space", (int)form->size, form->text);
  if (words.order == ORDER_WEAK || words.order == ORDER_VOLATILE ||
      (!returns && (words.order == ORDER_ACQUIRE || words.order == ORDER_BOTH)))
    parser_fail(p, PTX_SYNTAX, "%.*s: another order", (int)form->size, form->text);
  in->memory = (struct memory_access){.space = (enum space)words.space, .bytes = (uint8_t)(type_bits(type) / 8)};
  in->u.combine = atomic->combine;
  in->flushes = type == T_F32;
  in->mode = type == T_F16X2 || type == T_BF16X2;
  in->run = run_atomic;
  if (returns) {
    read_target(p, in, 0, type, OPERAND_EXACT);
    expect(p, ",");
  }
  read_address(p, in, 0, in->memory.bytes);
  for (unsigned k = 1; k <= (is_swap ? 2u : 1u); k++) {
    expect(p, ",");
    in->from[k] = read_source(p, type, OPERAND_EXACT);
  }
}

// ---- addresses

// What is global stays as it is, whatever it is: compilers convert pointers before they know that they need it, and an
// access finds what is wrong with it.
static void run_cvta(struct item *item, struct instruction *in) {
  uint64_t address = item->r[in->from[0]];
  const struct window *window = window_of_space(in->memory.space);
  bool to_space = in->mode;
  if (window && !inside(address, 1, to_space ? window->begin : 0, WINDOW_SIZE))
    item_fail(item, PTX_MISUSE, "%#llx is outside of the window of %s memory", (unsigned long long)address,
              window->name);
  else
    item->r[in->to[0]] = address + (window ? (to_space ? -window->begin : window->begin) : 0);
}

static enum space read_space(struct parser *p, const struct form *form, uint32_t index) {
  struct words words = {.space = SPACE_NONE};
  read_word(p, form, index, &words);
  if (words.space == SPACE_NONE)
    unknown_operation(p, form);
  return (enum space)words.space;
}

void decode_cvta(struct parser *p, const struct form *form, struct instruction *in) {
  in->mode = part_is(form, 0, "to");
  if (form->count != 2u + in->mode || !part_is(form, form->count - 1, "u64")) {
    unknown_operation(p, form);
    return;
  }
  in->memory.space = read_space(p, form, in->mode);
  if (in->memory.space == SPACE_CONST)
    need(p, form, 31, 20);
  if (in->memory.space == SPACE_PARAM)
    need(p, form, 77, 70);
  read_target(p, in, 0, T_U64, OPERAND_EXACT);
  expect(p, ",");
  in->from[0] = read_source(p, T_U64, OPERAND_EXACT);
  in->run = run_cvta;
}

static void run_isspacep(struct item *item, struct instruction *in) {
  const struct window *window = window_of(item->r[in->from[0]]);
  item->r[in->to[0]] = (window ? window->space : SPACE_GLOBAL) == in->memory.space;
}

void decode_isspacep(struct parser *p, const struct form *form, struct instruction *in) {
  if (form->count != 1) {
    unknown_operation(p, form);
    return;
  }
  in->memory.space = read_space(p, form, 0);
  if (in->memory.space == SPACE_CONST)
    need(p, form, 31, 20);
  if (in->memory.space == SPACE_PARAM)
    need(p, form, 77, 70);
  read_target(p, in, 0, T_PRED, OPERAND_EXACT);
  expect(p, ",");
  in->from[0] = read_source(p, T_U64, OPERAND_EXACT);
  in->run = run_isspacep;
}

// ---- what leaves no trace

static void run_nothing(struct item *item, struct instruction *in) {
  (void)item;
  (void)in;
}

void decode_prefetch(struct parser *p, const struct form *form, struct instruction *in) {
  uint32_t level = form->count - 1;
  if (!form->count || !(part_is(form, level, "L1") || part_is(form, level, "L2")) || form->count > 2) {
    unknown_operation(p, form);
    return;
  }
  in->memory.space = form->count > 1 ? read_space(p, form, 0) : SPACE_GENERIC;
  read_address(p, in, 0, 1);
  in->run = run_nothing;
}

// Work-items run one after the other on one memory, so that every order holds.
void decode_fence(struct parser *p, const struct form *form, struct instruction *in) {
  static const char *const membars[] = {"cta", "gl", "sys"};
  bool is_known = false;
  if (form->base[0] == 'm') {
    for (size_t i = 0; i < sizeof membars / sizeof *membars; i++)
      is_known |= form->count == 1 && part_is(form, 0, membars[i]);
    if (part_is(form, 0, "sys"))
      need(p, form, 20, 20);
  } else {
    struct words words = {0};
    uint32_t scope = part_is(form, 0, "sc") || part_is(form, 0, "acq_rel");
    is_known = form->count == scope + 1 && read_word(p, form, scope, &words) && words.scope;
  }
  if (!is_known)
    unknown_operation(p, form);
  in->run = run_nothing;
}

static void run_nanosleep(struct item *item, struct instruction *in) {
  (void)in;
  item_stop(item);
}

void decode_nanosleep(struct parser *p, const struct form *form, struct instruction *in) {
  if (form->count != 1 || !part_is(form, 0, "u32")) {
    unknown_operation(p, form);
    return;
  }
  in->from[0] = read_source(p, T_U32, OPERAND_EXACT);
  in->run = run_nanosleep;
}
