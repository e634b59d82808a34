// An estimate of how many waves of a kernel a SIMD holds at a time.
#ifndef KILN_BACKENDS_ROCM_CODE_OCCUPANCY_H
#define KILN_BACKENDS_ROCM_CODE_OCCUPANCY_H

#include "backends/rocm/code/codeobject.h"
#include "backends/rocm/code/target.h"

// At least 1. Of groups of the largest size that the kernel is compiled for, without dynamic local memory.
uint32_t kiln_rocm_occupancy(const struct kiln_rocm_target *target, const struct kiln_rocm_kernel *kernel);

#endif
