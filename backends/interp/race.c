// Races: two work-items of one launch touch the same byte, one of them writes it, nothing orders the two, and they are
// not both atomic. A barrier orders the work-items of a group; nothing orders groups. Plain stores of equal values are
// no race unless the option asks for it, so that every work-item may set a flag; volatile accesses count as atomic
// ones. Kernels that order memory in other ways (fences, atomics that acquire or release, sub-group barriers) are not
// looked at.
//
// Every byte of global and local memory has a record of two words: one stands for all writes so far, the other for all
// reads. Each holds exactly what decides whether an access to come races with one of them: which group, or that there
// were several; of that group since its last barrier which work-item, or that there were several; which of them were
// plain, and whether the writes differ. So it is found that two accesses race whichever of them comes first: neither
// the order in which threads run the groups matters, nor what the memory held. Of intervals between barriers only the
// last one of a group counts within it, as in "FastTrack: Efficient and Precise Dynamic Race Detection" (Flanagan and
// Freund, PLDI 2009), with the number of barriers passed in place of vector clocks.
//
// What one word forgets cannot matter: once several groups have written a byte without a race, all of these writes are
// atomic or all store one value, and any other access races with one of another group; once several have read it, any
// plain write does.
#include "backends/interp/interp.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// A word of a record: 0, or WHO: the work-item's number in the launch (its group, and its place in the group), plus 1;
// how many barriers its group had passed; and flags. WHO is the first of its group since the barrier, of reads the
// first plain one if there is one.
enum { WHO_BITS = 38, WHEN_BITS = 20 };
#define WHO_MASK (((uint64_t)1 << WHO_BITS) - 1)
#define WHEN_MAX (((uint64_t)1 << WHEN_BITS) - 1)
// Of accesses of WHO's group since that barrier:
#define PLAIN_NOW ((uint64_t)1 << 58) // some are not atomic
#define SOME ((uint64_t)1 << 59)      // some are by other work-items than WHO
// Writes: some are atomic, or they store different values. Reads: several work-items read plainly.
#define MIXED_NOW ((uint64_t)1 << 60)
// Of all:
#define MANY ((uint64_t)1 << 61)  // some are by other groups than WHO's
#define PLAIN ((uint64_t)1 << 62) // some are not atomic; of reads with MANY, WHO's group has one
#define MIXED ((uint64_t)1 << 63) // as MIXED_NOW; reads: several groups read plainly

// Where WHO was: the instruction's number in the module, plus 1; 0: not known. Above it, of writes, the byte stored.
enum { AT_BITS = 24 };
#define AT_MASK (((uint32_t)1 << AT_BITS) - 1)

struct interp_record {
  uint64_t write, read;
  uint32_t write_at, read_at;
};

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

// A mapping takes memory only for pages that are accessed. For a small launch, the system calls and page faults would
// cost more than the launch itself.
enum { SMALL_BYTES = 1 << 18 };

static uint64_t record_bytes(const struct interp_range *range) {
  uint64_t bytes;
  return __builtin_mul_overflow(range->end - range->begin, sizeof *range->records, &bytes) ? UINT64_MAX : bytes;
}

static bool make_records(struct interp_range *range) {
  uint64_t bytes = record_bytes(range);
  if (bytes <= SMALL_BYTES) {
    range->records = calloc(1, bytes);
  } else if (bytes < UINT64_MAX) {
    void *records = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    range->records = records == MAP_FAILED ? NULL : records;
  }
  return range->records;
}

static void free_records(struct interp_range *range) {
  uint64_t bytes = record_bytes(range);
  if (bytes <= SMALL_BYTES)
    free(range->records);
  else if (range->records)
    munmap(range->records, bytes);
}

bool kiln_interp_races_begin(const struct kiln_drv_launch *launch, bool shared, struct interp_races *races) {
  const struct kiln_drv_module *module = launch->kernel->module;
  memset(races, 0, sizeof *races);
  if (!module->races || launch->function->orders_memory)
    return true;
  races->shared = shared;
  uint64_t items = launch->local[0] * launch->local[1] * launch->local[2];
  while ((uint64_t)1 << races->item_bits < items)
    races->item_bits++;
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
  for (uint32_t i = 0; i < races->count; i++)
    if (!make_records(&races->ranges[i])) {
      kiln_interp_races_end(races);
      return false;
    }
  return true;
}

