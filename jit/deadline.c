// Deadlines of streams, and cancelling: the backend does it, where it can.
#include "jit/stream.h"

static enum kiln_status check_backend(const struct kiln_context *ctx) {
  const struct kiln_driver *driver = ctx->backend->driver;
  if (driver->stream_deadline && driver->stream_cancel)
    return KILN_OK;
  return kiln_error(KILN_ERR_UNSUPPORTED, "backend '%s' cannot stop what runs", ctx->backend->name);
}

enum kiln_status kiln_stream_set_deadline(struct kiln_stream *stream, uint64_t ns) {
  if (!stream)
    return kiln_error(KILN_ERR_INVALID, "kiln_stream_set_deadline: stream is NULL");
  struct kiln_context *ctx = stream->ctx;
  enum kiln_status status = check_backend(ctx);
  if (status != KILN_OK)
    return status;
  if (stream->graph) { // what is recorded from now on can be stopped; how soon is up to the stream that it runs on
    atomic_store(&stream->deadline, ns);
    return KILN_OK;
  }
  struct kiln_report report = kiln_context_report(ctx);
  status = ctx->backend->driver->stream_deadline(atomic_load(&ctx->drv), stream->drv_stream, ns, &report);
  status = kiln_report_finish(&report, status, ctx->backend->name, "kiln_stream_set_deadline");
  if (status == KILN_OK)
    atomic_store(&stream->deadline, ns);
  return status;
}

enum kiln_status kiln_context_set_deadline(struct kiln_context *ctx, uint64_t ns) {
  if (!ctx)
    return kiln_error(KILN_ERR_INVALID, "kiln_context_set_deadline: ctx is NULL");
  enum kiln_status status = check_backend(ctx);
  if (status == KILN_OK)
    atomic_store(&ctx->deadline, ns);
  return status;
}

enum kiln_status kiln_stream_cancel(struct kiln_stream *stream) {
  if (!stream)
    return kiln_error(KILN_ERR_INVALID, "kiln_stream_cancel: stream is NULL");
  enum kiln_status status = kiln_stream_check_runs("kiln_stream_cancel", stream);
  if (status != KILN_OK)
    return status;
  struct kiln_context *ctx = stream->ctx;
  status = check_backend(ctx);
  if (status != KILN_OK)
    return status;
  struct kiln_report report = kiln_context_report(ctx);
  status = ctx->backend->driver->stream_cancel(atomic_load(&ctx->drv), stream->drv_stream, &report);
  return kiln_report_finish(&report, status, ctx->backend->name, "kiln_stream_cancel");
}

bool kiln_stream_is_lost(const struct kiln_stream *stream) {
  const struct kiln_context *ctx = stream->ctx;
  const struct kiln_driver *driver = ctx->backend->driver;
  return driver->stream_lost && driver->stream_lost(atomic_load(&ctx->drv), stream->drv_stream);
}

void kiln_stream_completed(struct kiln_context *ctx, int slot, uint64_t count) {
  if (!ctx->backend->driver->stream_lost) {
    kiln_slot_completed(ctx, slot, count);
    return;
  }
  pthread_mutex_lock(&ctx->retire.lock);
  struct kiln_slot *s = &ctx->retire.slots[slot];
  bool lost = atomic_load(&s->lost);
  struct kiln_stream *stream = !lost && s->stream && kiln_stream_try_ref(s->stream) ? s->stream : NULL;
  pthread_mutex_unlock(&ctx->retire.lock);
  if (!stream) // lost, or at the last step of its release, which counts all
    return;
  if (!kiln_stream_is_lost(stream))
    kiln_slot_completed(ctx, slot, count);
  kiln_stream_unref(stream);
}
