// The conditions of launches (backends/cpu/conditions.def), with the examples that stand there, and which of a kernel's
// rules a launch follows.
#include <criterion/criterion.h>
#include <string.h>

#include "backends/cpu/cpu.h"

struct example {
  enum kiln_cpu_condition condition;
  bool holds;
  uint64_t global[3], local[3], offset[3]; // 0: 1; a local size of 0: it is open
};

// At a warp of 8.
#define ROW(NAME, holds, ...)                                                                                          \
  { KILN_CPU_IS_##NAME, holds, __VA_ARGS__ }
static const struct example examples[] = {
    ROW(LARGE_IDS, true, {2147483649}, {1}),
    ROW(LARGE_IDS, false, {2147483648}, {1}),
    ROW(LARGE_IDS, true, {64}, {1}, {2147483640}),
    ROW(LARGE_IDS, true, {1, 1, 2147483649}, {0}),
    ROW(LARGE_TOTAL, true, {65536, 65536}, {16}),
    ROW(LARGE_TOTAL, false, {65536, 32767}, {16}),
    ROW(PLANES, true, {8, 8, 8}, {4, 4, 4}),
    ROW(PLANES, false, {8, 8, 1}, {4, 4, 4}),
    ROW(PLANES, false, {8, 8, 8}, {4, 4}),
    ROW(PLANES, false, {8, 8, 8}, {0}),
    ROW(ROWS, true, {8, 8}, {4, 2}),
    ROW(ROWS, false, {64}, {64}),
    ROW(COLUMNS, true, {64}, {64}),
    ROW(COLUMNS, false, {64, 64}, {1, 64}),
    ROW(CUT_SUB_GROUPS, true, {24, 8}, {12, 4}),
    ROW(CUT_SUB_GROUPS, false, {32, 8}, {16, 4}),
    ROW(CUT_SUB_GROUPS, true, {20, 8}, {16, 4}),
    ROW(CUT_SUB_GROUPS, false, {24, 8}, {12, 1}),
    ROW(WIDE_GROUPS, true, {64, 8}, {2, 8}),
    ROW(WIDE_GROUPS, false, {64, 8}, {1, 8}),
    ROW(WIDE_GROUPS, false, {64, 8}, {0}),
    ROW(RAGGED_ROWS, true, {100}, {64}),
    ROW(RAGGED_ROWS, true, {24}, {12}),
    ROW(RAGGED_ROWS, false, {24}, {100}),
    ROW(RAGGED_ROWS, true, {100}, {0}),
    ROW(RAGGED_ROWS, false, {24}, {0}),
    ROW(RAGGED_COLUMNS, true, {64, 6}, {8, 6}),
    ROW(RAGGED_COLUMNS, true, {64, 10}, {8, 4}),
    ROW(RAGGED_COLUMNS, false, {64, 8}, {8, 4}),
    ROW(RAGGED_OFFSET, true, {64}, {8}, {3}),
    ROW(RAGGED_OFFSET, false, {64}, {8}, {8, 3}),
    ROW(PARTIAL_GROUPS, true, {100}, {64}),
    ROW(PARTIAL_GROUPS, true, {64, 9}, {64, 2}),
    ROW(PARTIAL_GROUPS, false, {128, 8}, {64, 2}),
    ROW(PARTIAL_GROUPS, false, {100}, {0}),
    ROW(OPEN_SIZE, true, {100}, {0}),
    ROW(OPEN_SIZE, false, {100}, {1}),
    ROW(MANY_ITEMS, true, {32}, {0}),
    ROW(MANY_ITEMS, false, {31}, {0}),
    ROW(MANY_ITEMS, false, {65536, 65536}, {0}),
    ROW(LARGE_GROUPS, false, {32}, {1}),
    ROW(LARGE_GROUPS, true, {32, 4}, {1, 2}),
    ROW(SMALL_GROUPS, true, {60, 60}, {6, 2}),
    ROW(SMALL_GROUPS, false, {60, 60}, {13, 1}),
    ROW(SMALL_GROUPS, false, {60, 60}, {0}),
    ROW(OFFSET, true, {60}, {6}, {0, 0, 1}),
    ROW(OFFSET, false, {60}, {6}),
    ROW(ONE_ROW, true, {4096}, {4096}),
    ROW(ONE_ROW, true, {64, 1}, {0}),
    ROW(ONE_ROW, false, {64, 2}, {0}),
    ROW(SHORT_ROWS, true, {16, 900}, {0}),
    ROW(SHORT_ROWS, true, {28, 900}, {0}),
    ROW(SHORT_ROWS, false, {32, 900}, {0}),
    ROW(SHORT_ROWS, false, {100, 900}, {0}),
    ROW(SHORT_ROWS, true, {100, 900}, {10}),
    ROW(FILLED_ROWS, true, {24, 900}, {0}),
    ROW(FILLED_ROWS, false, {28, 900}, {0}),
    ROW(LONG_COLUMNS, true, {64, 64}, {4, 8}),
    ROW(LONG_COLUMNS, true, {64, 64}, {16, 8}),
    ROW(LONG_COLUMNS, false, {64, 64}, {8, 4}),
    ROW(LONG_COLUMNS, false, {64, 64}, {0}),
    ROW(NARROW, true, {6, 2}, {0}),
    ROW(NARROW, false, {6, 8}, {0}),
    ROW(NARROW, false, {64, 8}, {0}),
    ROW(NARROW, false, {2, 6}, {0}),
    ROW(MERGEABLE, true, {256, 256}, {1, 8}),
    ROW(MERGEABLE, false, {256, 256}, {2, 8}),
    ROW(MERGEABLE, false, {256, 256}, {1, 1}),
    ROW(MERGEABLE, false, {16, 8}, {1, 8}),       // two warps of groups
    ROW(MERGEABLE, false, {256, 1024}, {1, 513}), // 4,104 work-items
    ROW(RAGGED_LAUNCH, true, {70, 8}, {0}),
    ROW(RAGGED_LAUNCH, true, {64, 8}, {0}, {4}),
    ROW(RAGGED_LAUNCH, false, {64, 9}, {0}, {8, 3}),
    ROW(ROWS_OF_1, true, {64}, {1}),
    ROW(ROWS_OF_1, false, {64}, {2}),
    ROW(ROWS_OF_1, false, {64}, {0}),
    ROW(ROWS_TO_4, true, {64}, {4}),
    ROW(ROWS_TO_4, true, {3}, {64}),
    ROW(ROWS_TO_4, false, {64}, {5}),
    ROW(ROWS_TO_8, true, {64}, {8}),
    ROW(ROWS_TO_8, false, {64}, {9}),
    ROW(MULTIPLES_OF_4, true, {60}, {12}),
    ROW(MULTIPLES_OF_4, false, {62}, {4}),
    ROW(MULTIPLES_OF_8, true, {64}, {8}),
    ROW(MULTIPLES_OF_8, false, {60}, {8}),
    ROW(UNEVEN_ROWS, true, {48}, {12}),
    ROW(UNEVEN_ROWS, false, {40}, {16}),
    ROW(TALL_GROUPS, true, {64, 64}, {1, 2}),
    ROW(TALL_GROUPS, false, {64, 64}, {64, 1}),
};

struct world {
  struct kiln_drv_kernel kernel;
  struct kiln_drv_launch_desc launch;
  struct kiln_drv_module module; // last: it ends in an array of any length
};

static void world_set(struct world *w, const uint64_t global[3], const uint64_t local[3], const uint64_t offset[3]) {
  w->module = (struct kiln_drv_module){.warp_size = 8};
  w->kernel.module = &w->module;
  w->launch = (struct kiln_drv_launch_desc){.kernel = &w->kernel, .work_dim = 3, .local_free = !local[0]};
  for (unsigned d = 0; d < 3; d++) {
    w->launch.global[d] = global[d] ? global[d] : 1;
    w->launch.local[d] = local[d] || !local[0] ? local[d] : 1;
    w->launch.offset[d] = offset[d];
  }
}

Test(cpu_schedule, conditions_hold_where_their_examples_say) {
  uint32_t held = 0, failed = 0;
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    const struct example *e = &examples[i];
    struct world w = {
        .kernel.meta = {.lanes = 8, .row_unit = 8, .column_unit = 4, .flat_row = 16, .flat_ragged_row = 63}};
    world_set(&w, e->global, e->local, e->offset);
    cr_expect_eq(kiln_cpu_conditions(&w.launch, 1u << e->condition) != 0, e->holds, "example %zu", i);
    *(e->holds ? &held : &failed) |= 1u << e->condition;
  }
  cr_expect_eq(held, (UINT64_C(1) << KILN_CPU_CONDITION_COUNT) - 1, "each has an example where it holds");
  cr_expect_eq(failed, held, "and where it does not");
}

