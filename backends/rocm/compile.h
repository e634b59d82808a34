// Compiling: options and functions of struct kiln_base_backend.
#ifndef KILN_BACKENDS_ROCM_COMPILE_H
#define KILN_BACKENDS_ROCM_COMPILE_H

#include "kiln/backend.h"

enum kiln_rocm_option {
  KILN_ROCM_MAX_GROUP,
  KILN_ROCM_WAVES,
  KILN_ROCM_UNSAFE_ATOMICS,
  KILN_ROCM_CUT,
  KILN_ROCM_OPTION_COUNT
};
extern const struct kiln_option kiln_rocm_options[KILN_ROCM_OPTION_COUNT];

uint32_t kiln_rocm_pipeline_fragments(const struct kiln_target *target, const struct kiln_options *options,
                                      const struct kiln_fragment **out);
uint32_t kiln_rocm_runtime_libs(const struct kiln_target *target, struct kiln_runtime_lib *out, uint32_t capacity);
enum kiln_status kiln_rocm_hash(const struct kiln_target *target, const struct kiln_options *options,
                                struct kiln_digest *out, struct kiln_report *report);
enum kiln_status kiln_rocm_compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                   struct kiln_report *report);

#endif
