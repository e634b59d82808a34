// Compiles in a helper process (COMPILE_ISOLATE): the backend's compile, and with "all" the front end and the passes as
// well, run in another process with limits, so that nothing inside of a compiler can end or stall this one
// (docs/embedding.md).
#ifndef KILN_JIT_ISOLATE_H
#define KILN_JIT_ISOLATE_H

#include "jit/env.h"
#include "kiln/backend.h"

struct kiln_compile_result;
struct kiln_context;
struct kiln_lang_options;
struct kiln_source;

struct kiln_isolate {
  bool on;
  bool whole;                    // the front end and the passes, too
  uint32_t seconds, cpu_seconds; // 0: no limit
  uint64_t bytes;                // of address space; 0: no limit
};

// Reads the variables. INVALID names the one that is wrong.
enum kiln_status kiln_isolate_read(const struct kiln_env *env, struct kiln_isolate *out);

// What job's backend would do, in a helper: fills in out->artifact. A job without a module is a whole compile, of
// source with the options in lang: fills in all of out but probes and back_ms. The status, the text in report and the
// stages are the compiler's own; a helper that does not come back is INTERNAL, COMPILE (time) or MEMORY, with the
// kernel and the stage it was at. out is the caller's to free, whatever is returned.
enum kiln_status kiln_isolate_compile(struct kiln_context *ctx, const struct kiln_compile_job *job,
                                      const struct kiln_source *source, const struct kiln_lang_options *lang,
                                      struct kiln_compile_result *out, struct kiln_report *report);

// All that the helper's program does, a compile or what ask.h says: main returns it. Its descriptors are those of enum
// kiln_helper_fd.
KILN_API int kiln_compile_helper(int argc, char **argv);

#endif
