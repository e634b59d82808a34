// Tuning a kernel: the search, its measurements, and the record that they become.
#ifndef KILN_JIT_TUNE_H
#define KILN_JIT_TUNE_H

#include "jit/tuned.h"

// Tunes a kernel for a launch. desc: but for its program and kernel. The kernel's program keeps the variants.
enum kiln_status kiln_tune_kernel(struct kiln_kernel *kernel, const struct kiln_tune_desc *desc,
                                  struct kiln_tune_result *result);

#endif
