// Races: two work-items of one launch touch the same byte, one of them changes it, nothing orders the two, and they are
// not both atomic. A barrier orders the work-items of a group; nothing orders groups. A store that leaves the bytes as
// they are is no change, so that "everybody sets the flag" is none; volatile accesses count as atomic ones. Kernels
// that order memory in other ways (fences, atomics that acquire or release, sub-group barriers) are not looked at.
//
// Every byte of global and local memory has a record of who wrote it last and who has read it since, as in "FastTrack:
// Efficient and Precise Dynamic Race Detection" (Flanagan and Freund, PLDI 2009), with the number of barriers that a
// group has passed in place of vector clocks. Of several it keeps the first. Groups run in parallel: each word of a
// record is read and written as a whole, so what it tells did happen; a race between two threads of the interpreter may
// go unseen.
#include "backends/interp/interp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// A word of a record: 0, or who (number of the work-item in the launch, plus 1), when (barriers passed), and how.
enum { WHO_BITS = 40, WHEN_BITS = 20 };
#define WHO_MASK (((uint64_t)1 << WHO_BITS) - 1)
#define WHEN_MAX (((uint64_t)1 << WHEN_BITS) - 1)
#define ATOMIC ((uint64_t)1 << 60)     // all accesses that this stands for are atomic
#define SOME ((uint64_t)1 << 61)       // other work-items of the group, too, since the same barrier
#define EVERYWHERE ((uint64_t)1 << 62) // work-items of other groups, too

// Where: the instruction's number in the module, plus 1, and some bits of who it was, since the two are not written as
// one.
enum { AT_BITS = 24, AT_WHO_MASK = 0xff };
#define AT_MASK (((uint32_t)1 << AT_BITS) - 1)

struct interp_record {
  uint64_t write, read;       // atomic
  uint32_t write_at, read_at; // atomic
};

