// Compiling: options and functions of struct kiln_base_backend.
#ifndef KILN_BACKENDS_CUDA_COMPILE_H
#define KILN_BACKENDS_CUDA_COMPILE_H

#include "kiln/backend.h"

enum kiln_cuda_option { KILN_CUDA_LAUNCHES, KILN_CUDA_MAX_GROUP_SIZE, KILN_CUDA_MAX_REGISTERS, KILN_CUDA_OPTION_COUNT };
extern const struct kiln_option kiln_cuda_options[KILN_CUDA_OPTION_COUNT];

uint32_t kiln_cuda_pipeline_fragments(const struct kiln_target *target, const struct kiln_options *options,
                                      const struct kiln_fragment **out);
uint32_t kiln_cuda_runtime_libs(const struct kiln_target *target, struct kiln_runtime_lib *out, uint32_t capacity);
enum kiln_status kiln_cuda_hash(const struct kiln_target *target, const struct kiln_options *options,
                                struct kiln_digest *out, struct kiln_report *report);
enum kiln_status kiln_cuda_compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                   struct kiln_report *report);

#endif
