// The finders of plan.c and form.c. Nothing that emits code calls them: it has their answers from the form and the
// plan.
#ifndef KILN_BACKENDS_LLVM_FIND_H
#define KILN_BACKENDS_LLVM_FIND_H

#include "backends/llvm/plan/plan.h"
#include "backends/llvm/plan/width.h"

// ---- private.c
// Finds private variables that can be arrays of lanes: element k of lane l is at (k * lanes + l) times the element's
// size. A pointer into one is held as that of lane 0, so that accessing an element in all lanes is contiguous.
// Sets the sizes of their elements, and the shapes of pointers into them. Returns kiln_ll_form.array.
const kiln_value *kiln_ll_find_arrays(const struct kiln_ll_fn *f, uint8_t *element, struct kiln_shape *shapes);
// Has lanes share the arrays in which they all store the same values at the same places. Requires what
// kiln_ll_find_losses finds.
void kiln_ll_share_arrays(const struct kiln_ll_fn *f, uint8_t *element);

// ---- guard.c
// Makes kiln_ll_form.conditional.
const bool *kiln_ll_find_conditional(const struct kiln_ll_fn *f);

// ---- losses.c
// Makes kiln_ll_form.loses; nodes that lanes leave become divergent.
const bool *kiln_ll_find_losses(const struct kiln_ll_fn *f, bool *divergent);
const bool *kiln_ll_find_merging_loops(const struct kiln_ll_fn *f); // kiln_ll_form.merges

// ---- prefetch.c
// Finds contiguous loads of global memory to prefetch: in kernels with much work per load and no loops over other work.
const bool *kiln_ll_find_prefetches(const struct kiln_ll_fn *f);

// ---- memory_order.c
// Makes kiln_ll_form.ordered.
const bool *kiln_ll_find_memory_order(const struct kiln_ll_fn *f);

// ---- distances.c
struct kiln_ll_pattern;
// By value: how its lanes differ in full warps; NULL: by no known distances, or only its shape says so.
const struct kiln_ll_pattern **kiln_ll_find_patterns(const struct kiln_ll_fn *f);
// The distances of the lanes' addresses from that of lane 0, in bytes, if all of them are known in full warps.
bool kiln_ll_find_distances(const struct kiln_ll_fn *f, const struct kiln_ll_pattern **patterns, kiln_value access,
                            int64_t at[KILN_LL_MAX_LANES]);

// ---- edge.c
// Whether the position of a load is clamped and contiguous but for that.
bool kiln_ll_find_edge(const struct kiln_ll_fn *f, kiln_value load, struct kiln_ll_edge *out);

// ---- checked.c
// Whether the lanes of most full warps have neighbouring addresses, which the code of a warp can test.
bool kiln_ll_find_neighbours(const struct kiln_ll_fn *f, kiln_value access, struct kiln_ll_neighbours *out);

// ---- strided.c
// Whether accesses of the type at the distances at, by lane, are faster than gathers and scatters.
bool kiln_ll_is_strided(const struct kiln_ll_fn *f, const int64_t *at, kiln_type type);

// ---- store_group.c
// The group of stores that begins with this strided store; NULL: no group begins with it.
const struct kiln_ll_store_group *kiln_ll_find_store_group(struct kiln_ll_fn *f, kiln_value store, const int64_t *at);

// ---- permute.c
// Whether the lanes' elements are contiguous, but reversed (x[n - i]), or flipped: lane l has element l ^ flip, in full
// warps, if the first one is a multiple of the lanes.
bool kiln_ll_find_order(const struct kiln_ll_fn *f, kiln_value access, struct kiln_ll_flipped *out);

// ---- transpose.c
bool kiln_ll_is_transposed_load(const struct kiln_ll_fn *f, kiln_value load);

// ---- nontemporal.c
const uint32_t *kiln_ll_find_nontemporal(const struct kiln_ll_fn *f); // kiln_ll_form.nontemporal
// Whether a contiguous store of a full warp may be non-temporal.
bool kiln_ll_is_nontemporal(const struct kiln_ll_fn *f, kiln_value store);

#endif
