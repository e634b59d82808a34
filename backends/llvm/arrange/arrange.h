// Arrangements: how a kernel is rewritten, in a copy, before code is emitted for it, so that lanes lie where memory is
// contiguous. Each is a pass over the IR that returns whether it has changed the copy, and fills in what the emission
// of loops over work-items must know of it. The order is that of kiln_ll_arrange.
#ifndef KILN_BACKENDS_LLVM_ARRANGE_H
#define KILN_BACKENDS_LLVM_ARRANGE_H

#include "backends/llvm/core/emit.h"

// ---- group_queries.c
// Rewrites a kernel that asks of its groups nothing but where the work-item is in the launch, and how large that is, as
// group_id * local_size + local_id does. Afterwards the kernel asks nothing of its groups, in launches whose groups are
// all full.
bool kiln_ll_arrange_queries(struct kiln_ll *ll, struct kiln_function *fn);
// Replaces what a kernel asks of its group by computations with global ids. Returns whether there was anything.
bool kiln_ll_replace_group_queries(struct kiln_function *fn);
// Whether an operation for which asks holds is needed other than for what is rewritten (by value). seen: by value,
// zeroed by the caller: set for what is needed.
bool kiln_ll_needs(const struct kiln_function *fn, bool (*asks)(enum kiln_op op), const bool *rewritten, bool *seen,
                   struct kiln_arena *arena);
// The value before conversions between integers of at least 32 bits, in which ids and sizes below 2^31 keep their
// value.
kiln_value kiln_ll_converted(const struct kiln_function *fn, kiln_value v);
// Makes an instruction, of any operation without regions, another of the same type.
void kiln_ll_become(struct kiln_function *fn, kiln_value v, enum kiln_op op, const kiln_value *operands, uint32_t count,
                    uint64_t imm);

// ---- interchange.c
// Whether tiles are faster than long rows, since some accesses are contiguous only along dimension 1.
bool kiln_ll_gains_by_tiles(struct kiln_ll *ll, const struct kiln_function *fn);
// Whether dimensions 0 and 1 of a kernel that is not flat can be interchanged.
bool kiln_ll_may_interchange_groups(const struct kiln_function *fn);
// Whether groups with long columns gain by the interchange, where there are no barriers.
bool kiln_ll_gains_by_columns(struct kiln_ll *ll, const struct kiln_function *fn);
// Whether launches in groups of 1 x N gain by merged groups.
bool kiln_ll_gains_by_merging(struct kiln_ll *ll, const struct kiln_function *fn);
// Interchanges dimensions 0 and 1 of a kernel, and recomputes its shapes: if the machine asks for that, or, of a flat
// kernel, if it is faster.
bool kiln_ll_arrange_columns(struct kiln_ll *ll, struct kiln_function *fn);

// ---- flatten.c
#define KILN_LL_FLATTENED_CONDITIONS 4

struct kiln_ll_flattened {
  struct kiln_function *fn;         // a copy, in which values are linear in the flattened index
  const struct kiln_function *rows; // the kernel as it was, for where a condition does not hold
  bool planes;                      // dimension 2 is not part of the index, since the kernel asks for no id of it
  bool asks_groups;                 // only for launches whose groups are all full
  kiln_value conditions[KILN_LL_FLATTENED_CONDITIONS]; // uniform, of fn, which is right if all of them hold
  uint32_t condition_count;
};

// Whether the kernel has several dimensions and gives the same in whatever order and groups its work-items run.
bool kiln_ll_may_flatten(const struct kiln_function *fn);
// Whether ids of single dimensions are used, too, beside what is linear in the flattened index.
bool kiln_ll_flat_uses_ids(struct kiln_ll *ll, const struct kiln_function *fn);
// Whether lanes along the flattened index would have to gather what loops load for all work-items of a row, or arrays
// that have rows of their own.
bool kiln_ll_flat_gathers(struct kiln_ll *ll, const struct kiln_function *fn);
// Rewrites what is linear in the flattened index, if launches ask for that, in a copy of its own (out->fn). The shapes
// of the copy are those along the index, the shapes of fn those along rows.
bool kiln_ll_arrange_flat(struct kiln_ll *ll, struct kiln_function *fn, struct kiln_ll_flattened *out);

// ---- register_blocking.c
#define KILN_LL_BLOCKED_ROWS 4
// Rewrites a kernel whose loops load much that is the same for work-items of several rows: each work-item then runs
// KILN_LL_BLOCKED_ROWS rows.
bool kiln_ll_arrange_blocks(struct kiln_ll *ll, struct kiln_function *fn);

// ---- grid_stride.c
// A loop that has been taken apart, of which kernels run one iteration for each work-item before the next.
struct kiln_ll_grid_stride {
  kiln_value block;              // that was the loop
  kiln_value index, bound, step; // the loop goes on while index < bound
  bool is_signed, reaches_bound; // how index and bound are compared; while index <= bound
};
// Rewrites a kernel that is nothing but a grid-stride loop.
bool kiln_ll_arrange_grid_stride(struct kiln_ll *ll, struct kiln_function *fn, struct kiln_ll_grid_stride *out);

// ---- arrange.c
// How a kernel has been rewritten for the lanes of warps and for launches.
struct kiln_ll_arrangement {
  struct kiln_function *fn;  // a copy, which has been rewritten
  bool full;                 // it is flat in full groups only
  bool gains_by_merging;     // launches gain if several groups run as one
  bool packed, interchanged; // warps follow the linear local id; lie along dimension 1
  bool flattened;            // along the flattened index: flat is filled in
  bool rearranged;           // one of these three: warps are not those of rows
  bool blocked, iterates;    // several rows run together; grid_stride is filled in
  struct kiln_ll_flattened flat;
  struct kiln_ll_grid_stride grid_stride;
};
// Chooses and makes the arrangements of a kernel.
void kiln_ll_arrange(struct kiln_ll *ll, const struct kiln_function *fn, struct kiln_ll_arrangement *out);
// Adds the text of the module with the arranged kernels in their places to out. It begins with a line for each of them,
// and ends with the rows of those that are flattened on conditions. arranged: by function; NULL: it is no kernel.
enum kiln_status kiln_ll_print_arranged(const struct kiln_module *module,
                                        const struct kiln_ll_arrangement *const *arranged, struct kiln_strbuf *out);

#endif
