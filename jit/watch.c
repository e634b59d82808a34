// Counters and events of the cache, for hosts.
#include "jit/watch.h"

#include <string.h>

#include "base/floats.h"
#include "jit/trace.h"

static const char *miss_text(enum kiln_cache_miss reason) {
  static const char *const texts[KILN_MISS_COUNT] = {
      [KILN_MISS_NONE] = "",
      [KILN_MISS_ABSENT] = "nothing is stored for this request",
      [KILN_MISS_INCLUDES] = "it is stored for other include files",
      [KILN_MISS_NO_TOOLCHAIN] = "no compiler is installed, and no layer has it",
      [KILN_MISS_UNREADABLE] = "a file is there that cannot be read or trusted",
      [KILN_MISS_DAMAGED] = "the file is damaged",
      [KILN_MISS_REFUSED] = "an entry is in a layer or on a remote, but its signature or its contents are wrong",
      [KILN_MISS_TIMEOUT] = "another process has been compiling it for too long",
      [KILN_MISS_OFF] = "the cache is off",
  };
  return texts[reason];
}

void kiln_miss_put(struct kiln_strbuf *out, const struct kiln_cache_trace *trace) {
  kiln_strbuf_puts(out, miss_text(trace->reason));
  if (trace->details)
    kiln_strbuf_printf(out, " (%s)", trace->details);
}

static bool watched(const struct kiln_context *ctx) { return ctx->cache_event || kiln_traces(ctx); }

static void send(struct kiln_context *ctx, struct kiln_cache_event event) {
  event.program = event.program ? event.program : "";
  event.key = event.key ? event.key : "";
  event.place = event.place ? event.place : "";
  event.reason = event.reason ? event.reason : "";
  if (ctx->cache_event)
    ctx->cache_event(ctx->cache_event_user, &event);
  if (kiln_traces(ctx))
    kiln_trace_cache(ctx, &event);
}

static void add_ms(_Atomic uint64_t *sum, double ms) {
  atomic_fetch_add_explicit(sum, (uint64_t)(ms * 1e6), memory_order_relaxed);
}

static bool logs(const struct kiln_context *ctx) { return ctx->log && ctx->log_level >= KILN_LOG_INFO; }

void kiln_watch_lookup(struct kiln_context *ctx, const struct kiln_program *program, enum kiln_cache_found found,
                       const struct kiln_cache_trace *trace, const struct kiln_cache_entry *entry) {
  add_ms(&ctx->lookup_ns, program->lookup_ms);
  if ((!watched(ctx) && !logs(ctx)) || found == KILN_FIND_FAILED)
    return;
  const char *place = found == KILN_FOUND_MEMORY ? "memory" : trace->place ? trace->place : "";
  struct kiln_strbuf reason = {0};
  if (!entry)
    kiln_miss_put(&reason, trace);
  const char *why = reason.data && !reason.failed ? reason.data : "";
  if (entry)
    kiln_context_log(ctx, KILN_LOG_INFO, "cache hit: '%s' is entry %s in %s (%.3f ms)", program->source.name,
                     entry->key, place, program->lookup_ms);
  else
    kiln_context_log(ctx, KILN_LOG_INFO, "cache miss: '%s': %s (%.3f ms)", program->source.name, why,
                     program->lookup_ms);
  if (watched(ctx))
    send(ctx, (struct kiln_cache_event){.kind = entry ? KILN_CACHE_EVENT_HIT : KILN_CACHE_EVENT_MISS,
                                        .program = program->source.name,
                                        .key = entry ? entry->key : trace->key,
                                        .place = place,
                                        .reason = why,
                                        .bytes = entry ? kiln_cache_entry_image(entry).size : 0,
                                        .lookup_ms = program->lookup_ms});
  kiln_strbuf_free(&reason);
}

void kiln_watch_compile(struct kiln_context *ctx, const struct kiln_program *program, double front_ms, double back_ms) {
  add_ms(&ctx->front_ns, front_ms);
  add_ms(&ctx->back_ns, back_ms);
  kiln_context_log(ctx, KILN_LOG_INFO, "compiled '%s' for %s in %.1f ms: %.1f ms front end and passes, %.1f ms backend",
                   program->source.name, ctx->label, front_ms + back_ms, front_ms, back_ms);
  if (watched(ctx))
    send(ctx, (struct kiln_cache_event){.kind = KILN_CACHE_EVENT_COMPILED,
                                        .program = program->source.name,
                                        .lookup_ms = program->lookup_ms,
                                        .front_ms = front_ms,
                                        .back_ms = back_ms});
}

