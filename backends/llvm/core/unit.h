// A unit is what one thread compiles with: a context and a target machine with LLVM's cached data about it. Making a
// unit takes a tenth of the compile time of a small kernel, so units are reused, by one thread at a time.
#ifndef KILN_BACKENDS_LLVM_UNIT_H
#define KILN_BACKENDS_LLVM_UNIT_H

#include "backends/llvm/core/object.h"

struct kiln_ll_unit {
  LLVMContextRef context; // errors are collected in errors
  LLVMTargetMachineRef tm;
  struct kiln_ll_generator *generator; // of objects, for tm; NULL: none yet
  struct kiln_strbuf errors;
  uint32_t compiles;     // so far
  uint64_t instructions; // of kernel IR compiled so far; counted by the caller
  bool keep;             // may be reused
  char *key;             // the machine
  struct kiln_ll_unit *next;
};

struct kiln_ll_family;
enum kiln_status kiln_ll_unit_take(const struct kiln_ll_family *family, const struct kiln_llvm_machine *machine,
                                   unsigned optimize, struct kiln_ll_unit **out, struct kiln_report *report);
// The caller has disposed of every module of the context. failed: a compilation in it failed, so it is not reused.
void kiln_ll_unit_give(struct kiln_ll_unit *unit, bool failed);

#endif