void kiln_interp_races_end(struct interp_races *races) {
  for (uint32_t i = 0; i < races->count; i++)
    free_records(&races->ranges[i]);
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
  uint64_t me, group, when;
  uint32_t at;
  bool local, atomic, writes;
};

static uint64_t group_of(const struct access *a, uint64_t word) { return who(word) >> a->worker->races->item_bits; }

// Local memory of another group was other memory.
static uint64_t current(const struct access *a, uint64_t word) {
  return word && a->local && group_of(a, word) != a->group ? 0 : word;
}

// Whether the word stands for an access of another group.
static bool is_far(const struct access *a, uint64_t word) {
  return word & MANY || (word && group_of(a, word) != a->group);
}

// The same, of another work-item of this group since the last barrier.
static bool is_near(const struct access *a, uint64_t word) {
  return word && group_of(a, word) == a->group && when(word) == a->when && (word & SOME || who(word) != a->me);
}

static bool races_with_writes(const struct access *a, uint64_t word, uint32_t at, unsigned char value) {
  bool far = is_far(a, word), near = is_near(a, word);
  if (!far && !near)
    return false;
  if (a->atomic)
    return (far && word & PLAIN) || (near && word & PLAIN_NOW);
  if (!a->writes || a->worker->module->equal_stores || at >> AT_BITS != value)
    return true;
  return (far && word & MIXED) || (near && word & MIXED_NOW);
}

static bool races_with_reads(const struct access *a, uint64_t word) {
  if (!a->atomic)
    return is_far(a, word) || is_near(a, word);
  if (word & MIXED)
    return true;
  if (group_of(a, word) != a->group)
    return word & PLAIN;
  return when(word) == a->when && (word & MIXED_NOW || (word & PLAIN_NOW && who(word) != a->me));
}

// ---- what becomes of the records ------------------------------------------------------------------------------------

static uint32_t write_place(const struct access *a, unsigned char value) { return a->at | (uint32_t)value << AT_BITS; }

static uint64_t only_me(const struct access *a) {
  return (a->me + 1) | a->when << WHO_BITS | (a->atomic ? 0 : PLAIN | PLAIN_NOW);
}

// Both return whether WHO is this access now.
static bool note_write(const struct access *a, struct interp_record *record, unsigned char value) {
  uint64_t word = current(a, record->write), ever = a->atomic ? MIXED : PLAIN;
  if (word && (a->atomic || record->write_at >> AT_BITS != value))
    ever |= MIXED;
  if (word && group_of(a, word) != a->group) {
    record->write = word | MANY | ever;
    return false;
  }
  if (word && when(word) == a->when) {
    uint64_t now = (ever & PLAIN ? PLAIN_NOW : 0) | (ever & MIXED ? MIXED_NOW : 0);
    record->write = word | ever | now | (who(word) == a->me ? 0 : SOME);
    return false;
  }
  record->write = only_me(a) | ever | (a->atomic ? MIXED_NOW : 0) | (word & (MANY | PLAIN | MIXED));
  record->write_at = write_place(a, value);
  return true;
}

static bool note_read(const struct access *a, struct interp_record *record) {
  uint64_t word = current(a, record->read);
  bool far = word && group_of(a, word) != a->group, now = word && !far && when(word) == a->when;
  bool first_plain = !a->atomic && !(word & (far ? PLAIN : PLAIN_NOW));
  if (word && (far || now) && !first_plain) {
    bool is_other = far || who(word) != a->me;
    record->read = word | (far ? MANY : is_other ? SOME : 0) | (a->atomic || !is_other ? 0 : far ? MIXED : MIXED_NOW);
    return false;
  }
  record->read = only_me(a) | (word & (MANY | PLAIN | MIXED)) | (far ? MANY : 0);
  record->read |= now && (word & SOME || who(word) != a->me) ? SOME : 0;
  record->read_at = a->at;
  return true;
}

// ---- messages -------------------------------------------------------------------------------------------------------

struct party { // one of the two
  uint64_t who;
  const struct interp_function *fn; // NULL: not known where
  uint32_t value;
  const char *does, *has;
};

