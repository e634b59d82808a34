// The arrangements of a kernel, in their order.
#include "backends/llvm/arrange/arrange.h"

// Whether sub-groups, which follow the linear local id, are the warps of rows in full groups of the size.
static bool rows_are_sub_groups(const uint32_t size[3], uint32_t warp) {
  return size[0] % warp == 0 || (size[1] <= 1 && size[2] <= 1);
}

// Whether warps follow the linear id. The shapes are recomputed then.
static bool pack(struct kiln_ll *ll, struct kiln_function *fn) {
  const uint32_t *required = fn->required_group_size;
  bool needed = fn->has_sub_groups && required[0] && !rows_are_sub_groups(required, ll->job->target.warp_size);
  if ((!needed && !ll->machine->packed) || fn->is_flat || !fn->shapes)
    return false;
  kiln_function_analyse_packed(fn);
  return true;
}

// Warps begin at multiples of their lanes. So do rows and the offset, but in launches that get a variant for any rows.
static enum kiln_alignment alignment_of(const struct kiln_ll *ll, const struct kiln_function *fn) {
  bool whole = fn->required_group_size[0] % KILN_LL_MAX_LANES == 0 && fn->group_size_hint[0] % KILN_LL_MAX_LANES == 0;
  if (ll->machine->packed || ll->machine->flattened || ll->machine->interchanges)
    return KILN_ALIGNED_NONE;
  bool any = ll->machine->any_rows || (!fn->is_flat && (!whole || ll->machine->single_items));
  return any ? KILN_ALIGNED_LOCAL : KILN_ALIGNED_ROWS;
}

// Has the function analysed again where more is known of its launches than when the passes ran.
static void analyse(struct kiln_ll *ll, struct kiln_function *fn) {
  if (!fn->shapes)
    return;
  if (ll->machine->large_ids)
    fn->module->small_ids = false;
  fn->alignment = (uint8_t)alignment_of(ll, fn);
  if (ll->machine->large_ids || fn->alignment)
    kiln_function_analyse(fn);
}

// Makes a kernel flat that asks of its groups only where the work-item is in the launch: then groups must be full, and
// launches with partial groups get the variant for any rows.
static bool ask_globally(struct kiln_ll *ll, struct kiln_function *fn) {
  return ll->machine->may_flatten && !ll->machine->any_rows && !ll->machine->flattened && !ll->machine->packed &&
         !ll->machine->large_ids && kiln_ll_may_flatten(fn) && kiln_ll_arrange_queries(ll, fn);
}

void kiln_ll_arrange(struct kiln_ll *ll, const struct kiln_function *kernel, struct kiln_ll_arrangement *out) {
  struct kiln_function *fn = out->fn = kiln_ll_copy(ll, kernel);
  out->full = ask_globally(ll, fn);
  out->gains_by_merging = kiln_ll_gains_by_merging(ll, fn);
  analyse(ll, fn);
  out->packed = pack(ll, fn);
  out->interchanged = kiln_ll_arrange_columns(ll, fn);
  out->flattened = kiln_ll_arrange_flat(ll, fn, &out->flat);
  if (out->flattened)
    fn = out->fn = out->flat.fn;
  out->rearranged = out->packed || out->interchanged || out->flattened;
  out->blocked = !out->rearranged && !fn->merged_groups && kiln_ll_arrange_blocks(ll, fn);
  out->iterates = !out->rearranged && !out->blocked && kiln_ll_arrange_grid_stride(ll, fn, &out->grid_stride);
  if (kiln_module_failed(fn->module) || (out->flattened && kiln_module_failed(out->flat.rows->module)))
    kiln_ll_fail(ll, KILN_ERR_MEMORY, "out of memory for kernel '%s'", fn->name);
}
