// LLVM modules to objects: target machines, passes, emission. Every context has a diagnostic handler: without one an
// error ends the process. With one emission reports success even then, so the errors are looked at.
#ifndef KILN_BACKENDS_LLVM_OBJECT_H
#define KILN_BACKENDS_LLVM_OBJECT_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "backends/common/llvm.h"
#include "base/str.h"

// Brings LLVM up, once per process.
void kiln_ll_start(void);
// Collects errors of the context's compilations in errors (NULL: drops them). errors outlives the context.
void kiln_ll_watch(LLVMContextRef context, struct kiln_strbuf *errors);
struct kiln_ll_family;
LLVMTargetMachineRef kiln_ll_target_machine(const struct kiln_ll_family *family,
                                            const struct kiln_llvm_machine *machine, unsigned optimize,
                                            struct kiln_report *report);
// Kinds of code, each of which needs fewer passes than the kind before it.
enum kiln_ll_kind_of_code {
  KILN_LL_ANY,
  KILN_LL_WIDE,     // every kernel runs at many lanes
  KILN_LL_STRAIGHT, // and the source has no loops
};

// Runs the passes of the level.
enum kiln_status kiln_ll_passes(const struct kiln_ll_family *family, LLVMModuleRef module, LLVMTargetMachineRef machine,
                                unsigned optimize, enum kiln_ll_kind_of_code kind, struct kiln_report *report);
struct kiln_ll_generator; // cxx/cxx.h
// The module as assembly or object; *out is malloc'ed. Fails if errors is not empty afterwards. kept: holds the list of
// passes that makes objects on this machine, NULL at first; a NULL kept: the list is not reused. frames: receives the
// frames of the functions (frames.h); NULL: they are dropped.
enum kiln_status kiln_ll_codegen(LLVMModuleRef module, LLVMTargetMachineRef machine, bool assembly,
                                 struct kiln_ll_generator **kept, struct kiln_strbuf *frames,
                                 struct kiln_strbuf *errors, void **out, size_t *out_size, struct kiln_report *report);
// Assembles text for a triple of the family.
enum kiln_status kiln_ll_assemble_text(const struct kiln_ll_family *family, const char *triple, const char *text,
                                       void **out, size_t *out_size, struct kiln_report *report);

#endif
