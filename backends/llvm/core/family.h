// What differs between the families of machines, apart from the emission of instructions (struct kiln_ll_hooks): how
// code is made and what becomes of it. families.c has a row for each.
#ifndef KILN_BACKENDS_LLVM_FAMILY_H
#define KILN_BACKENDS_LLVM_FAMILY_H

#include "backends/llvm/core/object.h"
#include "backends/llvm/core/stages.h"

struct kiln_ll_family {
  const struct kiln_ll_hooks *hooks;
  const char *triples[3]; // NULL after the last

  // ---- emission
  bool wide;            // kernels run at many lanes: they are rewritten for launches, and have plans
  bool divides;         // programs may have several parts
  bool reuses_units;    // contexts and target machines; not with device libraries, which would pile up in the context
  bool shows_variables; // to debuggers, with -g and without optimisation
  unsigned array_align; // of private variables of so many bytes or more, at least
  // Before anything is emitted, and after all is. NULL: nothing to do.
  void (*begin)(struct kiln_ll *ll);
  enum kiln_status (*finish)(struct kiln_ll *ll);

  // ---- passes
  const char *const (*pipelines)[4]; // by enum kiln_ll_kind_of_code and level; NULL: that of the kind before
  // A function that is cut becomes functions of at least kiln_llvm_machine.cut / cut_parts instructions.
  uint32_t cut_parts;
  bool cuts_always;    // also without optimisation, at one lane: LLVM's fast code generation is not linear
  const char *barrier; // LLVM's intrinsic of a barrier of the group, at which functions may be cut; NULL: none have one
  void (*after_passes)(struct kiln_ll *ll); // NULL: nothing to do
  // Finds what the code generator would end the process over. NULL: nothing that passes the verifier.
  enum kiln_status (*check)(const struct kiln_ll *ll, LLVMModuleRef module);
  // Changes that no pass may follow. NULL: none.
  void (*before_code)(const struct kiln_ll *ll, LLVMModuleRef module);

  // ---- code
  const char *assembly; // the stage of assembly
  const char *comment;  // what begins one there
  bool is_text;         // the artifact is the assembly; else a library, linked of objects
  bool calls_library;   // code may call the functions of math.def
  // Describes the program that out holds.
  enum kiln_status (*meta)(const struct kiln_ll_part *parts, const struct kiln_ll_division *division,
                           struct kiln_artifact *out, struct kiln_report *report);
  // The artifact as text, for the stage dis. NULL: the family lacks that stage.
  void (*disassemble)(struct kiln_ll *ll, const void *data, size_t size, struct kiln_strbuf *out);
  // kiln_llvm_api.cpu_features. NULL: LLVM has no table of the family.
  char *(*features)(const char *triple, const char *processor);
};

#endif
