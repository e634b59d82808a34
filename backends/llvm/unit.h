// What one thread compiles with: a context and a machine with all that LLVM works out about it. Making them costs a
// tenth of the compile of a small kernel, so they are kept and used again, by one thread at a time.
#ifndef KILN_BACKENDS_LLVM_UNIT_H
#define KILN_BACKENDS_LLVM_UNIT_H

#include "backends/llvm/object.h"

struct kiln_ll_unit {
  LLVMContextRef context; // errors are collected in errors
  LLVMTargetMachineRef tm;
  struct kiln_ll_generator *generator; // of objects, for tm; NULL: none yet
  struct kiln_strbuf errors;
  uint32_t compiles;     // so far
  uint64_t instructions; // of the kernel IR, so far; whoever compiles counts
  bool keep;             // may be used again: device libraries would pile up in a context
  char *key;             // the machine
  struct kiln_ll_unit *next;
};

// NULL with the reason in report.
struct kiln_ll_unit *kiln_ll_unit_take(const struct kiln_llvm_machine *machine, unsigned optimize,
                                       struct kiln_report *report);
// Every module of the context has been disposed of. failed: something went wrong in it, so it is not used again.
void kiln_ll_unit_give(struct kiln_ll_unit *unit, bool failed);

#endif
