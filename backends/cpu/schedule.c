// Which variant of its program a launch wants: the conditions of a launch (conditions.def), and the rules of its kernel
// (abi.h), which are asked in their order.
#include <string.h>

#include "backends/cpu/cpu.h"

#define MAX_SMALL_IDS ((uint64_t)1 << 31) // global ids that small ones are below
#define MIN_ITEMS 4096                    // for which compiling once more pays
#define MIN_WARPS 4                       // of a launch, for lanes to be faster than scalars on several threads
#define MERGED_LOCAL_BYTES (1u << 18)     // of local memory that merged groups may have: more is no longer near

// ---- sizes

uint64_t kiln_cpu_product(const uint64_t size[3]) {
  uint64_t total = 1;
  for (int d = 0; d < 3; d++)
    if (__builtin_mul_overflow(total, size[d], &total))
      return UINT64_MAX;
  return total;
}

uint64_t kiln_cpu_row(const struct kiln_drv_kernel *kernel, const uint64_t local[3]) {
  return kernel->meta.merged ? kernel->meta.merged : local[0];
}

uint64_t kiln_cpu_most_items(const struct kiln_drv_kernel *kernel) {
  return kernel->meta.item_bytes ? KILN_CPU_MAX_ITEM_BLOCK / kernel->meta.item_bytes : UINT64_MAX;
}

// Whether the sizes of all groups in a dimension, the last ones too, are multiples of unit.
static bool are_multiples(uint64_t global, uint64_t local, uint64_t unit) {
  return global % unit == 0 && (local % unit == 0 || local >= global);
}

static uint64_t warp(const struct kiln_drv_launch_desc *desc) { return desc->kernel->module->warp_size; }

// The work-items along a dimension of the largest group; where the size is open, none.
static uint64_t side(const struct kiln_drv_launch_desc *desc, unsigned d) {
  return desc->local_free ? 0 : desc->local[d] < desc->global[d] ? desc->local[d] : desc->global[d];
}

// ---- conditions

static bool has_large_ids(const struct kiln_drv_launch_desc *desc) {
  bool large = false;
  for (unsigned d = 0; d < 3; d++)
    large |= desc->global[d] > MAX_SMALL_IDS || desc->offset[d] > MAX_SMALL_IDS - desc->global[d];
  return large;
}

static bool has_large_total(const struct kiln_drv_launch_desc *desc) {
  return kiln_cpu_product(desc->global) >= MAX_SMALL_IDS;
}

static bool has_planes(const struct kiln_drv_launch_desc *desc) { return side(desc, 2) > 1; }
static bool has_rows(const struct kiln_drv_launch_desc *desc) { return side(desc, 1) > 1; }
static bool has_columns(const struct kiln_drv_launch_desc *desc) { return side(desc, 0) > 1; }

static bool cuts_sub_groups(const struct kiln_drv_launch_desc *desc) {
  return (has_rows(desc) || has_planes(desc)) && (desc->local[0] % warp(desc) || desc->global[0] % warp(desc));
}

static bool has_wide_groups(const struct kiln_drv_launch_desc *desc) {
  return !desc->local_free && desc->local[0] != 1;
}

// A row that is all of the launch is what the driver can choose at the worst.
static bool has_ragged_rows(const struct kiln_drv_launch_desc *desc) {
  uint64_t row = kiln_cpu_row(desc->kernel, desc->local_free ? desc->global : desc->local);
  return !are_multiples(desc->global[0], row, desc->kernel->meta.row_unit);
}

static bool has_ragged_columns(const struct kiln_drv_launch_desc *desc) {
  uint64_t column = desc->local_free ? desc->global[1] : desc->local[1];
  return !are_multiples(desc->global[1], column, desc->kernel->meta.column_unit);
}

static bool has_ragged_offset(const struct kiln_drv_launch_desc *desc) {
  return desc->offset[0] % desc->kernel->meta.lanes != 0;
}

static bool has_partial_groups(const struct kiln_drv_launch_desc *desc) {
  uint64_t row = kiln_cpu_row(desc->kernel, desc->local);
  bool full = desc->local_free || (row && desc->global[0] % row == 0);
  for (unsigned d = 1; d < 3; d++)
    full &= desc->local_free || (desc->local[d] && desc->global[d] % desc->local[d] == 0);
  return !full;
}

static bool has_open_size(const struct kiln_drv_launch_desc *desc) { return desc->local_free; }

static bool has_many_items(const struct kiln_drv_launch_desc *desc) {
  uint64_t items = kiln_cpu_product(desc->global);
  return items >= MIN_WARPS * warp(desc) && items < MAX_SMALL_IDS;
}

static bool has_large_groups(const struct kiln_drv_launch_desc *desc) {
  return !desc->local_free && kiln_cpu_product(desc->local) != 1;
}

static bool has_small_groups(const struct kiln_drv_launch_desc *desc) {
  return !desc->local_free && 2 * kiln_cpu_product(desc->local) <= 3 * warp(desc);
}

static bool has_offset(const struct kiln_drv_launch_desc *desc) {
  return desc->offset[0] || desc->offset[1] || desc->offset[2];
}

