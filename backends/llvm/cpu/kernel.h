// Kernels of the CPU: a function runs a work-group (backends/cpu/abi.h).
#ifndef KILN_BACKENDS_LLVM_KERNEL_H
#define KILN_BACKENDS_LLVM_KERNEL_H

#include "backends/llvm/core/emit.h"
#include "backends/llvm/core/stages.h"

extern const struct kiln_ll_hooks kiln_ll_cpu_hooks;

// ---- of the family of CPUs (core/family.h)
// meta.c
enum kiln_status kiln_ll_cpu_meta(const struct kiln_ll_part *parts, const struct kiln_ll_division *division,
                                  struct kiln_artifact *out, struct kiln_report *report);
// code.c
void kiln_ll_cpu_before_code(const struct kiln_ll *ll, LLVMModuleRef module);

// Emits a work-item, or a warp. When it is called, the ids are set, and f->end is the block where the work-item ends;
// the code ends with a jump to that block.
typedef void kiln_ll_emit_fn(struct kiln_ll_fn *f, void *user);
// kernel.c A kiln_ll_emit_fn that emits the body of the kernel.
void kiln_ll_emit_body(struct kiln_ll_fn *f, void *user);
// Makes f->form, and the full warps of f->cpu; NULL at one lane.
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

// grid_stride_items.c
// kiln_ll_items for a kernel that was a grid-stride loop.
void kiln_ll_grid_stride_items(const struct kiln_ll_fn *f, kiln_ll_emit_fn *emit, void *user);

// flat_items.c
// Sets the positions of the lanes of the warp that begins at f->cpu.local_id[0], if the kernel uses any.
void kiln_ll_set_flat_warp(struct kiln_ll_fn *f);
// The position in dimension d: of all lanes, or at one lane of the work-item.
LLVMValueRef kiln_ll_flat_position(struct kiln_ll_fn *f, unsigned d);
// Emits the work-items of the group: along the flattened index where the conditions hold, else row by row. fn: f->fn.
void kiln_ll_flat_items(struct kiln_ll_fn *f);

// calls.c
LLVMValueRef kiln_ll_cpu_math(struct kiln_ll_fn *f, enum kiln_op op, enum kiln_kind kind, const LLVMValueRef *operands,
                              uint32_t count);
LLVMValueRef kiln_ll_cpu_print(struct kiln_ll_fn *f, kiln_value inst);

// dot.c
// What emit makes of vectors, each of as many lanes as a register has.
typedef LLVMValueRef kiln_ll_part_fn(struct kiln_ll *ll, unsigned detail, LLVMValueRef x, LLVMValueRef y,
                                     LLVMValueRef sum);
// What emit makes of vectors of any number of lanes, in parts of at most so many (most).
LLVMValueRef kiln_ll_in_parts(struct kiln_ll *ll, kiln_ll_part_fn *emit, unsigned detail, unsigned most,
                              const LLVMValueRef args[3]);
LLVMValueRef kiln_ll_cpu_dot4(struct kiln_ll_fn *f, unsigned signs, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum);

// pairs.c
bool kiln_ll_has_pairs(const struct kiln_ll_fn *f); // whether the function has sums of two products of bfloat16
bool kiln_ll_cpu_own(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result);

// leave.c: groups that end early
// Whether the program can make a launch fail.
bool kiln_ll_may_fail(const struct kiln_ll *ll);
// Calls the driver's function that ends the group. failure: why the launch fails; null: the launch is being stopped.
void kiln_ll_leave_group(struct kiln_ll_fn *f, LLVMValueRef failure);
// Leaves the group if the launch is being stopped. The builder continues where it is not.
void kiln_ll_cpu_poll(struct kiln_ll_fn *f);

#endif