// Where the kernel's own numbers differ from the target's.
Test(cpu_schedule, conditions_ask_for_what_the_kernel_runs) {
  static const uint64_t size[3] = {20, 40}, group[3] = {20, 4}, none[3] = {0};
  struct world w = {.kernel.meta = {.lanes = 8, .flat_row = 16, .flags = KILN_CPU_INTERCHANGED | KILN_CPU_FLAT}};
  world_set(&w, size, group, none);
  cr_expect_eq(kiln_cpu_conditions(&w.launch, KILN_CPU_IF(SHORT_ROWS)), 0, "rows lie along dimension 1");
  cr_expect_neq(kiln_cpu_conditions(&w.launch, KILN_CPU_IF(FILLED_ROWS)), 0);
  w.kernel.meta = (struct kiln_cpu_meta_kernel){.lanes = 20, .row_unit = 10, .merged = 10};
  cr_expect_neq(kiln_cpu_conditions(&w.launch, KILN_CPU_IF(FILLED_ROWS)), 0, "rows fill the kernel's lanes");
  cr_expect_eq(kiln_cpu_conditions(&w.launch, KILN_CPU_IF(RAGGED_ROWS)), 0, "merged groups have rows of 10");
}

// A kernel of three rules: a wish that counts work-items, one that stands in for a need, and that need.
static void choose(struct world *w, uint64_t items, uint64_t group, bool without_wishes, const char *expected,
                   bool is_wish) {
  const uint64_t global[3] = {items}, local[3] = {group}, none[3] = {0};
  world_set(w, global, local, none);
  w->launch.without_wishes = without_wishes;
  struct kiln_variant variant = kiln_cpu_variant(NULL, &w->launch);
  cr_expect_str_eq(variant.options ? variant.options : "", expected, "%u in groups of %u", (unsigned)items,
                   (unsigned)group);
  cr_expect_eq(variant.is_wish, is_wish);
}

