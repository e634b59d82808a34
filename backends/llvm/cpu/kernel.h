// Kernels of the CPU: a function runs a work-group (backends/cpu/abi.h).
#ifndef KILN_BACKENDS_LLVM_KERNEL_H
#define KILN_BACKENDS_LLVM_KERNEL_H

#include "backends/llvm/core/emit.h"

extern const struct kiln_ll_hooks kiln_ll_cpu_hooks;
// Emits loops over the work-items of the group around the code that emit makes for a work-item or a warp. emit may be
// called more than once. It finds the ids set and f->end as the block where the work-item ends, and ends with a jump to
// it.
void kiln_ll_items(struct kiln_ll_fn *f, void (*emit)(struct kiln_ll_fn *f, void *user), void *user);

// locals.c
// Assigns offsets to the local variables of the kernel and of the functions of the program. Returns their size in
// bytes.
uint32_t kiln_ll_place_locals(struct kiln_ll *ll, const struct kiln_function *fn);

// leave.c: groups that end early
// Whether the program can make a launch fail.
bool kiln_ll_may_fail(const struct kiln_ll *ll);
// Calls the driver's function that ends the group. failure: why the launch fails; null: the launch is being stopped.
void kiln_ll_leave_group(struct kiln_ll_fn *f, LLVMValueRef failure);
// Leaves the group if the launch is being stopped. The builder continues where it is not.
void kiln_ll_cpu_poll(struct kiln_ll_fn *f);

#endif
