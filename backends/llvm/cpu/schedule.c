// The schedule of a kernel as data: what it is compiled with, and which launches want another one. The driver evaluates
// the conditions (backends/cpu/conditions.def) in the order of the list, and knows nothing else of these choices.
#include "backends/llvm/cpu/schedule.h"

#include "backends/llvm/arrange/arrange.h"
#include "backends/llvm/plan/cost.h"

#define SHORT_ROW 8 // warps of a row below which partial ones matter

// Whether the kernel would be flat, and without barriers and local memory, if each group had one work-item: the pass
// single_items makes it so, where optimisation is on. A kernel at one lane gains as well: the group's size is known.
static bool gains_by_single(const struct kiln_ll *ll, const struct kiln_function *fn) {
  uint64_t bytes;
  bool may = ll->job->options.optimize && kiln_ll_asks(ll, KILN_CPU_SHAPE_AUTO);
  return may && !fn->is_flat && !fn->has_sub_groups && kiln_function_private_local(fn, &bytes) &&
         (fn->has_barrier || bytes) && bytes <= KILN_COST_PRIVATE / ll->lanes;
}

void kiln_ll_find_launches(struct kiln_ll *ll, const struct kiln_function *fn, bool rearranged, uint32_t flags,
                           struct kiln_ll_launches *launches) {
  launches->single = !kiln_ll_asks(ll, KILN_CPU_SHAPE_SINGLE) && gains_by_single(ll, fn);
  launches->columns = !rearranged && kiln_ll_gains_by_columns(ll, fn);
  launches->interchange = !(flags & KILN_CPU_INTERCHANGED) && fn->has_barrier && kiln_ll_may_interchange_groups(fn);
}

void kiln_ll_find_flattening(struct kiln_ll *ll, const struct kiln_function *fn, unsigned lanes,
                             struct kiln_ll_launches *launches) {
  uint32_t warp = ll->job->target.warp_size;
  launches->fewer_lanes = ll->machine->cpu.interleave && !kiln_ll_asks(ll, KILN_CPU_SHAPE_PACKED) && !fn->is_flat &&
                          !fn->has_sub_groups && !fn->required_group_size[0] && warp >= 8 && lanes >= warp;
  bool may_widen = lanes > 1 || fn->required_group_size[0] == 1; // required rows are nothing to the flattened index
  launches->flattening = kiln_ll_asks(ll, KILN_CPU_SHAPE_AUTO) && may_widen && kiln_ll_may_flatten(fn);
  if (!launches->flattening)
    return;
  launches->flat_uses_ids = kiln_ll_flat_uses_ids(ll, fn);
  launches->flat_tests_rows = fn->assumed_shapes != NULL;
  launches->flat_gathers = kiln_ll_flat_gathers(ll, fn);
}

// ---- rules

// The functions below add at most KILN_CPU_MAX_RULES.
static void add(struct kiln_cpu_meta_kernel *meta, struct kiln_cpu_rule rule) {
  meta->rules[meta->rule_count++] = rule;
}

#define SCHEDULE(...) .schedule = {__VA_ARGS__}

// Rows up to which a kernel gains by the flattened index, where its own warps would be mostly empty.
static void set_short_rows(const struct kiln_ll_launches *l, uint32_t warp, struct kiln_cpu_meta_kernel *meta) {
  if (l->flat_uses_ids) { // which takes as long as several operations
    meta->flat_row = l->flat_tests_rows ? 3 * warp / 4 : (warp - 1) / 2;
    return;
  }
  meta->flat_row = 2 * warp;
  meta->flat_ragged_row = SHORT_ROW * warp - 1;
}

// Conditions that hold for group sizes that the kernel cannot run row by row.
static uint32_t odd_groups(const struct kiln_function *fn, const struct kiln_ll_launches *l, uint32_t flags) {
  uint32_t rows =
      flags & KILN_CPU_INTERCHANGED ? KILN_CPU_IF(COLUMNS) : KILN_CPU_IF(ROWS); // rows are numbered by that dimension
  return (l->one_plane ? KILN_CPU_IF(PLANES) : 0) | (l->one_row ? rows : 0) |
         (fn->has_sub_groups && !l->packed ? KILN_CPU_IF(CUT_SUB_GROUPS) : 0);
}

