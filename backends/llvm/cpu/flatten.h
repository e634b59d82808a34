// Lanes along the flattened index of a launch (flatten.c).
#ifndef KILN_BACKENDS_LLVM_FLATTEN_H
#define KILN_BACKENDS_LLVM_FLATTEN_H

#include "backends/llvm/cpu/kernel.h"

#define KILN_LL_FLATTENED_CONDITIONS 4
#define KILN_LL_FLATTENED_VALUES 64

struct kiln_ll_flattened_value {
  kiln_value value, same; // same: an expression in the flattened index that takes its place
  struct kiln_inst inst;  // before
  kiln_value operands[2];
};

// What has been done to a kernel.
struct kiln_ll_flattened {
  bool planes;      // dimension 2 is not part of the index, since the kernel asks for no id of it
  bool asks_groups; // only for launches whose groups are all full
  kiln_value conditions[KILN_LL_FLATTENED_CONDITIONS]; // uniform: the rewritten values are right if all of them hold
  uint32_t condition_count;
  struct kiln_ll_flattened_value values[KILN_LL_FLATTENED_VALUES];
  uint32_t count;
};

// Whether the order and the groups in which its work-items run are nothing to the kernel, and it has several
// dimensions.
bool kiln_ll_may_flatten(const struct kiln_function *fn);
// Whether ids of single dimensions are used, too, beside what is linear in the flattened index.
bool kiln_ll_flat_uses_ids(struct kiln_ll *ll, const struct kiln_function *fn);
// Whether lanes along the flattened index would have to gather what loops load for all work-items of a row, or what has
// rows of its own.
bool kiln_ll_flat_gathers(struct kiln_ll *ll, const struct kiln_function *fn);
// Rewrites what is linear in the flattened index, and recomputes the shapes.
void kiln_ll_flatten(struct kiln_ll *ll, struct kiln_function *fn, struct kiln_ll_flattened *out);
// Takes the rewritten values back, for where a condition does not hold, and computes the shapes along rows.
void kiln_ll_unflatten(struct kiln_function *fn, const struct kiln_ll_flattened *flattened);
// Makes an instruction, of any operation without regions, another of the same type.
void kiln_ll_become(struct kiln_function *fn, kiln_value v, enum kiln_op op, const kiln_value *operands, uint32_t count,
                    uint64_t imm);

// ---- group_queries.c
// Whether an operation for which asks holds is needed other than for what is rewritten (by value). seen: all that is
// needed so, by value; zeroed.
bool kiln_ll_needs(const struct kiln_function *fn, bool (*asks)(enum kiln_op op), const bool *rewritten, bool *seen,
                   struct kiln_arena *arena);
// Rewrites a kernel that asks of its groups nothing but where the work-item is in the launch, and how large that is, as
// group_id * local_size + local_id does. It asks nothing of them then, in launches whose groups are all full. False: it
// is unchanged.
bool kiln_ll_ask_globally(struct kiln_ll *ll, struct kiln_function *fn);
// Writes what a kernel asks of its group by global ids. Whether there is anything.
bool kiln_ll_replace_group_queries(struct kiln_function *fn);

// ---- flat_items.c
// Sets the positions of the lanes of the warp that begins at f->cpu.local_id[0], if the kernel uses any.
void kiln_ll_set_flat_warp(struct kiln_ll_fn *f);
// The position in dimension d: of all lanes, or at one lane of the work-item.
LLVMValueRef kiln_ll_flat_position(struct kiln_ll_fn *f, unsigned d);
// Emits the work-items of the group: along the flattened index where the conditions hold, else row by row. fn: f->fn.
void kiln_ll_flat_items(struct kiln_ll_fn *f, struct kiln_function *fn);

#endif