static struct party me_of(const struct access *a) {
  bool is_atomic = a->inst->code >= CODE_ATOMIC_LOAD && a->inst->code <= CODE_ATOMIC_CAS;
  return (struct party){.who = a->me,
                        .fn = a->item->frames[a->item->depth - 1].fn,
                        .value = a->inst->value,
                        .does = !a->writes  ? "reads"
                                : is_atomic ? "does an atomic operation on"
                                            : "writes",
                        .has = a->writes ? "written" : "read"};
}

static struct party other_of(const struct access *a, uint64_t word, uint32_t at, bool wrote) {
  const struct kiln_drv_module *module = a->worker->module;
  struct party other = {.who = who(word), .has = wrote ? "written" : "read"};
  other.does = !wrote ? "reads" : word & PLAIN_NOW ? "writes" : "does an atomic operation on";
  uint32_t number = (at & AT_MASK) - 1;
  for (uint32_t i = 0; i < module->ir->function_count && at & AT_MASK; i++) {
    const struct interp_function *fn = &module->functions[i];
    if (number < fn->first_code || number - fn->first_code >= fn->code_count)
      continue;
    other.fn = fn;
    other.value = fn->code[number - fn->first_code].value;
  }
  return other;
}

// Whether the work-item that the word names is one with which this one races, and not only others that it stands for.
static bool names_the_other(const struct access *a, uint64_t word) {
  if (a->atomic && !(word & PLAIN_NOW))
    return false;
  return group_of(a, word) != a->group || (when(word) == a->when && who(word) != a->me);
}

static void id_of(const struct access *a, uint64_t who, uint64_t id[3]) {
  const struct kiln_drv_launch *launch = a->worker->launch;
  uint64_t group = who >> a->worker->races->item_bits;
  uint64_t item = who & (((uint64_t)1 << a->worker->races->item_bits) - 1);
  for (int d = 0; d < 3; d++) {
    id[d] = group % launch->groups[d] * launch->local[d] + item % launch->local[d] + launch->offset[d];
    group /= launch->groups[d];
    item /= launch->local[d];
  }
}

// Writes that one party has accessed a byte that another had accessed before. has: the other party; NULL: it is several
// work-items.
static void describe(const struct access *a, uint64_t offset, const struct party *does, const struct party *has,
                     const char *verb, char *out) {
  char name[200], other[100] = "other work-items have", place[320] = "", where[300];
  uint64_t id[3];
  kiln_interp_object_name(a->place->object, name, sizeof name);
  if (has) {
    id_of(a, has->who, id);
    snprintf(other, sizeof other, "work-item (%llu, %llu, %llu) has", (unsigned long long)id[0],
             (unsigned long long)id[1], (unsigned long long)id[2]);
  }
  if (has && has->fn) {
    kiln_interp_where(has->fn->fn, has->value, where, sizeof where);
    snprintf(place, sizeof place, " at %s", where);
  }
  id_of(a, does->who, id);
  size_t used = kiln_interp_head(a->worker, does->fn->fn, does->value, id, out);
  snprintf(out + used, KILN_HOST_MESSAGE_SIZE - used,
           "%s a byte at offset %llu of %s, which %s %s%s: a race, for nothing orders the two", does->does,
           (unsigned long long)offset, name, other, verb, place);
}

// Two groups race in the later one, whichever came first in time: so the message is the same for every number of
// threads. When the later one came first, this group goes on, since it may have a fault of its own.
static bool report(const struct access *a, uint64_t offset, uint64_t word, uint32_t at, bool wrote) {
  struct interp_worker *worker = a->worker;
  struct party me = me_of(a), other = other_of(a, word, at, wrote);
  bool named = names_the_other(a, word);
  uint64_t group = group_of(a, word);
  if (!named || group <= a->group || !other.fn) {
    describe(a, offset, &me, named ? &other : NULL, other.has, worker->message);
    worker->status = KILN_ERR_DEVICE;
    worker->fault = INTERP_FAULT_RACE;
    return false;
  }
  if (group < worker->later_group) {
    worker->later_group = group;
    describe(a, offset, &other, &me, me.has, worker->later_message);
  }
  return true;
}

// ---- accesses of several bytes --------------------------------------------------------------------------------------

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