// Launches that the kernel cannot run, whatever their rows are like.
static void add_needs(const struct kiln_function *fn, const struct kiln_ll_launches *l,
                      struct kiln_cpu_meta_kernel *meta) {
  bool flattened = meta->flags & KILN_CPU_FLATTENED;
  uint32_t odd = odd_groups(fn, l, meta->flags);
  uint32_t alone =
      (meta->merged ? KILN_CPU_IF(WIDE_GROUPS) : 0) | (flattened && l->full_groups ? KILN_CPU_IF(PARTIAL_GROUPS) : 0);
  if (l->small_ids && odd)
    add(meta, (struct kiln_cpu_rule){
                  .all = KILN_CPU_IF(LARGE_IDS), .any = odd, SCHEDULE(.shape = KILN_CPU_SHAPE_PACKED, .ids = 64)});
  if (l->small_ids) // any rows: with larger ids the kernel may get other lanes
    add(meta, (struct kiln_cpu_rule){.any = KILN_CPU_IF(LARGE_IDS) | (flattened ? KILN_CPU_IF(LARGE_TOTAL) : 0),
                                     SCHEDULE(.rows = KILN_CPU_ROWS_ANY, .ids = 64)});
  if (odd)
    add(meta, (struct kiln_cpu_rule){.any = odd, SCHEDULE(.shape = KILN_CPU_SHAPE_PACKED)});
  if (alone)
    add(meta, (struct kiln_cpu_rule){.any = alone, SCHEDULE(.shape = KILN_CPU_SHAPE_ROWS, .rows = KILN_CPU_ROWS_ANY)});
}

// Launches that gain by another shape.
static void add_shapes(const struct kiln_ll *ll, const struct kiln_ll_launches *l, struct kiln_cpu_meta_kernel *meta) {
  bool flat = meta->flags & KILN_CPU_FLAT;
  if (l->single)
    add(meta, (struct kiln_cpu_rule){.all = KILN_CPU_IF(MANY_ITEMS),
                                     .none = KILN_CPU_IF(OPEN_SIZE) | KILN_CPU_IF(LARGE_GROUPS) | KILN_CPU_IF(OFFSET),
                                     SCHEDULE(.shape = KILN_CPU_SHAPE_SINGLE),
                                     .when = KILN_CPU_REPLACES});
  if (l->columns)
    add(meta, (struct kiln_cpu_rule){.all = KILN_CPU_IF(LONG_COLUMNS),
                                     SCHEDULE(.shape = KILN_CPU_SHAPE_COLUMNS, .rows = KILN_CPU_ROWS_ANY),
                                     .when = KILN_CPU_GAINS});
  if (l->flattening) // of a kernel that is not flat, each group costs a call
    add(meta, (struct kiln_cpu_rule){.all = KILN_CPU_IF(MANY_ITEMS),
                                     .any = KILN_CPU_IF(SHORT_ROWS) | (flat ? 0 : KILN_CPU_IF(SMALL_GROUPS)),
                                     .none = KILN_CPU_IF(ONE_ROW) | (flat ? 0 : KILN_CPU_IF(PARTIAL_GROUPS)) |
                                             (l->flat_gathers ? KILN_CPU_IF(FILLED_ROWS) : 0),
                                     SCHEDULE(.shape = KILN_CPU_SHAPE_FLATTENED),
                                     .when = KILN_CPU_GAINS});
  if (l->merging && kiln_ll_asks(ll, KILN_CPU_SHAPE_AUTO)) {
    add(meta, (struct kiln_cpu_rule){.all = KILN_CPU_IF(MERGEABLE),
                                     .none = KILN_CPU_IF(RAGGED_LAUNCH) | KILN_CPU_IF(PARTIAL_GROUPS),
                                     SCHEDULE(.shape = KILN_CPU_SHAPE_MERGED),
                                     .when = KILN_CPU_REPLACES});
    add(meta, (struct kiln_cpu_rule){.all = KILN_CPU_IF(MERGEABLE),
                                     SCHEDULE(.shape = KILN_CPU_SHAPE_MERGED, .rows = KILN_CPU_ROWS_ANY),
                                     .when = KILN_CPU_REPLACES});
  }
  if (meta->flags & KILN_CPU_INTERCHANGED &&
      !kiln_ll_asks(ll, KILN_CPU_SHAPE_COLUMNS)) // for speed: lanes would mostly be empty
    add(meta, (struct kiln_cpu_rule){.all = KILN_CPU_IF(NARROW),
                                     SCHEDULE(.shape = KILN_CPU_SHAPE_ROWS, .rows = KILN_CPU_ROWS_ANY),
                                     .when = KILN_CPU_PREFERS});
}