// The rows that the kernel runs: of a flat one, those of the launch.
static uint64_t run_row(const struct kiln_drv_launch_desc *desc) {
  uint32_t flags = desc->kernel->meta.flags;
  uint64_t row = desc->global[flags & KILN_CPU_INTERCHANGED ? 1 : 0];
  return !(flags & KILN_CPU_FLAT) && !desc->local_free && desc->local[0] < row ? desc->local[0] : row;
}

static bool has_one_row(const struct kiln_drv_launch_desc *desc) {
  return run_row(desc) == kiln_cpu_product(desc->global);
}

static bool has_short_rows(const struct kiln_drv_launch_desc *desc) {
  const struct kiln_cpu_meta_kernel *meta = &desc->kernel->meta;
  uint64_t row = run_row(desc);
  return row <= meta->flat_row || (row <= meta->flat_ragged_row && row % warp(desc) != 0);
}

static bool has_filled_rows(const struct kiln_drv_launch_desc *desc) {
  uint64_t row = run_row(desc);
  return row % warp(desc) == 0 || row % desc->kernel->meta.lanes == 0;
}

static bool has_long_columns(const struct kiln_drv_launch_desc *desc) {
  uint64_t column = side(desc, 1);
  return !desc->local_free && (column >= side(desc, 0) || column >= warp(desc));
}

static bool is_narrow(const struct kiln_drv_launch_desc *desc) {
  return desc->global[1] < warp(desc) && desc->global[1] < desc->global[0];
}

static bool is_mergeable(const struct kiln_drv_launch_desc *desc) {
  const struct kiln_drv_kernel *kernel = desc->kernel;
  uint64_t lanes = warp(desc), items = kiln_cpu_product(desc->local), bytes = kernel->meta.local_bytes;
  if (desc->local_free || desc->local[0] != 1 || items == 1)
    return false;
  for (uint32_t i = 0; i < desc->arg_count; i++)
    bytes += desc->args[i].kind == KILN_ARG_LOCAL ? desc->args[i].size : 0;
  return desc->global[0] >= lanes && kiln_cpu_product(desc->global) / items >= MIN_WARPS * lanes &&
         items * lanes <= KILN_CPU_MAX_GROUP && bytes * lanes <= MERGED_LOCAL_BYTES &&
         items * lanes <= kiln_cpu_most_items(kernel) / 2; // merged, a work-item may keep a little more
}

static bool is_ragged(const struct kiln_drv_launch_desc *desc) {
  return desc->global[0] % warp(desc) || desc->offset[0] % warp(desc);
}

static bool has_rows_to(const struct kiln_drv_launch_desc *desc, unsigned most) {
  return !desc->local_free && side(desc, 0) <= most;
}

static bool has_rows_of_1(const struct kiln_drv_launch_desc *desc) { return has_rows_to(desc, 1); }
static bool has_rows_to_4(const struct kiln_drv_launch_desc *desc) { return has_rows_to(desc, 4); }
static bool has_rows_to_8(const struct kiln_drv_launch_desc *desc) { return has_rows_to(desc, 8); }

static bool has_multiples_of_4(const struct kiln_drv_launch_desc *desc) {
  return !desc->local_free && are_multiples(desc->global[0], desc->local[0], 4);
}

static bool has_multiples_of_8(const struct kiln_drv_launch_desc *desc) {
  return !desc->local_free && are_multiples(desc->global[0], desc->local[0], 8);
}

static bool has_uneven_rows(const struct kiln_drv_launch_desc *desc) {
  return side(desc, 0) % desc->kernel->meta.row_unit != 0;
}

static bool has_tall_groups(const struct kiln_drv_launch_desc *desc) { return side(desc, 1) > 1; }

// In one piece, since each launch asks: calls through a table took ten times as long as the conditions themselves.
uint32_t kiln_cpu_conditions(const struct kiln_drv_launch_desc *desc, uint32_t mask) {
  uint32_t held = 0;
#define KILN_CPU_CONDITION(NAME, name, text, refusal)                                                                  \
  if (mask & KILN_CPU_IF(NAME) && name(desc))                                                                          \
    held |= KILN_CPU_IF(NAME);
#include "backends/cpu/conditions.def"
  return held;
}

const char *kiln_cpu_refusal(uint32_t held) {
  static const char *const refusals[KILN_CPU_CONDITION_COUNT] = {
#define KILN_CPU_CONDITION(NAME, name, text, refusal) refusal,
#include "backends/cpu/conditions.def"
  };
  return refusals[__builtin_ctz(held)];
}

// ---- rules

static bool holds(const struct kiln_cpu_rule *rule, uint32_t held) {
  return (held & rule->all) == rule->all && !(held & rule->none) && (!rule->any || held & rule->any);
}

// Whether at least MIN_ITEMS work-items have run, with those of this launch, that a variant would have run faster.
static bool pays(struct kiln_drv_kernel *kernel, uint64_t items) {
  if (items >= MIN_ITEMS || __atomic_load_n(&kernel->slow_items, __ATOMIC_RELAXED) >= MIN_ITEMS)
    return true;
  return __atomic_add_fetch(&kernel->slow_items, items, __ATOMIC_RELAXED) >= MIN_ITEMS;
}

