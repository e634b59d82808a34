// Compiles in a helper process (COMPILE_ISOLATE=1): the front end and the IR passes run here, the backend's compile
// runs in another process with limits, so that nothing inside of a compiler can end or stall this one. docs/cpu.md
// tells how.
#ifndef KILN_JIT_ISOLATE_H
#define KILN_JIT_ISOLATE_H

#include "jit/env.h"
#include "kiln/backend.h"

struct kiln_context;

struct kiln_isolate {
  bool on;
  uint32_t seconds, cpu_seconds; // 0: no limit
  uint64_t bytes;                // of address space; 0: no limit
};

// Reads the limits. INVALID names the variable that is wrong.
enum kiln_status kiln_isolate_limits(const struct kiln_env *env, struct kiln_isolate *out);

// What job's backend would do, in a helper. The status, the text in report and the stages are the backend's own; a
// helper that does not come back is INTERNAL, COMPILE (time) or MEMORY, with the kernel and the stage it was at.
enum kiln_status kiln_isolate_compile(struct kiln_context *ctx, const struct kiln_compile_job *job,
                                      struct kiln_artifact *out, struct kiln_report *report);

// All that the helper's program does: main returns it. Its descriptors are those of enum kiln_helper_fd.
KILN_API int kiln_compile_helper(void);

#endif