// Rows of half a register or less gain by fewer lanes. ragged: the conditions under which rows must be any, which
// another number of lanes need not share.
static void add_fewer_lanes(uint32_t warp, bool interchange, uint32_t ragged, struct kiln_cpu_meta_kernel *meta) {
  static const struct {
    uint8_t lanes;
    uint32_t rows, whole;
  } widths[] = {{4, KILN_CPU_IF(ROWS_TO_4), KILN_CPU_IF(MULTIPLES_OF_4)},
                {8, KILN_CPU_IF(ROWS_TO_8), KILN_CPU_IF(MULTIPLES_OF_8)}};
  if (interchange)
    add(meta, (struct kiln_cpu_rule){.all = KILN_CPU_IF(ROWS_OF_1) | KILN_CPU_IF(TALL_GROUPS),
                                     SCHEDULE(.shape = KILN_CPU_SHAPE_COLUMNS, .lanes = 1),
                                     .when = KILN_CPU_REPLACES});
  add(meta, (struct kiln_cpu_rule){.all = KILN_CPU_IF(ROWS_OF_1), SCHEDULE(.lanes = 1), .when = KILN_CPU_REPLACES});
  if (warp == 8 && meta->row_unit > warp) // rows of several registers are no multiple of these, but of one
    add(meta, (struct kiln_cpu_rule){.all = KILN_CPU_IF(UNEVEN_ROWS) | KILN_CPU_IF(MULTIPLES_OF_8),
                                     SCHEDULE(.lanes = 8, .rows = KILN_CPU_ROWS_ANY),
                                     .when = KILN_CPU_REPLACES});
  for (unsigned i = 0; i < sizeof widths / sizeof *widths && 2u * widths[i].lanes <= warp; i++) {
    add(meta, (struct kiln_cpu_rule){.all = widths[i].rows | widths[i].whole,
                                     .none = ragged,
                                     SCHEDULE(.lanes = widths[i].lanes),
                                     .when = KILN_CPU_REPLACES});
    add(meta, (struct kiln_cpu_rule){.all = widths[i].rows,
                                     SCHEDULE(.lanes = widths[i].lanes, .rows = KILN_CPU_ROWS_ANY),
                                     .when = KILN_CPU_REPLACES});
  }
}

static uint8_t shape_of(const struct kiln_ll *ll, const struct kiln_ll_launches *l,
                        const struct kiln_cpu_meta_kernel *meta) {
  return l->packed                                 ? KILN_CPU_SHAPE_PACKED
         : meta->flags & KILN_CPU_FLATTENED        ? KILN_CPU_SHAPE_FLATTENED
         : meta->flags & KILN_CPU_INTERCHANGED     ? KILN_CPU_SHAPE_COLUMNS
         : kiln_ll_asks(ll, KILN_CPU_SHAPE_SINGLE) ? KILN_CPU_SHAPE_SINGLE
         : meta->merged                            ? KILN_CPU_SHAPE_MERGED
         : meta->flags & KILN_CPU_BLOCKED          ? KILN_CPU_SHAPE_BLOCKED
                                                   : KILN_CPU_SHAPE_ROWS;
}

