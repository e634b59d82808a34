// The parts of the AMDGPU emitter: one work-item per value, every branch a branch. Inside of kiln-llvm.so.
//
// Address spaces are LLVM's: 1 global, 3 local (LDS), 4 constant, 5 private (scratch), 0 generic. Pointers to local
// and private memory have 32 bits in registers; in memory and as integers they are the 64-bit generic address of the
// same place, so that null is 0 there as well.
#ifndef KILN_BACKENDS_LLVM_AMDGPU_H
#define KILN_BACKENDS_LLVM_AMDGPU_H

#include <llvm-c/TargetMachine.h>

#include "backends/llvm/core/emit.h"
#include "backends/llvm/core/stages.h"

extern const struct kiln_ll_hooks kiln_ll_amdgpu_hooks;

// ---- amdgpu.c: of the family (core/family.h)
// Module flags and the control constants of the device libraries.
void kiln_ll_amdgpu_begin(struct kiln_ll *ll);
// Links the functions of the device library that the module calls.
enum kiln_status kiln_ll_amdgpu_finish(struct kiln_ll *ll);
// Marks the inputs that a kernel does not use, which saves registers, and the memory that stays private.
void kiln_ll_amdgpu_after_passes(struct kiln_ll *ll);
void kiln_ll_amdgpu_before_code(const struct kiln_ll *ll, LLVMModuleRef module);
// The descriptions of printf calls. Code objects describe their kernels themselves.
enum kiln_status kiln_ll_amdgpu_meta(const struct kiln_ll_part *parts, const struct kiln_ll_division *division,
                                     struct kiln_artifact *out, struct kiln_report *report);

// An implicit argument.
LLVMValueRef kiln_ll_amdgpu_implicit(struct kiln_ll_fn *f, LLVMTypeRef type, unsigned offset);
// ---- amdgpu_print.c
LLVMValueRef kiln_ll_amdgpu_print(struct kiln_ll_fn *f, kiln_value inst);

// ---- amdgpu_group.c: queries about sub-groups and operations between their work-items
LLVMValueRef kiln_ll_amdgpu_sub_group_item(struct kiln_ll_fn *f, enum kiln_op op);
LLVMValueRef kiln_ll_amdgpu_group(struct kiln_ll_fn *f, kiln_value inst);

// ---- amdgpu_disassemble.c
void kiln_ll_amdgpu_disassemble(struct kiln_ll *ll, const void *data, size_t size, struct kiln_strbuf *out);

// ---- amdgpu_address.c
// Emits pointer arithmetic whose index is a sum, inside of a loop, of values that only contribute to addresses. False:
// the index is another value.
bool kiln_ll_amdgpu_padd(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result);

// ---- amdgpu_op.c: operations that this machine does its own way. False: the common way.
bool kiln_ll_amdgpu_own(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result);
LLVMValueRef kiln_ll_amdgpu_dot4(struct kiln_ll_fn *f, unsigned signs, LLVMValueRef x, LLVMValueRef y,
                                 LLVMValueRef sum);
// ---- amdgpu_math.c: division, square roots, minimum and maximum, mathematical functions
bool kiln_ll_amdgpu_math(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result);
// After the passes: LLVM rounds products to half by adding them to 0, which loses the sign of -0. This adds them to -0
// instead.
void kiln_ll_amdgpu_keep_signs(struct kiln_ll *ll);

#endif
