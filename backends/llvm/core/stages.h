// The stages of a compilation, from kernel IR to the artifact.
#ifndef KILN_BACKENDS_LLVM_STAGES_H
#define KILN_BACKENDS_LLVM_STAGES_H

#include "backends/llvm/core/emit.h"
#include "base/str.h"

struct kiln_ll_division;

// One part of the program, and what has been made of it so far.
struct kiln_ll_part {
  struct kiln_ll *ll; // where there are several parts, its report is the part's own
  char *text;         // LLVM IR or assembly, if the job asks for it
  size_t text_size;
  void *object; // malloc'ed
  size_t object_size;
  struct kiln_strbuf frames; // of its functions on the CPU, as frames.h describes
  struct kiln_str start;     // of the text that the job starts from
  enum kiln_status status;
};

enum kiln_status kiln_ll_compile(const struct kiln_llvm_machine *machine, const struct kiln_compile_job *job,
                                 struct kiln_artifact *out, struct kiln_report *report);

#endif
