// Handles of other runtimes.
#ifndef KILN_JIT_NATIVE_H
#define KILN_JIT_NATIVE_H

#include "jit/context.h"

// Chooses backend and target of a context that is opened on a host's own handles.
enum kiln_status kiln_native_target(struct kiln_context *ctx, const struct kiln_context_desc *desc,
                                    const struct kiln_native_context *native, struct kiln_report *report);

#endif
