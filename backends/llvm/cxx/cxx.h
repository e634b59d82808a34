// What needs LLVM's C++ interface, as C. README.md has the reason for each function.
#ifndef KILN_BACKENDS_LLVM_CXX_H
#define KILN_BACKENDS_LLVM_CXX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- ir.cpp
// Splits blocks of more than twice the limit, so that passes of the code generator that are quadratic in the block size
// get no long ones. No pass over the IR may follow.
void kiln_ll_split_blocks(LLVMModuleRef module, size_t limit);
// AMD GPUs: hides the operands of divisions that LLVM's back end would do with fewer bits than needed.
void kiln_ll_keep_width_of_divisions(LLVMModuleRef module);
// AMD GPUs: keeps the lower halves of sums of 64 bits from being combined wrongly.
void kiln_ll_keep_lower_halves(LLVMModuleRef module);
LLVMMetadataRef kiln_ll_distinct_node(LLVMContextRef context);
// Narrows an atomic instruction or fence, made at system scope, to the named one.
void kiln_ll_set_scope(LLVMValueRef instruction, const char *scope);
// Aligns loops to so many bytes.
void kiln_ll_align_loops(LLVMTargetMachineRef machine, unsigned bytes);

// ---- nvptx.cpp: NVIDIA GPUs
// Makes of a load of 16 bytes as a vector of them, which LLVM takes for one that is aligned, two loads.
void kiln_ll_split_byte_loads(LLVMModuleRef module);
// Extends vectors of halves element by element: LLVM loses the conversion of those that are loaded.
void kiln_ll_split_half_extensions(LLVMModuleRef module);
// Makes choices of -1 and 0 of conversions of a signed bit to a float, of which LLVM makes 1 and 0.
void kiln_ll_choose_signed_bits(LLVMModuleRef module);
// Makes loops of copies and fills of more than so many bytes, in pieces as large as their alignment
// allows; LLVM would make them byte by byte.
void kiln_ll_expand_copies(LLVMModuleRef module, uint64_t more_than);
// Hides generic null pointers that are one of several values, or compared with one, so that LLVM does not convert them
// to an address space in which they would be another address.
void kiln_ll_hide_nulls(LLVMModuleRef module);

// ---- library.cpp
// Links the functions that module lacks from the bitcode file, and makes them internal. False: *message (malloc'ed)
// says why.
bool kiln_ll_link_needed(LLVMModuleRef module, const char *path, char **message);

// ---- line.cpp
// The source line of an address of a shared object, "file:line", from its debug information. False: it has none.
bool kiln_ll_source_line(const void *object, size_t size, uint64_t address, char *out, size_t out_size);

// ---- targets.cpp
// Features of a CPU by LLVM's tables, comma-separated and malloc'ed; NULL: no such CPU.
char *kiln_ll_cpu_features(const char *triple, const char *cpu);
// AMD GPUs: the names of all processors for an empty name, else "mach,isa,feature,…". malloc'ed; NULL: none.
char *kiln_ll_amdgpu_features(const char *triple, const char *name);

// ---- lld.cpp
// Runs lld with these arguments. False: *log (malloc'ed) says why. Not thread-safe.
bool kiln_ll_lld(const char *const *args, size_t count, char **log);

// ---- outline.cpp
// Cuts functions of more than limit instructions (a block counts as several) into functions of at least chunk; with
// optimize a few passes go over them before. barrier: the intrinsic of a barrier of the group, which may be in any of
// them; NULL: functions contain no barriers.
void kiln_ll_outline(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *barrier, uint32_t limit,
                     uint32_t chunk, bool optimize);

// ---- codegen.cpp
// The list of machine passes for one machine, which can run for several modules in turn: making it takes a quarter of
// the compile time of a small kernel.
struct kiln_ll_generator;
void kiln_ll_generator_free(struct kiln_ll_generator *generator);
// LLVM's code generation, for CPUs without the passes of codegen.def. *out is malloc'ed (NULL: out of memory). False:
// LLVM writes no such files for this machine. kept, frames: as for kiln_ll_codegen.
bool kiln_ll_emit_code(LLVMModuleRef module, LLVMTargetMachineRef machine, bool assembly,
                       struct kiln_ll_generator **kept, struct kiln_strbuf *frames, void **out, size_t *out_size);
// An entry of codegen.def that names no pass of LLVM's list for the machine, which makes assembly or objects; NULL: all
// name a pass.
const char *kiln_ll_unused_left_out(LLVMTargetMachineRef machine, bool assembly);

#ifdef __cplusplus
}
#endif

#endif
