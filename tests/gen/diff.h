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
  GEN_PRINTED_FAILS,
  GEN_PRINTED_DIFFERS,
  GEN_ROUND_FAILS,
  GEN_ROUND_DIFFERS,
  GEN_ROCM_FAILS,
  GEN_ROCM_DIFFERS,
  GEN_CUDA_FAILS,
  GEN_CUDA_DIFFERS,
  GEN_CRASH, // or no end
};

// What is compared with interp.
enum gen_peer {
  GEN_PEER_CPU,     // the backend
  GEN_PEER_OPENCL,  // the first OpenCL platform, given the source
  GEN_PEER_PRINTED, // the backend opencl: the same platform, given the text that Kiln prints
  GEN_PEER_ROUND,   // the text that Kiln prints, on interp
  GEN_PEER_ROCM,    // the backend
  GEN_PEER_CUDA,    // likewise
  GEN_PEER_COUNT
};

struct gen_setup {
  const char *arch;    // of cpu, rocm or cuda; NULL: its default
  const char *options; // build options for them; NULL: none
  uint32_t peers;      // bits of enum gen_peer
};

// Runs the program in a process of its own. message: the error or the first difference; may be NULL.
enum gen_outcome gen_judge(const struct gen_setup *setup, const struct gen_program *program, char *message,
                           size_t size);

// Takes lines, blocks and parts of expressions out of program->source as long as the outcome stays the same.
void gen_reduce(const struct gen_setup *setup, struct gen_program *program, enum gen_outcome outcome,
                const char *message);

#endif