void kiln_watch_failure(struct kiln_context *ctx, const struct kiln_program *program, enum kiln_status status) {
  kiln_context_log(ctx, KILN_LOG_INFO, "'%s' cannot be compiled for %s: %s", program->source.name, ctx->label,
                   kiln_status_name(status));
  if (watched(ctx))
    send(ctx, (struct kiln_cache_event){.kind = KILN_CACHE_EVENT_FAILED,
                                        .program = program->source.name,
                                        .reason = kiln_status_name(status)});
}

void kiln_watch_load(struct kiln_context *ctx, double ms) {
  atomic_fetch_add_explicit(&ctx->loads, 1, memory_order_relaxed);
  add_ms(&ctx->load_ns, ms);
}

void kiln_watch_notice(void *user, const struct kiln_cache_notice *notice) {
  static const enum kiln_cache_event_kind kinds[] = {
      [KILN_CHANGE_STORED] = KILN_CACHE_EVENT_STORED,
      [KILN_CHANGE_STORE_FAILED] = KILN_CACHE_EVENT_STORE_FAILED,
      [KILN_CHANGE_QUARANTINED] = KILN_CACHE_EVENT_QUARANTINED,
      [KILN_CHANGE_EVICTED] = KILN_CACHE_EVENT_EVICTED,
      [KILN_CHANGE_DEGRADED] = KILN_CACHE_EVENT_DEGRADED,
      [KILN_CHANGE_RECOVERED] = KILN_CACHE_EVENT_RECOVERED,
  };
  if (!watched(user))
    return;
  send(user, (struct kiln_cache_event){.kind = kinds[notice->change],
                                       .key = notice->key,
                                       .place = notice->place,
                                       .reason = notice->reason,
                                       .bytes = notice->bytes,
                                       .count = notice->count});
}

void kiln_context_cache_stats(const struct kiln_context *ctx, struct kiln_cache_stats *out) {
  if (!ctx || !out)
    return;
  struct kiln_cache_counters c;
  kiln_cache_counters(ctx->cache, &c);
  struct kiln_floats floats = kiln_floats_enter();
  *out = (struct kiln_cache_stats){.memory_hits = c.memory_hits,
                                   .disk_hits = c.disk_hits + c.layer_hits + c.remote_hits,
                                   .misses = c.misses,
                                   .compiles = atomic_load(&ctx->compiles),
                                   .stores = c.stores,
                                   .store_failures = c.store_failures,
                                   .quarantined = c.quarantined,
                                   .layer_hits = c.layer_hits,
                                   .waits = c.thread_waits + c.process_waits,
                                   .bytes_read = c.bytes_read,
                                   .bytes_written = c.bytes_written,
                                   .evicted = c.evicted,
                                   .evicted_bytes = c.evicted_bytes,
                                   .lookup_ms = (double)atomic_load(&ctx->lookup_ns) / 1e6,
                                   .front_ms = (double)atomic_load(&ctx->front_ns) / 1e6,
                                   .back_ms = (double)atomic_load(&ctx->back_ns) / 1e6,
                                   .degraded = c.degraded};
  kiln_floats_leave(floats);
  out->misses_by.absent = c.misses_by[KILN_MISS_ABSENT];
  out->misses_by.includes = c.misses_by[KILN_MISS_INCLUDES];
  out->misses_by.no_toolchain = c.misses_by[KILN_MISS_NO_TOOLCHAIN];
  out->misses_by.unreadable = c.misses_by[KILN_MISS_UNREADABLE] + c.misses_by[KILN_MISS_REFUSED];
  out->misses_by.damaged = c.misses_by[KILN_MISS_DAMAGED];
  out->misses_by.timeout = c.misses_by[KILN_MISS_TIMEOUT];
  out->misses_by.off = c.misses_by[KILN_MISS_OFF];
}
