// Kernels of the CPU: a function runs a work-group (backends/cpu/abi.h).
#ifndef KILN_BACKENDS_LLVM_KERNEL_H
#define KILN_BACKENDS_LLVM_KERNEL_H

#include "backends/llvm/core/emit.h"

extern const struct kiln_ll_hooks kiln_ll_cpu_hooks;

// Emits a work-item, or a warp. It finds the ids set and f->end as the block where the work-item ends, and ends with a
// jump to it.
typedef void kiln_ll_emit_fn(struct kiln_ll_fn *f, void *user);
// kernel.c
// One that emits the body of the kernel.
void kiln_ll_emit_body(struct kiln_ll_fn *f, void *user);
// Makes f->spmd, and the full warps of f->cpu; NULL at one lane.
void kiln_ll_begin_warps(struct kiln_ll_fn *f);

// items.c
// Emits loops over the work-items of the group around the code that emit makes, which may be called more than once.
void kiln_ll_items(const struct kiln_ll_fn *f, kiln_ll_emit_fn *emit, void *user);

// locals.c
// Assigns offsets to the local variables of the kernel and of the functions of the program. Returns their size in
// bytes, with all of merged groups.
uint32_t kiln_ll_place_locals(struct kiln_ll *ll, const struct kiln_function *fn);

// state.c: hooks
void kiln_ll_cpu_define_state(struct kiln_ll *ll);
LLVMValueRef kiln_ll_cpu_state(struct kiln_ll_fn *f, uint32_t global);

// register_blocking.c
#define KILN_LL_BLOCKED_ROWS 4
// Rewrites a kernel whose loops load much that is the same for work-items of several rows: each work-item runs as many
// rows. False: it is unchanged.
bool kiln_ll_block_rows(struct kiln_ll *ll, struct kiln_function *fn);

// group_queries.c
// What conversions between integers of at least 32 bits convert. Ids and sizes below 2^31 keep their value in them.
kiln_value kiln_ll_converted(const struct kiln_function *fn, kiln_value v);

// interchange.c
// Whether tiles are faster than long rows, since some accesses are contiguous only along dimension 1.
bool kiln_ll_gains_by_tiles(struct kiln_ll *ll, const struct kiln_function *fn);
// Whether dimensions 0 and 1 of a kernel that is not flat can be interchanged.
bool kiln_ll_may_interchange_groups(const struct kiln_function *fn);
// Whether groups with long columns gain by it, where there are no barriers.
bool kiln_ll_gains_by_columns(struct kiln_ll *ll, const struct kiln_function *fn);
// Whether launches in groups of 1 x N gain by merged groups. Analyses the kernel once more.
bool kiln_ll_gains_by_merging(struct kiln_ll *ll, struct kiln_function *fn);
// Interchanges dimensions 0 and 1 of a flat kernel, and recomputes its shapes, if the machine asks for it or it is
// faster; of another kernel only if the machine asks. False: the kernel is unchanged.
bool kiln_ll_interchange(struct kiln_ll *ll, struct kiln_function *fn);

// grid_stride.c
// A loop that has been taken apart, of which kernels run one iteration for each work-item before the next.
struct kiln_ll_grid_stride {
  kiln_value block;              // that was the loop
  kiln_value index, bound, step; // goes on while index < bound
  bool is_signed, reaches_bound; // how these are compared; index <= bound
};
// Rewrites a kernel that is nothing but a grid-stride loop. False: it is unchanged.
bool kiln_ll_open_grid_stride(struct kiln_ll *ll, struct kiln_function *fn, struct kiln_ll_grid_stride *out);
// kiln_ll_items for such a kernel.
void kiln_ll_grid_stride_items(const struct kiln_ll_fn *f, kiln_ll_emit_fn *emit, void *user);

// calls.c
LLVMValueRef kiln_ll_cpu_math(struct kiln_ll_fn *f, enum kiln_op op, enum kiln_kind kind, const LLVMValueRef *operands,
                              uint32_t count);
LLVMValueRef kiln_ll_cpu_print(struct kiln_ll_fn *f, kiln_value inst);

// dot.c
// What emit makes of vectors, each of as many lanes as a register has.
typedef LLVMValueRef kiln_ll_part_fn(struct kiln_ll *ll, unsigned detail, LLVMValueRef x, LLVMValueRef y,
                                     LLVMValueRef sum);
// The same of vectors of more lanes.
LLVMValueRef kiln_ll_in_parts(struct kiln_ll *ll, kiln_ll_part_fn *emit, unsigned detail, unsigned most,
                              const LLVMValueRef args[3]);
LLVMValueRef kiln_ll_cpu_dot4(struct kiln_ll_fn *f, unsigned signs, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum);

// pairs.c
bool kiln_ll_cpu_has_pairs(const struct kiln_ll_fn *f); // whether the function has sums of two products of bfloat16
bool kiln_ll_cpu_own(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result);

// leave.c: groups that end early
// Whether the program can make a launch fail.
bool kiln_ll_may_fail(const struct kiln_ll *ll);
// Calls the driver's function that ends the group. failure: why the launch fails; null: the launch is being stopped.
void kiln_ll_leave_group(struct kiln_ll_fn *f, LLVMValueRef failure);
// Leaves the group if the launch is being stopped. The builder continues where it is not.
void kiln_ll_cpu_poll(struct kiln_ll_fn *f);

#endif
