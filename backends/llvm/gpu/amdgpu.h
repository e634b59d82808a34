// The parts of the emitter that AMD GPUs alone have. Inside of kiln-llvm.so.
//
// Address spaces are LLVM's: 1 global, 3 local (LDS), 4 constant, 5 private (scratch), 0 generic. Pointers to local
// and private memory are narrow (gpu.h), of 32 bits.
#ifndef KILN_BACKENDS_LLVM_AMDGPU_H
#define KILN_BACKENDS_LLVM_AMDGPU_H

#include <llvm-c/TargetMachine.h>

#include "backends/llvm/gpu/gpu.h"

extern const struct kiln_ll_hooks kiln_ll_amdgpu_hooks;

// ---- amdgpu.c: of the family (core/family.h)
// Module flags and the control constants of the device libraries.
void kiln_ll_amdgpu_begin(struct kiln_ll *ll);
// Links the functions of the device library that the module calls.
enum kiln_status kiln_ll_amdgpu_finish(struct kiln_ll *ll);
// Marks the inputs that a kernel does not use, which saves registers, and the memory that stays private.
void kiln_ll_amdgpu_after_passes(struct kiln_ll *ll);
void kiln_ll_amdgpu_before_code(const struct kiln_ll *ll, LLVMModuleRef module);

// ---- amdgpu_group.c: hooks of kiln_ll_gpu_hooks
unsigned kiln_ll_amdgpu_wave_log(const struct kiln_ll *ll);
LLVMValueRef kiln_ll_amdgpu_lane_id(struct kiln_ll *ll);
LLVMValueRef kiln_ll_amdgpu_first_lane(struct kiln_ll *ll, LLVMValueRef value);
LLVMValueRef kiln_ll_amdgpu_vote(struct kiln_ll_fn *f, LLVMValueRef value, bool all);
LLVMValueRef kiln_ll_amdgpu_ballot(struct kiln_ll_fn *f, LLVMValueRef value);
struct kiln_ll_gpu_words kiln_ll_amdgpu_broadcast(struct kiln_ll_fn *f, struct kiln_ll_gpu_words value,
                                                  LLVMValueRef lane);
struct kiln_ll_gpu_words kiln_ll_amdgpu_shuffle(struct kiln_ll_fn *f, struct kiln_ll_gpu_words value,
                                                LLVMValueRef lane);
LLVMValueRef kiln_ll_amdgpu_collective(struct kiln_ll_fn *f, kiln_value inst);
void kiln_ll_amdgpu_wave_barrier(struct kiln_ll_fn *f, bool fences);

// ---- amdgpu_disassemble.c
void kiln_ll_amdgpu_disassemble(struct kiln_ll *ll, const void *data, size_t size, struct kiln_strbuf *out);

// ---- amdgpu_state.c: kiln_ll_hooks.define_state and .state
void kiln_ll_amdgpu_define_state(struct kiln_ll *ll);
LLVMValueRef kiln_ll_amdgpu_state(struct kiln_ll_fn *f, uint32_t global);

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
