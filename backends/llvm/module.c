// The module's table of functions.
#include "backends/common/llvm.h"
#include "backends/llvm/cxx/cxx.h"

#include <llvm-c/IRReader.h>
#include <stdlib.h>
#include <string.h>

#include "backends/llvm/core/link.h"
#include "backends/llvm/families.h"

// ---- for tests

static char *cpu_features(const char *triple, const char *cpu) {
  const struct kiln_ll_family *family = kiln_ll_family_of_triple(triple);
  return family && family->features ? family->features(triple, cpu) : NULL;
}

static enum kiln_status assemble(const struct kiln_llvm_machine *machine, const char *text, void **out,
                                 size_t *out_size, struct kiln_report *report) {
  kiln_ll_start();
  LLVMTargetMachineRef tm = kiln_ll_target_machine(kiln_ll_family(machine->family), machine, 2, report);
  if (!tm)
    return KILN_ERR_UNAVAILABLE;
  struct kiln_strbuf errors = {0};
  LLVMContextRef context = LLVMContextCreate();
  kiln_ll_watch(context, &errors);
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "text");
  LLVMModuleRef module = NULL;
  char *message = NULL;
  enum kiln_status status;
  if (LLVMParseIRInContext(context, buffer, &module, &message)) { // takes ownership of the buffer
    status = kiln_fail(report, KILN_ERR_COMPILE, "LLVM: %s", message);
    LLVMDisposeMessage(message);
  } else {
    status = kiln_ll_codegen(module, tm, kiln_ll_family(machine->family)->is_text, NULL, NULL, &errors, out, out_size,
                             report);
    LLVMDisposeModule(module);
  }
  LLVMContextDispose(context);
  LLVMDisposeTargetMachine(tm);
  kiln_strbuf_free(&errors);
  return status;
}

static enum kiln_status link_one(enum kiln_llvm_family family, const char *triple, const void *object, size_t size,
                                 void **out, size_t *out_size, struct kiln_report *report) {
  return kiln_ll_link_objects(kiln_ll_family(family), triple, &(struct kiln_ll_object){object, size}, 1, out, out_size,
                              report);
}

static const char *unused_left_out(const struct kiln_llvm_machine *machine, struct kiln_report *report) {
  kiln_ll_start();
  LLVMTargetMachineRef tm = kiln_ll_target_machine(kiln_ll_family(machine->family), machine, 2, report);
  if (!tm)
    return "no machine";
  const char *unused = kiln_ll_unused_left_out(tm, kiln_ll_family(machine->family)->is_text);
  LLVMDisposeTargetMachine(tm);
  return unused;
}

// ---- the exported symbol

static const struct kiln_llvm_api api = {
    .abi = KILN_LLVM_ABI,
    .struct_size = sizeof(struct kiln_llvm_api),
    .version = KILN_BUILD_VERSION,
    .llvm_version = KILN_LLVM_VERSION,
    .compile = kiln_ll_compile,
    .source_line = kiln_ll_source_line,
    .cpu_features = cpu_features,
    .link = link_one,
    .assemble = assemble,
    .unused_left_out = unused_left_out,
};

KILN_API const struct kiln_llvm_api *kiln_llvm_module(void);
const struct kiln_llvm_api *kiln_llvm_module(void) { return &api; }