static uint64_t get(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static void set(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }
static uint32_t get_at(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static void set_at(uint32_t *word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }

static uint64_t who(uint64_t word) { return (word & WHO_MASK) - 1; }
static uint64_t when(uint64_t word) { return word >> WHO_BITS & WHEN_MAX; }

// ---- memory for the records ----------------------------------------------------------------------------------------

static bool is_tracked(const struct interp_object *object) {
  return object->space == KILN_GLOBAL && object->size && object->base && !object->is_process;
}

static void add_range(struct interp_races *races, const struct interp_object *object) {
  if (is_tracked(object))
    races->ranges[races->count++] = (struct interp_range){object->base, object->base + object->size, NULL};
}

static int by_begin(const void *a, const void *b) {
  const struct interp_range *x = a, *y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

// Buffers may overlap, or be the same.
static void merge(struct interp_races *races) {
  qsort(races->ranges, races->count, sizeof *races->ranges, by_begin);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < races->count; i++) {
    struct interp_range *last = kept ? &races->ranges[kept - 1] : NULL;
    if (last && races->ranges[i].begin < last->end)
      last->end = races->ranges[i].end > last->end ? races->ranges[i].end : last->end;
    else
      races->ranges[kept++] = races->ranges[i];
  }
  races->count = kept;
}

bool kiln_interp_races_begin(const struct kiln_drv_launch *launch, struct interp_races *races) {
  const struct kiln_drv_module *module = launch->kernel->module;
  memset(races, 0, sizeof *races);
  if (!module->races || launch->function->orders_memory)
    return true;
  uint32_t globals = module->ir->global_count;
  races->ranges = calloc(launch->arg_count + globals + 1, sizeof *races->ranges);
  if (!races->ranges)
    return false;
  for (uint32_t i = 0; i < launch->arg_count; i++)
    add_range(races, &launch->args[i]);
  for (uint32_t i = 0; i < globals; i++)
    add_range(races, &module->objects[i]);
  merge(races);
  races->on = true;
  for (uint32_t i = 0; i < races->count; i++) { // pages that nobody touches take no memory
    struct interp_range *range = &races->ranges[i];
    uint64_t bytes;
    void *records = MAP_FAILED;
    if (!__builtin_mul_overflow(range->end - range->begin, sizeof *range->records, &bytes))
      records = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (records == MAP_FAILED) {
      kiln_interp_races_end(races);
      return false;
    }
    range->records = records;
  }
  return true;
}

void kiln_interp_races_end(struct interp_races *races) {
  for (uint32_t i = 0; i < races->count; i++) {
    if (races->ranges[i].records)
      munmap(races->ranges[i].records, (races->ranges[i].end - races->ranges[i].begin) * sizeof(struct interp_record));
  }
  free(races->ranges);
  memset(races, 0, sizeof *races);
}

uint64_t kiln_interp_races_local_bytes(const struct kiln_drv_launch *launch) {
  const struct kiln_drv_module *module = launch->kernel->module;
  return module->races && !launch->function->orders_memory ? launch->local_bytes * sizeof(struct interp_record) : 0;
}

// ---- accesses ------------------------------------------------------------------------------------------------------

struct access {
  struct interp_worker *worker;
  const struct interp_item *item;
  const struct interp_inst *inst;
  const struct interp_place *place;
  uint64_t me;    // word for this access
  uint64_t items; // of a full group
  bool local;
};

static bool same_group(const struct access *a, uint64_t word) { return who(word) / a->items == who(a->me) / a->items; }

// Whether what the word stands for is over, or cannot be seen, for this work-item.
static bool ordered(const struct access *a, uint64_t word) {
  if (!word || word & EVERYWHERE)
    return !word;
  if (!same_group(a, word))
    return a->local; // that group's memory was another
  return when(word) < when(a->me) || (who(word) == who(a->me) && !(word & SOME));
}

static bool conflict(const struct access *a, uint64_t word) { return !(word & a->me & ATOMIC) && !ordered(a, word); }

// Whether the work-item that the word names is one with which this one races, and not only others that it stands for.
static bool names_the_other(const struct access *a, uint64_t word) {
  if (!(word & (SOME | EVERYWHERE)))
    return true;
  if (a->me & ATOMIC || who(word) == who(a->me)) // which of them was not atomic is not known
    return false;
  return !same_group(a, word) || when(word) == when(a->me);
}

// " at file:line:column", or nothing where that is not known.
static void describe_place(const struct access *a, uint64_t word, uint32_t at, char *out, size_t size) {
  const struct kiln_drv_module *module = a->worker->module;
  char where[300];
  *out = 0;
  if (!(at & AT_MASK) || at >> AT_BITS != (who(word) & AT_WHO_MASK))
    return;
  uint32_t number = (at & AT_MASK) - 1;
  for (uint32_t i = 0; i < module->ir->function_count; i++) {
    const struct interp_function *fn = &module->functions[i];
    if (number < fn->first_code || number - fn->first_code >= fn->code_count)
      continue;
    kiln_interp_where(fn->fn, fn->code[number - fn->first_code].value, where, sizeof where);
    snprintf(out, size, " at %s", where);
  }
}

static bool report(const struct access *a, uint64_t offset, uint64_t word, uint32_t at, const char *what,
                   const char *they) {
  const struct kiln_drv_launch *launch = a->worker->launch;
  char name[200], other[100], place[320] = "";
  kiln_interp_object_name(a->place->object, name, sizeof name);
  if (names_the_other(a, word)) {
    uint64_t group = who(word) / a->items, item = who(word) % a->items, id[3];
    for (int d = 0; d < 3; d++) {
      id[d] = group % launch->groups[d] * launch->local[d] + item % launch->local[d] + launch->offset[d];
      group /= launch->groups[d];
      item /= launch->local[d];
    }
    snprintf(other, sizeof other, "work-item (%llu, %llu, %llu) has", (unsigned long long)id[0],
             (unsigned long long)id[1], (unsigned long long)id[2]);
    describe_place(a, word, at, place, sizeof place);
  } else {
    snprintf(other, sizeof other, "other work-items have");
  }
  kiln_interp_fail(a->worker, a->item, a->inst,
                   "%s a byte at offset %llu of %s, which %s %s%s: a race, for nothing orders the two", what,
                   (unsigned long long)offset, name, other, they, place);
  a->worker->fault = INTERP_FAULT_RACE;
  return false;
}

// How an access of this work-item is added to those before of the same kind, with which it does not conflict.
static uint64_t joined(const struct access *a, uint64_t word) {
  bool own = who(word) == who(a->me) && when(word) == when(a->me);
  if (own && !(word & (SOME | EVERYWHERE)))
    return a->me & (word | ~ATOMIC);
  if (ordered(a, word))
    return a->me;
  uint64_t atomic = word & a->me & ATOMIC;
  if (word & EVERYWHERE || !same_group(a, word))
    return (word & ~ATOMIC) | atomic | EVERYWHERE;
  return (word & ~ATOMIC) | atomic | SOME;
}

static uint32_t place_word(const struct access *a) {
  const struct interp_function *fn = a->item->frames[a->item->depth - 1].fn;
  uint64_t number = fn->first_code + (uint64_t)(a->inst - fn->code) + 1;
  return number > AT_MASK ? 0 : (uint32_t)(number | (who(a->me) & AT_WHO_MASK) << AT_BITS);
}

static void note(const struct access *a, uint64_t *word, uint32_t *at) {
  uint64_t old = get(word), new = joined(a, old);
  if (new == old)
    return;
  if (who(new) == who(a->me))
    set_at(at, place_word(a));
  set(word, new);
}

static struct interp_record *records_of(const struct access *a) {
  uint64_t address = (uintptr_t)a->place->data;
  if (a->local)
    return a->worker->local_records + (address - (uintptr_t)a->worker->local_data);
  const struct interp_races *races = a->worker->races;
  for (uint32_t i = 0; i < races->count; i++) {
    const struct interp_range *range = &races->ranges[i];
    if (address >= range->begin && address < range->end)
      return range->records + (address - range->begin);
  }
  return NULL;
}

bool kiln_interp_race(struct interp_worker *worker, const struct interp_item *item, const struct interp_inst *inst,
                      const struct interp_place *place, uint64_t size, enum interp_touch touch,
                      const unsigned char *bytes) {
  const struct kiln_drv_launch *launch = worker->launch;
  struct access a = {.worker = worker, .item = item, .inst = inst, .place = place};
  if (place->object->space != KILN_GLOBAL && place->object->space != KILN_LOCAL)
    return true;
  a.local = place->object->space == KILN_LOCAL;
  a.items = launch->local[0] * launch->local[1] * launch->local[2];
  uint64_t group = worker->group[0] + launch->groups[0] * (worker->group[1] + launch->groups[1] * worker->group[2]);
  uint64_t me = item->local_id[0] + launch->local[0] * (item->local_id[1] + launch->local[1] * item->local_id[2]);
  me += group * a.items + 1;
  struct interp_record *record = records_of(&a);
  if (!record || me > WHO_MASK || worker->barriers > WHEN_MAX)
    return true;
  a.me = me | worker->barriers << WHO_BITS | (touch >= INTERP_TOUCH_ATOMIC_READ ? ATOMIC : 0);
  bool is_atomic = inst->code >= CODE_ATOMIC_LOAD && inst->code <= CODE_ATOMIC_CAS;
  const char *changes = is_atomic ? "does an atomic operation on" : "writes";
  uint64_t start = (uintptr_t)place->data - place->base;
  for (uint64_t i = 0; i < size; i++, record++) {
    uint64_t write = get(&record->write), read = get(&record->read);
    if (touch == INTERP_TOUCH_READ || touch == INTERP_TOUCH_ATOMIC_READ) {
      if (conflict(&a, write))
        return report(&a, start + i, write, get_at(&record->write_at), "reads", "written");
      note(&a, &record->read, &record->read_at);
    } else if (!bytes || bytes[i] != place->data[i]) {
      if (conflict(&a, write))
        return report(&a, start + i, write, get_at(&record->write_at), changes, "written");
      if (conflict(&a, read))
        return report(&a, start + i, read, get_at(&record->read_at), changes, "read");
      note(&a, &record->write, &record->write_at);
    }
  }
  return true;
}
