// The pure joint: source to artifact. Needs no device, knows no cache.
#ifndef KILN_JIT_COMPILE_H
#define KILN_JIT_COMPILE_H

#include "jit/store.h"

struct kiln_compile_result {
  struct kiln_artifact artifact;
  struct kiln_strbuf reflection, resources; // as kiln_reflect_read takes them
  struct kiln_probe *probes;                // what the cache must check before it may answer again
  uint32_t probe_count;
  char *log;      // warnings, or the errors of a failed compile; may be NULL
  char *warnings; // all, as kiln_warnings_text takes them; NULL: none
  size_t warnings_size;
  double front_ms, back_ms;
  struct kiln_strbuf device;    // device code that the backend made on the way, as a section of the cache
  struct kiln_lang_output lang; // probes point into it
};

// wanted: NULL, or the stage that is wanted, which ends the compile early. stage: receives "ir" and then the backend's
// stages; may be NULL. On failure the last error is set and result has been freed.
enum kiln_status kiln_compile(struct kiln_context *ctx, const struct kiln_source *source,
                              const struct kiln_build_options *options, const char *wanted, kiln_stage_fn *stage,
                              void *stage_user, struct kiln_compile_result *result);
void kiln_compile_result_free(struct kiln_compile_result *result);

#endif
