// Traces: what a context does, as events in the format that Chrome's trace viewer and Perfetto read.
//
// Events of the host's threads (compiles, look-ups, enqueueing, waiting) are written when they end. A command's own
// event, on the track of its stream, is written once the command is seen to have ended: until then it waits in a list.
// Text is collected and goes to the file when there is much of it, after each wait and after each compile. The file is
// complete JSON after every write, so that it is even if the process just ends.
#ifndef KILN_JIT_TRACE_H
#define KILN_JIT_TRACE_H

#include "base/file.h"
#include "jit/context.h"

struct kiln_submit;

// COMPILE_TRACE.
enum kiln_status kiln_trace_open(struct kiln_context *ctx);
// Nothing uses the context any more.
void kiln_trace_close(struct kiln_context *ctx);

// Whether a trace is written now. All functions below may only be called then, but for kiln_trace_harvest.
static inline bool kiln_traces(const struct kiln_context *ctx) {
  return __builtin_expect(atomic_load_explicit(&ctx->traces, memory_order_relaxed), 0);
}

// The beginning of a span; 0: no trace is written.
static inline uint64_t kiln_trace_begin(const struct kiln_context *ctx) { return kiln_traces(ctx) ? kiln_now_ns() : 0; }

// Something that the calling thread did from start until now. name: of what it was done to; NULL: none.
void kiln_trace_span(struct kiln_context *ctx, const char *category, const char *what, const char *name,
                     uint64_t start);
// Something that happened to the cache.
void kiln_trace_cache(struct kiln_context *ctx, const struct kiln_cache_event *event);
// A command that has been enqueued; takes a reference of its event.
void kiln_trace_command(struct kiln_submit *submit, uint64_t count);
// The end of a wait that began at start; writes to the file.
void kiln_trace_wait(struct kiln_context *ctx, int slot, const char *call, uint64_t start);
// Writes the commands of a slot that have ended.
void kiln_trace_harvest(struct kiln_context *ctx, int slot);
// Writes to the file what has been collected.
void kiln_trace_flush(struct kiln_context *ctx);

#endif
