// How many lanes a kernel gets, and what that is decided by.
#ifndef KILN_BACKENDS_LLVM_WIDTH_H
#define KILN_BACKENDS_LLVM_WIDTH_H

#include "backends/llvm/plan/form.h"

// ---- width.c
struct kiln_ll_width {
  unsigned lanes, per_register; // per_register: the work-items that fit one
  const char *reason;           // why there are no more, or no fewer
};
struct kiln_ll_width kiln_ll_choose_width(struct kiln_ll *ll, const struct kiln_function *fn);
// The registers that a value of 32 bits takes.
uint32_t kiln_ll_registers(struct kiln_ll_width width);
// Whether the width is what the options ask for; true if they ask for none.
bool kiln_ll_is_asked_width(const struct kiln_ll *ll, struct kiln_ll_width width);
// Whether warps of several sub-groups would be faster, and what the kernel does with sub-groups can be done in them.
bool kiln_ll_may_split_sub_groups(struct kiln_ll *ll, const struct kiln_function *fn);

// Whether most operations of the kernel, or of its largest loop, wait for one another, in chains that are longer than a
// processor looks ahead.
bool kiln_ll_is_one_chain(struct kiln_ll *ll, const struct kiln_function *fn);
uint32_t kiln_ll_instruction_count(const struct kiln_function *fn);
// Whether there is code for full warps beside that under a mask: in kernels of no more than small instructions, and
// where masks would slow many accesses that need none.
bool kiln_ll_has_full_form(const struct kiln_ll *ll, const struct kiln_function *fn, uint32_t small);
// Whether all lanes only load, store and convert elements narrower than 32 bits.
bool kiln_ll_only_moves_narrow(const struct kiln_function *fn);

// Whether shifts, masks and the like by constants give an id other bits in the lanes of a wide warp. In narrower ones
// they may be linear or the same.
bool kiln_ll_cuts_ids(const struct kiln_function *fn);

// ---- fewer_lanes.c
// Analyses the kernel again for its width: id >> 3 and id & 7 are uniform and linear in 8 lanes. Reduces the width
// where the accesses become so much cheaper.
void kiln_ll_align_width(const struct kiln_ll_fn *f, struct kiln_function *fn, struct kiln_ll_width *width);

// ---- large_stride.c
// Whether a loop accesses memory with a large stride between work-items. More work-items per warp then touch more cache
// lines, which all map to a few cache sets if the stride is a power of two.
bool kiln_ll_has_large_strides(struct kiln_ll *ll, const struct kiln_function *fn);
// Whether all accesses with a large stride in loops are loads from one buffer.
bool kiln_ll_loads_one_large_stride(struct kiln_ll *ll, const struct kiln_function *fn);
// Whether accesses with a large stride go element by element: 16 lines whose distance is a power of two exceed the
// associativity of the first-level cache, and on AMD processors a gather takes longer than scalar accesses.
bool kiln_ll_large_strides_go_by_lane(struct kiln_ll *ll, const struct kiln_function *fn);
// Strides between the lanes of accesses in loops, of several arrays. Where one of them is a multiple of SET_BYTES, it
// puts all of their lines into a few sets of the cache, so that fewer lanes are faster.
#define KILN_LL_MAX_SHARED 8
struct kiln_ll_shared_sets {
  kiln_value scales[KILN_LL_MAX_SHARED]; // parameters
  uint64_t factors[KILN_LL_MAX_SHARED];  // stride in bytes: scale times factor
  unsigned count, lanes;
};
bool kiln_ll_find_shared_sets(const struct kiln_ll_fn *f, struct kiln_ll_shared_sets *out);
// Whether the kernel's loops mostly store consecutive elements with a large stride between work-items: scalar
// work-items are then faster.
bool kiln_ll_fills_large_strides(struct kiln_ll *ll, const struct kiln_function *fn);
// The bytes of an element, if a work-item accesses more elements at multiples of SET_BYTES than the sets of the cache
// hold that these multiples fall into, as in a[k * 1024 + id]: a line is gone when the next warp comes to it. Otherwise
// 0.
unsigned kiln_ll_bytes_that_share_sets(const struct kiln_function *fn);

// Whether an address or index grows from lane to lane by a factor that is unknown, or by so much or more.
bool kiln_ll_has_large_stride(struct kiln_ll *ll, const struct kiln_function *fn, kiln_value v, int64_t far);

// ---- stride.c
struct kiln_ll_stride {
  bool known;
  int64_t step; // of an address: in bytes
};
// By value: how far the value moves from one work-item to the next, in most places. That is a guess, which only speed
// may depend on. shapes: those along dimension 0; NULL: the question is about dimension 1.
const struct kiln_ll_stride *kiln_ll_likely_strides(struct kiln_ll *ll, const struct kiln_function *fn,
                                                    const struct kiln_shape *shapes);

// ---- slices.c
// Whether all innermost loops reduce a slice of memory of each work-item's own: LLVM then vectorises those of one
// work-item at a time.
bool kiln_ll_reduces_slices(struct kiln_ll *ll, const struct kiln_function *fn);

// ---- rows.c
// The most work-items that can be in a row, as far as their stores show (rows.c); 0: the stores show nothing.
uint64_t kiln_ll_row_of_stores(const struct kiln_function *fn);

#endif
