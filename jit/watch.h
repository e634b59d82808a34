// Counters and events of the cache, for hosts.
#ifndef KILN_JIT_WATCH_H
#define KILN_JIT_WATCH_H

#include "jit/program.h"

// A look-up has ended; entry NULL: nothing was found.
void kiln_watch_lookup(struct kiln_context *ctx, const struct kiln_program *program, enum kiln_cache_found found,
                       const struct kiln_cache_trace *trace, const struct kiln_cache_entry *entry);
// A compile has ended well; or not.
void kiln_watch_compile(struct kiln_context *ctx, const struct kiln_program *program, double front_ms, double back_ms);
void kiln_watch_failure(struct kiln_context *ctx, const struct kiln_program *program, enum kiln_status status);
// A program has been loaded into the driver.
void kiln_watch_load(struct kiln_context *ctx, double ms);
// Passes on what the cache says of its files; user: the context.
void kiln_watch_notice(void *user, const struct kiln_cache_notice *notice);

// Appends why a look-up found nothing: a sentence, and what exactly it is in parentheses.
void kiln_miss_put(struct kiln_strbuf *out, const struct kiln_cache_trace *trace);

#endif