void kiln_ll_schedule(struct kiln_ll *ll, const struct kiln_function *fn, const struct kiln_ll_launches *l,
                      struct kiln_ll_width width, struct kiln_cpu_meta_kernel *meta) {
  uint32_t warp = ll->job->target.warp_size;
  uint32_t ragged = (meta->row_unit ? KILN_CPU_IF(RAGGED_ROWS) : 0) |
                    (l->full_groups ? KILN_CPU_IF(PARTIAL_GROUPS) : 0) | (l->aligned ? KILN_CPU_IF(RAGGED_OFFSET) : 0) |
                    (meta->column_unit ? KILN_CPU_IF(RAGGED_COLUMNS) | KILN_CPU_IF(OPEN_SIZE) : 0);
  meta->schedule =
      (struct kiln_cpu_schedule){.shape = shape_of(ll, l, meta),
                                 .lanes = (uint8_t)width.lanes,
                                 .registers = (uint8_t)kiln_ll_registers(width),
                                 .rows = kiln_ll_has_any_rows(ll) ? KILN_CPU_ROWS_ANY : KILN_CPU_ROWS_WHOLE,
                                 .ids = kiln_ll_has_large_ids(ll) ? 64 : 32};
  if (!kiln_ll_is_asked_width(ll, width))
    kiln_ll_fail(ll, KILN_ERR_INVALID,
                 "kernel '%s' cannot have lanes=%u registers=%u: it has lanes=%u registers=%u (%s)", fn->name,
                 ll->machine->cpu.schedule.lanes, ll->machine->cpu.schedule.registers, width.lanes,
                 kiln_ll_registers(width), width.reason);
  if (l->flattening)
    set_short_rows(l, warp, meta);
  add_needs(fn, l, meta);
  add_shapes(ll, l, meta);
  if (l->fewer_lanes)
    add_fewer_lanes(warp, l->interchange, ragged, meta);
  if (ragged)
    add(meta, (struct kiln_cpu_rule){.any = ragged, SCHEDULE(.rows = KILN_CPU_ROWS_ANY)});
}

// ---- the stage "plan"

static const char *const condition_texts[] = {
#define KILN_CPU_CONDITION(NAME, name, text, refusal) text,
#include "backends/cpu/conditions.def"
};

// Adds the conditions of a mask: the first one after the text first, each further one after the text others.
static void tell_conditions(struct kiln_strbuf *out, uint32_t mask, const char *first, const char *others) {
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    kiln_strbuf_printf(out, "%s%s", rest == mask ? first : others, condition_texts[__builtin_ctz(rest)]);
}

static void tell_rule(struct kiln_strbuf *out, const struct kiln_cpu_rule *rule) {
  static const char *const words[] = {"needs", "prefers", "gains by", "replaces by"};
  kiln_strbuf_printf(out, "  %s", words[rule->when]);
  kiln_cpu_schedule_print(out, &rule->schedule, " ");
  tell_conditions(out, rule->all, ": ", ", ");
  tell_conditions(out, rule->any, rule->all ? ", " : ": ", " or ");
  tell_conditions(out, rule->none, ", not ", ", not ");
  kiln_strbuf_putc(out, '\n');
}

void kiln_ll_tell_schedule(struct kiln_ll *ll, const struct kiln_cpu_meta_kernel *meta) {
  if (!ll->job->stage)
    return;
  kiln_strbuf_puts(&ll->told, "  schedule:");
  kiln_cpu_schedule_print(&ll->told, &meta->schedule, " ");
  kiln_strbuf_putc(&ll->told, '\n');
  for (uint32_t i = 0; i < meta->rule_count; i++)
    tell_rule(&ll->told, &meta->rules[i]);
}
