// What became of a program, and making a failing program smaller.
#ifndef KILN_TESTS_GEN_DIFF_H
#define KILN_TESTS_GEN_DIFF_H

#include "tests/gen/gen.h"

enum gen_outcome {
  GEN_FINE,
  GEN_INTERP_FAILS,
  GEN_CPU_FAILS,
  GEN_CPU_DIFFERS,
  GEN_OPENCL_FAILS,
  GEN_OPENCL_DIFFERS,
  GEN_CRASH, // or no end
};

struct gen_setup {
  const char *arch;    // of cpu; NULL: its default
  const char *options; // build options for cpu; NULL: none
  bool opencl;
};

// Runs the program in a process of its own. message: the error or the first difference; may be NULL.
enum gen_outcome gen_judge(const struct gen_setup *setup, const struct gen_program *program, char *message,
                           size_t size);

// Takes lines, blocks and parts of expressions out of program->source as long as the outcome stays the same.
void gen_reduce(const struct gen_setup *setup, struct gen_program *program, enum gen_outcome outcome,
                const char *message);

#endif
