// Races, against their definition: work-items of a few groups access one byte, as a table says, and every pair of
// accesses that nothing orders is looked at. Groups run on two threads, in an order that differs from run to run.
#include "tests/unit/interp_test.h"

enum { GROUPS = 4, ITEMS = 3, EPOCHS = 2, STEPS = 2, ACCESSES = GROUPS * ITEMS * EPOCHS * STEPS };
enum kind { NOTHING, READ, ATOMIC_READ, ATOMIC_WRITE, WRITE };

struct access {
  unsigned group, item, epoch;
  enum kind kind;
  int value; // of WRITE
};

// A table entry is NOTHING, READ, …, or WRITE plus the value. A volatile access is an atomic one.
#define KERNEL(SPACE)                                                                                                  \
  "kiln_ir 1\n"                                                                                                        \
  "kernel @k(%table: ptr.global, %y: ptr." SPACE ") {\n"                                                               \
  "  %item = global_id 0 : i64\n"                                                                                      \
  "  %entries = padd %table, %item * 16\n" STEP("0") STEP("1") "  barrier [local, global]\n" STEP("2")                 \
      STEP("3") "  return\n}\n"
#define STEP(k)                                                                                                        \
  "  %p" k " = padd %entries, " k ":i64 * 4\n"                                                                         \
  "  %e" k " = load %p" k ", align 4 : i32\n"                                                                          \
  "  switch ^s" k " %e" k " [0, 1, 2, 3] {\n"                                                                          \
  "    %v" k " = isub %e" k ", 4:i32\n    %b" k " = trunc %v" k " : i8\n    store %y, %b" k ", align 1\n    yield\n"   \
  "  } case 0 {\n    yield\n"                                                                                          \
  "  } case 1 {\n    %r" k " = load %y, align 1 : i8\n    yield\n"                                                     \
  "  } case 2 {\n    %a" k " = load.volatile %y, align 1 : i8\n    yield\n"                                            \
  "  } case 3 {\n    store.volatile %y, 9:i8, align 1\n    yield\n  }\n"

static bool race(const struct access *x, const struct access *y, bool local, bool equal_stores) {
  if (x->group == y->group ? x->epoch != y->epoch || x->item == y->item : local)
    return false;
  bool x_writes = x->kind >= ATOMIC_WRITE, y_writes = y->kind >= ATOMIC_WRITE;
  bool x_atomic = x->kind == ATOMIC_READ || x->kind == ATOMIC_WRITE;
  bool y_atomic = y->kind == ATOMIC_READ || y->kind == ATOMIC_WRITE;
  if (!x_writes && !y_writes)
    return false;
  if (x->kind == WRITE && y->kind == WRITE)
    return equal_stores || x->value != y->value;
  return !(x_atomic && y_atomic);
}

static uint32_t next(uint32_t *state) { return (*state = *state * 1664525 + 1013904223) >> 16; }

// Few accesses, of few kinds: about half of the tables have a race.
static unsigned make_table(uint32_t *state, int32_t *table, struct access *accesses) {
  unsigned count = 0, percent = 5 + next(state) % 40, kinds = 1 + next(state) % 15, values = 1 + next(state) % 2;
  for (unsigned i = 0; i < ACCESSES; i++) {
    struct access a = {.item = i / (EPOCHS * STEPS), .epoch = i % (EPOCHS * STEPS) / STEPS};
    a.group = a.item / ITEMS;
    a.item %= ITEMS;
    a.kind = next(state) % 100 < percent ? READ + next(state) % 4 : NOTHING;
    a.kind = a.kind && kinds >> (a.kind - 1) & 1 ? a.kind : NOTHING;
    a.value = (int)(next(state) % values);
    table[i] = a.kind == WRITE ? WRITE + a.value : (int32_t)a.kind;
    if (a.kind)
      accesses[count++] = a;
  }
  return count;
}

static unsigned run(const char *text, unsigned tables, bool local, bool equal_stores) {
  struct machine m;
  machine_open(&m);
  m.equal_stores = equal_stores ? "1" : "0";
  struct kiln_drv_memory *table = machine_buffer(&m, ACCESSES * 4, NULL), *y = machine_buffer(&m, 1, NULL);
  struct kiln_drv_arg args[] = {buffer_arg(table), local ? local_arg(1) : buffer_arg(y)};
  struct run_desc desc = {.global = {GROUPS * ITEMS}, .local = {ITEMS}, .args = args, .arg_count = 2};
  uint32_t state = 1;
  unsigned races = 0;
  for (unsigned t = 0; t < tables; t++) {
    struct access accesses[ACCESSES];
    unsigned count = make_table(&state, m.driver->host_pointer(m.drv, table), accesses);
    bool expected = false;
    for (unsigned i = 0; i < count; i++)
      for (unsigned j = 0; j < i; j++)
        expected |= race(&accesses[i], &accesses[j], local, equal_stores);
    enum kiln_status status = machine_run(&m, text, &desc);
    const char *message = status ? machine_message(&m) : "";
    cr_assert_eq(status != KILN_OK, expected, "table %u: %d %s", t, (int)status, message);
    cr_assert(!status || strstr(message, ": a race, for nothing orders the two"), "table %u: %s", t, message);
    races += expected;
  }
  m.driver->free(m.drv, table);
  m.driver->free(m.drv, y);
  machine_close(&m);
  return races;
}

Test(races, of_global_memory) {
  unsigned races = run(KERNEL("global"), 3000, false, false);
  cr_assert(races > 600 && races < 2400, "%u races", races);
}

Test(races, of_local_memory) {
  unsigned races = run(KERNEL("local"), 1500, true, false);
  cr_assert(races > 300 && races < 1200, "%u races", races);
}

Test(races, stores_of_equal_values) {
  unsigned races = run(KERNEL("global"), 500, false, true);
  cr_assert(races > 100, "%u races", races);
}