static void kernel_init(struct world *w) {
  static const struct kiln_cpu_rule rules[] = {
      {.all = KILN_CPU_IF(ROWS_TO_8),
       .none = KILN_CPU_IF(ROWS_TO_4),
       .schedule.shape = KILN_CPU_SHAPE_FLATTENED,
       .when = KILN_CPU_GAINS},
      {.all = KILN_CPU_IF(ROWS_TO_4), .schedule.lanes = 4, .when = KILN_CPU_REPLACES},
      {.any = KILN_CPU_IF(RAGGED_ROWS) | KILN_CPU_IF(PARTIAL_GROUPS),
       .schedule = {.rows = KILN_CPU_ROWS_ANY, .ids = 64}}};
  memset(w, 0, sizeof *w);
  w->kernel.meta = (struct kiln_cpu_meta_kernel){.lanes = 8, .row_unit = 2, .rule_count = 3};
  memcpy(w->kernel.meta.rules, rules, sizeof rules);
  w->kernel.asked = kiln_cpu_asked(&w->kernel.meta);
  static char texts[] = "--kiln-shape=flattened\0--kiln-lanes=4\0--kiln-rows=any --kiln-ids=64";
  for (unsigned i = 0, at = 0; i < 3; at += strlen(texts + at) + 1)
    w->kernel.options[i++][0] = texts + at;
}

Test(cpu_schedule, rules_are_asked_in_their_order) {
  struct world w;
  kernel_init(&w);
  choose(&w, 64, 16, false, "", false);
  choose(&w, 5000, 8, false, "--kiln-shape=flattened", true);
  choose(&w, 5000, 8, true, "", false);
  choose(&w, 5000, 4, false, "--kiln-lanes=4", true);
  choose(&w, 64, 3, false, "--kiln-lanes=4", true); // where a variant is needed anyway, wishes that replace it pay
  choose(&w, 64, 3, true, "--kiln-rows=any --kiln-ids=64", false);
  choose(&w, 60, 7, false, "--kiln-rows=any --kiln-ids=64", false); // others do not
}

// Work-items count once for each launch, however many rules they would gain by.
Test(cpu_schedule, variants_pay_once_many_work_items_have_run) {
  struct world w;
  kernel_init(&w);
  for (unsigned i = 0; i < 3; i++)
    choose(&w, 1024, 8, false, "", false);
  choose(&w, 1024, 16, false, "", false); // gains nothing, and counts for nothing
  cr_expect_eq(w.kernel.slow_items, 3 * 1024);
  w.kernel.meta.rules[1] = w.kernel.meta.rules[0];
  choose(&w, 512, 8, false, "", false);
  cr_expect_eq(w.kernel.slow_items, 3 * 1024 + 512);
  choose(&w, 512, 8, false, "--kiln-shape=flattened", true);
}
