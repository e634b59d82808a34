// Compiles that begin at a later stage: one that the caller gives, or one from COMPILE_OVERRIDE_DIR.
#ifndef KILN_JIT_START_H
#define KILN_JIT_START_H

#include "jit/store.h"

// INVALID, with the stages that there are, when the context's backend cannot start from this one. what: the source or
// file that it is for.
enum kiln_status kiln_start_check(const struct kiln_context *ctx, const char *stage, const char *what);

// Looks for what COMPILE_DUMP_DIR would have written for this compile; the latest stage that is in the folder becomes
// the source's start, its bytes *data, which the caller frees. Without the variable or a file nothing changes. Fails
// for a file that cannot be read, or a stage that cannot be started from: it is not passed over, for somebody put it
// there.
enum kiln_status kiln_start_override(struct kiln_context *ctx, const struct kiln_build_options *options,
                                     struct kiln_source *source, char **data);

#endif
