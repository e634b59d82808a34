// Events: the end of one command.
#include <stdlib.h>

#include "jit/stream.h"
#include "jit/trace.h"

enum kiln_status kiln_event_wait(struct kiln_event *event) {
  if (!event)
    return kiln_error(KILN_ERR_INVALID, "kiln_event_wait: event is NULL");
  struct kiln_context *ctx = event->ctx;
  struct kiln_report report = kiln_context_report(ctx);
  uint64_t start = kiln_trace_begin(ctx);
  enum kiln_status status = ctx->backend->driver->event_wait(atomic_load(&ctx->drv), event->drv_event, &report);
  kiln_stream_completed(ctx, event->slot, event->count); // a failed command has ended too
  if (start)
    kiln_trace_wait(ctx, event->slot, "kiln_event_wait", start);
  return kiln_report_finish(&report, status, ctx->backend->name, NULL);
}

bool kiln_event_done(struct kiln_event *event) {
  if (!event)
    return true;
  struct kiln_context *ctx = event->ctx;
  if (!ctx->backend->driver->event_done(atomic_load(&ctx->drv), event->drv_event))
    return false;
  kiln_stream_completed(ctx, event->slot, event->count);
  return true;
}

enum kiln_status kiln_event_times(struct kiln_event *event, struct kiln_event_times *out) {
  if (!out)
    return kiln_error(KILN_ERR_INVALID, "kiln_event_times: out is NULL");
  enum kiln_status status = kiln_event_wait(event);
  if (status == KILN_OK)
    event->ctx->backend->driver->event_times(atomic_load(&event->ctx->drv), event->drv_event, out);
  return status;
}

enum kiln_event_state kiln_event_state(struct kiln_event *event, enum kiln_status *status) {
  enum kiln_status result = KILN_OK;
  bool is_done = kiln_event_done(event);
  if (is_done && event)
    result = kiln_event_wait(event); // which is at its end
  if (status)
    *status = result;
  return !is_done ? KILN_EVENT_PENDING : result == KILN_OK ? KILN_EVENT_DONE : KILN_EVENT_FAILED;
}

void kiln_event_retain(struct kiln_event *event) {
  if (event)
    atomic_fetch_add(&event->refs, 1);
}

void kiln_event_release(struct kiln_event *event) {
  if (!event || atomic_fetch_sub(&event->refs, 1) != 1)
    return;
  struct kiln_context *ctx = event->ctx;
  ctx->backend->driver->event_release(atomic_load(&ctx->drv), event->drv_event);
  free(event);
  kiln_context_unref(ctx);
}
