// The arrangements of a kernel, in their order. In debug builds the copy is verified after each of them.
#include "backends/llvm/arrange/arrange.h"

#include <stdlib.h>
#include <string.h>

// Returns whether the arrangement was made.
static bool verified(struct kiln_ll *ll, const struct kiln_function *fn, const char *arrangement, bool made) {
#ifdef KILN_DEBUG
  char fault[512];
  if (made && !ll->status && !kiln_module_failed(fn->module) &&
      (!kiln_module_verify(fn->module, fault, sizeof fault) || !kiln_facts_hold(fn, fault, sizeof fault)))
    kiln_ll_fail(ll, KILN_ERR_INTERNAL, "the arrangement %s broke the kernel: %s", arrangement, fault);
#else
  (void)ll, (void)fn, (void)arrangement;
#endif
  return made;
}

// Whether sub-groups, which follow the linear local id, are the warps of rows in full groups of the size.
static bool rows_are_sub_groups(const uint32_t size[3], uint32_t warp) {
  return size[0] % warp == 0 || (size[1] <= 1 && size[2] <= 1);
}

// Whether warps follow the linear id; if so, the shapes are recomputed.
static bool pack(struct kiln_ll *ll, struct kiln_function *fn) {
  const uint32_t *required = fn->required_group_size;
  bool needed = fn->has_sub_groups && required[0] && !rows_are_sub_groups(required, ll->job->target.warp_size);
  if ((!needed && !kiln_ll_asks(ll, KILN_CPU_SHAPE_PACKED)) || fn->is_flat || !fn->shapes)
    return false;
  kiln_function_analyse_packed(fn);
  return true;
}

// Warps begin at multiples of their lanes. Rows and the offset are multiples of the lanes, too, except in launches that
// get a variant for any rows.
static enum kiln_alignment alignment_of(const struct kiln_ll *ll, const struct kiln_function *fn) {
  bool whole = fn->required_group_size[0] % KILN_LL_MAX_LANES == 0 && fn->group_size_hint[0] % KILN_LL_MAX_LANES == 0;
  if (kiln_ll_asks(ll, KILN_CPU_SHAPE_PACKED) || kiln_ll_asks(ll, KILN_CPU_SHAPE_FLATTENED) ||
      kiln_ll_asks(ll, KILN_CPU_SHAPE_COLUMNS))
    return KILN_ALIGNED_NONE;
  bool any = kiln_ll_has_any_rows(ll) || (!fn->is_flat && (!whole || kiln_ll_asks(ll, KILN_CPU_SHAPE_SINGLE)));
  return any ? KILN_ALIGNED_LOCAL : KILN_ALIGNED_ROWS;
}

// Analyses the function again where more is known of its launches than when the passes ran.
static void analyse(struct kiln_ll *ll, struct kiln_function *fn) {
  if (!fn->shapes)
    return;
  if (kiln_ll_has_large_ids(ll))
    fn->module->small_ids = false;
  fn->alignment = (uint8_t)alignment_of(ll, fn);
  if (kiln_ll_has_large_ids(ll) || fn->alignment)
    kiln_function_analyse_again(fn);
}

// Makes a kernel flat that asks of its groups only where the work-item is in the launch: then groups must be full, and
// launches with partial groups get the variant for any rows.
static bool ask_globally(struct kiln_ll *ll, struct kiln_function *fn) {
  enum kiln_cpu_shape shape = ll->machine->cpu.schedule.shape;
  bool may = shape == KILN_CPU_SHAPE_AUTO || shape == KILN_CPU_SHAPE_ROWS || shape == KILN_CPU_SHAPE_COLUMNS ||
             shape == KILN_CPU_SHAPE_BLOCKED;
  return may && !kiln_ll_has_any_rows(ll) && !kiln_ll_has_large_ids(ll) && kiln_ll_may_flatten(fn) &&
         kiln_ll_arrange_queries(ll, fn);
}

void kiln_ll_arrange(struct kiln_ll *ll, const struct kiln_function *kernel, struct kiln_ll_arrangement *out) {
  struct kiln_function *fn = out->fn = kiln_ll_copy(ll, kernel);
  out->full = verified(ll, fn, "queries", ask_globally(ll, fn));
  out->gains_by_merging = kiln_ll_gains_by_merging(ll, fn);
  analyse(ll, fn);
  out->packed = pack(ll, fn);
  out->interchanged = verified(ll, fn, "columns", kiln_ll_arrange_columns(ll, fn));
  out->flattened = verified(ll, fn, "queries", kiln_ll_arrange_flat(ll, fn, &out->flat));
  if (out->flattened)
    fn = out->fn = out->flat.fn;
  verified(ll, fn, "flat", out->flattened);
  out->rearranged = out->packed || out->interchanged || out->flattened;
  out->blocked = !out->rearranged && !fn->merged_groups && verified(ll, fn, "blocks", kiln_ll_arrange_blocks(ll, fn));
  out->iterates = !out->rearranged && !out->blocked &&
                  verified(ll, fn, "grid_stride", kiln_ll_arrange_grid_stride(ll, fn, &out->grid_stride));
  if (kiln_module_failed(fn->module) || (out->flattened && kiln_module_failed(out->flat.rows->module)))
    kiln_ll_fail(ll, KILN_ERR_MEMORY, "out of memory for kernel '%s'", fn->name);
}

// ---- as text

static void tell(const struct kiln_function *fn, const struct kiln_ll_arrangement *a, struct kiln_strbuf *out) {
  const struct {
    bool is_so;
    const char *text;
  } words[] = {{a->full, "flat in full groups"}, {a->packed, "packed"},         {a->interchanged, "columns"},
               {a->flattened, "flattened"},      {a->flat.planes, "in planes"}, {a->flat.asks_groups, "in full groups"},
               {a->blocked, "blocked"},          {a->iterates, "grid-stride"}};
  unsigned count = 0;
  kiln_strbuf_printf(out, "// %s:", fn->name);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].is_so)
      kiln_strbuf_printf(out, "%s %s", count++ ? "," : "", words[i].text);
  if (a->flat.condition_count)
    kiln_strbuf_printf(out, ", conditions: %u", (unsigned)a->flat.condition_count);
  kiln_strbuf_puts(out, count ? "\n" : " rows\n");
}

enum kiln_status kiln_ll_print_arranged(const struct kiln_module *module,
                                        const struct kiln_ll_arrangement *const *arranged, struct kiln_strbuf *out) {
  struct kiln_module shown = *module;
  uint32_t count = module->function_count;
  struct kiln_function *rows = calloc(count + 1, sizeof *rows);
  char *text = NULL;
  shown.functions = calloc(2 * (size_t)count + 1, sizeof *shown.functions);
  for (uint32_t i = 0; i < count && rows && shown.functions; i++) {
    const struct kiln_ll_arrangement *a = arranged[i];
    shown.functions[i] = a ? a->fn : module->functions[i];
    if (a)
      tell(a->fn, a, out);
    if (!a || !a->flat.condition_count)
      continue;
    rows[i] = *a->flat.rows;
    rows[i].name = "rows";
    shown.functions[shown.function_count++] = &rows[i];
  }
  enum kiln_status status = rows && shown.functions ? kiln_module_print(&shown, &text) : KILN_ERR_MEMORY;
  if (!status)
    kiln_strbuf_puts(out, text);
  free(rows);
  free(shown.functions);
  kiln_free(text);
  return status;
}
