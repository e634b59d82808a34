// Target machines, the pass runner and object emission.
#include "backends/llvm/core/object.h"
#include "backends/llvm/core/family.h"
#include "backends/llvm/cxx/cxx.h"

#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Initialises all targets, since lld registers missing ones: that must not happen while other threads look theirs up.
static void start(void) {
  LLVMInitializeAllTargetInfos();
  LLVMInitializeAllTargets();
  LLVMInitializeAllTargetMCs();
  LLVMInitializeAllAsmPrinters();
  LLVMInitializeAllAsmParsers();
}

static pthread_once_t started = PTHREAD_ONCE_INIT;

void kiln_ll_start(void) { pthread_once(&started, start); }

static bool has_triple(const struct kiln_ll_family *family, const char *triple) {
  for (const char *const *at = family->triples; *at; at++)
    if (!strcmp(*at, triple))
      return true;
  return false;
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *user) {
  struct kiln_strbuf *errors = user;
  if (!errors || LLVMGetDiagInfoSeverity(info) != LLVMDSError)
    return;
  char *text = LLVMGetDiagInfoDescription(info);
  if (errors->size)
    kiln_strbuf_puts(errors, "\n");
  kiln_strbuf_puts(errors, text);
  LLVMDisposeMessage(text);
}

void kiln_ll_watch(LLVMContextRef context, struct kiln_strbuf *errors) {
  LLVMContextSetDiagnosticHandler(context, on_diagnostic, errors);
}

LLVMTargetMachineRef kiln_ll_target_machine(const struct kiln_ll_family *family,
                                            const struct kiln_llvm_machine *machine, unsigned optimize,
                                            struct kiln_report *report) {
  LLVMTargetRef target;
  char *message = NULL;
  if (!has_triple(family, machine->triple) || LLVMGetTargetFromTriple(machine->triple, &target, &message)) {
    kiln_fail(report, KILN_ERR_UNAVAILABLE, "LLVM has no code generator for '%s'", machine->triple);
    LLVMDisposeMessage(message);
    return NULL;
  }
  static const LLVMCodeGenOptLevel levels[4] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
                                                LLVMCodeGenLevelAggressive};
  LLVMTargetMachineRef result = LLVMCreateTargetMachine(target, machine->triple, machine->processor, machine->features,
                                                        levels[optimize & 3], LLVMRelocPIC, LLVMCodeModelDefault);
  // A short loop that crosses a line of code costs the processor at least two cycles per iteration.
  if (result && optimize && machine->cpu.x86)
    kiln_ll_align_loops(result, 32);
  if (!result)
    kiln_fail(report, KILN_ERR_UNAVAILABLE, "LLVM makes no machine for '%s'", machine->triple);
  return result;
}

enum kiln_status kiln_ll_passes(const struct kiln_ll_family *family, LLVMModuleRef module, LLVMTargetMachineRef machine,
                                unsigned optimize, enum kiln_ll_kind_of_code kind, struct kiln_report *report) {
  const char *pipeline = family->pipelines[KILN_LL_ANY][optimize & 3];
  for (int k = KILN_LL_WIDE; k <= (int)kind; k++)
    if (family->pipelines[k][optimize & 3])
      pipeline = family->pipelines[k][optimize & 3];
  if (!*pipeline)
    return KILN_OK;
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMPassBuilderOptionsSetLoopInterleaving(options, true);
  LLVMPassBuilderOptionsSetLoopVectorization(options, true);
  LLVMPassBuilderOptionsSetSLPVectorization(options, true);
  LLVMErrorRef error = LLVMRunPasses(module, pipeline, machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return KILN_OK;
  char *text = LLVMGetErrorMessage(error);
  enum kiln_status status = kiln_fail(report, KILN_ERR_INTERNAL, "LLVM's passes: %s", text);
  LLVMDisposeErrorMessage(text);
  return status;
}

enum kiln_status kiln_ll_codegen(LLVMModuleRef module, LLVMTargetMachineRef machine, bool assembly,
                                 struct kiln_ll_generator **kept, struct kiln_strbuf *frames,
                                 struct kiln_strbuf *errors, void **out, size_t *out_size, struct kiln_report *report) {
  *out = NULL;
  bool done = kiln_ll_emit_code(module, machine, assembly, kept, frames, out, out_size);
  enum kiln_status status = KILN_OK;
  if (errors->size || errors->failed) // also if emission reports success
    status = kiln_fail(report, KILN_ERR_COMPILE, "LLVM: %s", errors->data ? errors->data : "out of memory");
  else if (!done)
    status = kiln_fail(report, KILN_ERR_INTERNAL, "LLVM writes no code for this machine");
  else if (!*out)
    status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory for %zu bytes of code", *out_size);
  if (status) {
    free(*out);
    *out = NULL;
  }
  return status;
}

enum kiln_status kiln_ll_assemble_text(const struct kiln_ll_family *family, const char *triple, const char *text,
                                       void **out, size_t *out_size, struct kiln_report *report) {
  kiln_ll_start();
  struct kiln_llvm_machine machine = {.triple = triple, .processor = "", .features = ""};
  LLVMTargetMachineRef tm = kiln_ll_target_machine(family, &machine, 0, report);
  if (!tm)
    return KILN_ERR_UNAVAILABLE;
  struct kiln_strbuf errors = {0};
  LLVMContextRef context = LLVMContextCreate();
  kiln_ll_watch(context, &errors);
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("stub", context);
  LLVMSetTarget(module, triple);
  LLVMSetModuleInlineAsm2(module, text, strlen(text));
  enum kiln_status status = kiln_ll_codegen(module, tm, false, NULL, NULL, &errors, out, out_size, report);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  LLVMDisposeTargetMachine(tm);
  kiln_strbuf_free(&errors);
  return status;
}
