// LLVM modules to objects: target machines, passes, emission. Every context has a diagnostic handler, since an error
// without one ends the process, and with one emission reports success.
#ifndef KILN_BACKENDS_LLVM_OBJECT_H
#define KILN_BACKENDS_LLVM_OBJECT_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "backends/llvm/module.h"
#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

// Brings LLVM up, once per process.
void kiln_ll_start(void);
// Whether machine's triple is one of ours.
bool kiln_ll_knows_triple(const char *triple);
// Collects errors of the context's compilation in errors (NULL: they are dropped). errors outlives the context.
void kiln_ll_watch(LLVMContextRef context, struct kiln_strbuf *errors);
LLVMTargetMachineRef kiln_ll_target_machine(const struct kiln_llvm_machine *machine, unsigned optimize,
                                            struct kiln_report *report);
// cxx.cpp. Aligns loops to so many bytes.
void kiln_ll_align_loops(LLVMTargetMachineRef machine, unsigned bytes);
// Each needs fewer passes than the one before.
enum kiln_ll_kind_of_code {
  KILN_LL_ANY,
  KILN_LL_WIDE,     // every kernel runs at many lanes
  KILN_LL_STRAIGHT, // and the source has no loops
};

// outline.cpp: cuts functions of more than limit instructions (a block counts as some) after the passes into functions
// of at least chunk.
void kiln_ll_outline(LLVMModuleRef module, LLVMTargetMachineRef machine, uint32_t limit, uint32_t chunk,
                     const char *passes);
// Runs the passes of the level.
enum kiln_status kiln_ll_passes(enum kiln_llvm_family family, LLVMModuleRef module, LLVMTargetMachineRef machine,
                                unsigned optimize, enum kiln_ll_kind_of_code kind, struct kiln_report *report);
// The list of machine passes for one machine, which may be run for one module after another: making it costs a quarter
// of the compile of a small kernel.
struct kiln_ll_generator;
void kiln_ll_generator_free(struct kiln_ll_generator *generator);
// The module as assembly or object; *out is malloc'ed. Fails when errors has something in it afterwards. kept: where
// the list is kept that makes objects on this machine, NULL at first; NULL: it is not kept.
enum kiln_status kiln_ll_codegen(LLVMModuleRef module, LLVMTargetMachineRef machine, bool assembly,
                                 struct kiln_ll_generator **kept, struct kiln_strbuf *errors, void **out,
                                 size_t *out_size, struct kiln_report *report);
// codegen.cpp: LLVM's code generation, CPUs without the passes of codegen.def. *out is malloc'ed (NULL: out of memory).
// False: LLVM writes no such files for this machine.
bool kiln_ll_emit_code(LLVMModuleRef module, LLVMTargetMachineRef machine, bool assembly,
                       struct kiln_ll_generator **kept, void **out, size_t *out_size);
// A row of codegen.def that names no pass of LLVM's list for the machine; NULL: there is none.
const char *kiln_ll_unused_left_out(LLVMTargetMachineRef machine);
// Assembles text for a triple.
enum kiln_status kiln_ll_assemble_text(const char *triple, const char *text, void **out, size_t *out_size,
                                       struct kiln_report *report);

#ifdef __cplusplus
}
#endif

#endif