// *is_who: whether WHO of the word is this access now.
static bool touch_byte(const struct access *a, struct interp_record *record, uint64_t offset, unsigned char value,
                       bool *is_who) {
  uint64_t write = current(a, record->write), read = current(a, record->read);
  if (races_with_writes(a, write, record->write_at, value)) {
    if (!report(a, offset, write, record->write_at, true))
      return false;
  } else if (a->writes && races_with_reads(a, read) && !report(a, offset, read, record->read_at, false)) {
    return false;
  }
  *is_who = a->writes ? note_write(a, record, value) : note_read(a, record);
  return true;
}

// Whether the access finds, and leaves, the same in both records. x_value, y_value: what it stores.
static bool are_alike(const struct access *a, const struct interp_record *x, unsigned char x_value,
                      const struct interp_record *y, unsigned char y_value) {
  return x->write == y->write && x->read == y->read &&
         (!a->writes || !x->write || (x->write_at >> AT_BITS == x_value) == (y->write_at >> AT_BITS == y_value));
}

// Bytes that one lock is for: a record is looked at and changed as a whole. Most are like the one before.
static bool touch_line(const struct access *a, struct interp_record *records, uint64_t offset, uint64_t size,
                       const unsigned char *bytes) {
  struct interp_races *races = a->worker->races;
  bool *lock = &races->locks[(a->place->base + offset) / INTERP_RACE_LINE % INTERP_RACE_LOCKS], ok = true;
  bool locks = races->shared && !a->local, is_who = false;
  while (locks && __atomic_test_and_set(lock, __ATOMIC_ACQUIRE))
    sched_yield();
  struct interp_record before = {0};
  unsigned char before_value = 0;
  for (uint64_t i = 0; i < size && ok; i++) {
    struct interp_record *record = &records[i];
    unsigned char value = bytes ? bytes[i] : 0;
    if (!i || !are_alike(a, record, value, &before, before_value)) {
      before = *record;
      before_value = value;
      ok = touch_byte(a, record, offset + i, value, &is_who);
      continue;
    }
    record->read = record[-1].read;
    record->write = record[-1].write;
    if (is_who && a->writes)
      record->write_at = write_place(a, value);
    else if (is_who)
      record->read_at = a->at;
  }
  if (locks)
    __atomic_clear(lock, __ATOMIC_RELEASE);
  return ok;
}

bool kiln_interp_race(struct interp_worker *worker, const struct interp_item *item, const struct interp_inst *inst,
                      const struct interp_place *place, uint64_t size, enum interp_touch touch,
                      const unsigned char *bytes) {
  const struct kiln_drv_launch *launch = worker->launch;
  struct access a = {.worker = worker, .item = item, .inst = inst, .place = place, .when = worker->barriers};
  if (place->object->space != KILN_GLOBAL && place->object->space != KILN_LOCAL)
    return true;
  a.local = place->object->space == KILN_LOCAL;
  a.atomic = touch >= INTERP_TOUCH_ATOMIC_READ;
  a.writes = touch == INTERP_TOUCH_WRITE || touch == INTERP_TOUCH_ATOMIC_WRITE;
  a.group = worker->group[0] + launch->groups[0] * (worker->group[1] + launch->groups[1] * worker->group[2]);
  a.me = item->local_id[0] + launch->local[0] * (item->local_id[1] + launch->local[1] * item->local_id[2]);
  a.me |= a.group << worker->races->item_bits;
  struct interp_record *records = records_of(&a);
  if (!records || a.group >= WHO_MASK >> worker->races->item_bits || a.when > WHEN_MAX)
    return true;
  const struct interp_function *fn = item->frames[item->depth - 1].fn;
  uint64_t number = fn->first_code + (uint64_t)(inst - fn->code) + 1;
  a.at = number > AT_MASK ? 0 : (uint32_t)number;
  uint64_t start = (uintptr_t)place->data - place->base;
  for (uint64_t i = 0, count; i < size; i += count) {
    count = INTERP_RACE_LINE - (place->base + start + i) % INTERP_RACE_LINE;
    count = count < size - i ? count : size - i;
    if (!touch_line(&a, records + i, start + i, count, bytes ? bytes + i : NULL))
      return false;
  }
  return true;
}