// The rule that the launch follows; rule_count: none applies. A rule that the launch needs ends the list; without
// wishes only such rules count.
static uint32_t choose(const struct kiln_drv_launch_desc *desc) {
  const struct kiln_cpu_meta_kernel *meta = &desc->kernel->meta;
  uint32_t held = kiln_cpu_conditions(desc, desc->kernel->asked), wishes = 0, need = 0;
  for (; need < meta->rule_count; need++) {
    if (!holds(&meta->rules[need], held))
      continue;
    if (meta->rules[need].when == KILN_CPU_NEEDS)
      break;
    wishes |= UINT32_C(1) << need;
  }
  bool counted = false, paid = false; // a launch counts once
  for (wishes = desc->without_wishes ? 0 : wishes; wishes; wishes &= wishes - 1) {
    uint32_t i = (uint32_t)__builtin_ctz(wishes);
    if (meta->rules[i].when == KILN_CPU_PREFERS)
      return i;
    if (!counted)
      paid = pays(desc->kernel, kiln_cpu_product(desc->global));
    counted = true;
    if (paid || (meta->rules[i].when == KILN_CPU_REPLACES && need < meta->rule_count))
      return i;
  }
  return need;
}

// Whether a work-item may run for long, so that its code must ask whether to stop.
static bool has_loops(const struct kiln_drv_kernel *kernel) { return !kernel->meta.tiny; }

struct kiln_variant kiln_cpu_variant(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc) {
  (void)drv;
  const struct kiln_drv_kernel *kernel = desc->kernel;
  bool stops = desc->stoppable && has_loops(kernel) && !(kernel->meta.flags & KILN_CPU_STOPS);
  uint32_t rule = choose(desc);
  if (rule == kernel->meta.rule_count)
    return (struct kiln_variant){.options = stops ? "--kiln-stop=1" : NULL};
  return (struct kiln_variant){kernel->options[rule][stops], kernel->meta.rules[rule].when != KILN_CPU_NEEDS};
}

// ---- loading

uint32_t kiln_cpu_asked(const struct kiln_cpu_meta_kernel *meta) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < meta->rule_count; i++)
    mask |= meta->rules[i].all | meta->rules[i].any | meta->rules[i].none;
  return mask;
}

uint32_t kiln_cpu_needs(const struct kiln_cpu_meta_kernel *meta) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < meta->rule_count; i++)
    if (meta->rules[i].when == KILN_CPU_NEEDS)
      mask |= meta->rules[i].all | meta->rules[i].any;
  return mask & ~KILN_CPU_IF(OPEN_SIZE); // then the driver chooses one that suits
}

static bool is_rule(const struct kiln_cpu_meta_kernel *meta, const struct kiln_cpu_rule *rule) {
  const struct kiln_cpu_schedule *wanted = &rule->schedule;
  uint32_t rows = KILN_CPU_IF(RAGGED_ROWS) | KILN_CPU_IF(UNEVEN_ROWS), asked;
  asked = rule->all | rule->any | rule->none;
  return !((uint64_t)asked >> KILN_CPU_CONDITION_COUNT) && rule->when <= KILN_CPU_REPLACES &&
         (meta->row_unit || !(asked & rows)) && (meta->column_unit || !(asked & KILN_CPU_IF(RAGGED_COLUMNS))) &&
         wanted->shape < KILN_CPU_SHAPE_COUNT && (wanted->shape || wanted->lanes || wanted->rows || wanted->ids);
}

bool kiln_cpu_check_rules(const struct kiln_cpu_meta_kernel *meta) {
  bool fits = meta->lanes && meta->rule_count <= KILN_CPU_MAX_RULES;
  for (uint32_t i = 0; fits && i < meta->rule_count; i++)
    fits = is_rule(meta, &meta->rules[i]);
  return fits;
}

bool kiln_cpu_write_options(struct kiln_drv_module *module) {
  struct kiln_strbuf text = {0};
  for (uint32_t k = 0; k < module->kernel_count; k++)
    for (uint32_t i = 0; i < module->kernels[k].meta.rule_count; i++)
      for (unsigned stops = 0; stops < 2; stops++) {
        kiln_cpu_schedule_print(&text, &module->kernels[k].meta.rules[i].schedule, " --kiln-");
        kiln_strbuf_puts(&text, stops ? " --kiln-stop=1" : "");
        kiln_strbuf_putc(&text, '\0');
      }
  bool failed = text.failed;
  const char *at = module->variant_options = kiln_strbuf_take(&text);
  for (uint32_t k = 0; k < module->kernel_count && !failed; k++)
    for (uint32_t i = 0; i < module->kernels[k].meta.rule_count; i++)
      for (unsigned stops = 0; stops < 2; stops++, at += strlen(at) + 1)
        module->kernels[k].options[i][stops] = at + 1; // without the first space
  return !failed;
}
