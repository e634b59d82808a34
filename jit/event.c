// Events: the end of one command, or what the host signals.
#include <stdlib.h>

#include "jit/notify.h"
#include "jit/stream.h"
#include "jit/trace.h"

// ---- state ---------------------------------------------------------------------------------------------------------

// A command that has failed has ended, too.
static void completed(struct kiln_event *event) {
  if (!event->is_user)
    kiln_stream_completed(event->ctx, event->slot, event->count);
}

enum kiln_status kiln_event_wait(struct kiln_event *event) {
  if (!event)
    return kiln_error(KILN_ERR_INVALID, "kiln_event_wait: event is NULL");
  struct kiln_context *ctx = event->ctx;
  struct kiln_report report = kiln_context_report(ctx);
  uint64_t start = event->is_user ? 0 : kiln_trace_begin(ctx);
  enum kiln_status status = ctx->backend->driver->event_wait(atomic_load(&ctx->drv), event->drv_event, &report);
  completed(event);
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
  completed(event);
  return true;
}

enum kiln_status kiln_event_times(struct kiln_event *event, struct kiln_event_times *out) {
  if (!out)
    return kiln_error(KILN_ERR_INVALID, "kiln_event_times: out is NULL");
  enum kiln_status status = kiln_event_wait(event);
  if (status != KILN_OK)
    return status;
  const struct kiln_context *ctx = event->ctx;
  ctx->backend->driver->event_times(atomic_load(&ctx->drv), event->drv_event, out);
  if (event->first) {
    struct kiln_event_times first;
    ctx->backend->driver->event_times(atomic_load(&ctx->drv), event->first->drv_event, &first);
    out->enqueued_ns = first.enqueued_ns;
    out->started_ns = first.started_ns;
  }
  return KILN_OK;
}

enum kiln_event_state kiln_event_state(struct kiln_event *event, enum kiln_status *status) {
  enum kiln_status result = KILN_OK;
  enum kiln_event_state state = KILN_EVENT_DONE;
  if (event && !kiln_event_done(event)) {
    const struct kiln_context *ctx = event->ctx;
    bool is_told = ctx->backend->driver->event_state && !event->is_user;
    state =
        is_told ? ctx->backend->driver->event_state(atomic_load(&ctx->drv), event->drv_event) : KILN_EVENT_SUBMITTED;
    if (event->first && state < KILN_EVENT_RUNNING) {
      enum kiln_event_state first = kiln_event_state(event->first, NULL);
      state = first > state ? KILN_EVENT_RUNNING : state;
    }
  }
  if (event && state >= KILN_EVENT_DONE) {
    result = kiln_event_wait(event); // which is at its end
    state = result == KILN_OK ? KILN_EVENT_DONE : KILN_EVENT_FAILED;
  }
  if (status)
    *status = result;
  return state;
}

// ---- events of the host --------------------------------------------------------------------------------------------

enum kiln_status kiln_event_create_user(struct kiln_context *ctx, struct kiln_event **out) {
  if (!ctx || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_event_create_user: %s is NULL", ctx ? "out" : "ctx");
  struct kiln_drv *drv;
  enum kiln_status status = kiln_context_driver(ctx, &drv);
  if (status != KILN_OK)
    return status;
  if (!ctx->backend->driver->event_create || !ctx->backend->driver->event_signal)
    return kiln_error(KILN_ERR_UNSUPPORTED, "kiln_event_create_user: backend '%s' has no events that the host signals",
                      ctx->backend->name);
  struct kiln_event *event = calloc(1, sizeof *event);
  if (!event)
    return kiln_error_memory();
  struct kiln_report report = kiln_context_report(ctx);
  status = ctx->backend->driver->event_create(drv, &event->drv_event, &report);
  status = kiln_report_finish(&report, status, ctx->backend->name, "kiln_event_create_user");
  if (status != KILN_OK) {
    free(event);
    return status;
  }
  event->refs = 1;
  event->ctx = ctx;
  event->is_user = true;
  atomic_fetch_add(&ctx->unsignalled, 1);
  kiln_context_ref(ctx);
  *out = event;
  return KILN_OK;
}

// False: it was signalled before.
static bool signal_once(struct kiln_event *event, enum kiln_status status, const char *message) {
  struct kiln_context *ctx = event->ctx;
  pthread_mutex_lock(&ctx->notify_lock);
  bool is_first = !event->is_signalled;
  event->is_signalled = true;
  pthread_mutex_unlock(&ctx->notify_lock);
  if (!is_first)
    return false;
  ctx->backend->driver->event_signal(atomic_load(&ctx->drv), event->drv_event, status, message);
  atomic_fetch_sub(&ctx->unsignalled, 1);
  kiln_notify_signalled(event, status);
  return true;
}

enum kiln_status kiln_event_signal(struct kiln_event *event, enum kiln_status status) {
  if (!event)
    return kiln_error(KILN_ERR_INVALID, "kiln_event_signal: event is NULL");
  if (!event->is_user)
    return kiln_error(KILN_ERR_INVALID, "kiln_event_signal: the event is that of a command");
  if ((unsigned)status > KILN_ERR_CANCELLED)
    return kiln_error(KILN_ERR_INVALID, "kiln_event_signal: %d is no status", (int)status);
  struct kiln_strbuf message = {0};
  if (status != KILN_OK)
    kiln_strbuf_printf(&message, "the host signalled an event with '%s'", kiln_status_name(status));
  kiln_event_retain(event); // who waits for it may release it before this call is over
  bool is_first = signal_once(event, status, message.data ? message.data : "");
  kiln_event_release(event);
  kiln_strbuf_free(&message);
  return is_first ? KILN_OK : kiln_error(KILN_ERR_INVALID, "kiln_event_signal: the event was signalled before");
}

// ---- life ----------------------------------------------------------------------------------------------------------

void kiln_event_retain(struct kiln_event *event) {
  if (event)
    atomic_fetch_add(&event->refs, 1);
}

void kiln_event_release(struct kiln_event *event) {
  if (!event || atomic_fetch_sub(&event->refs, 1) != 1)
    return;
  struct kiln_context *ctx = event->ctx;
  if (event->is_user) {
    atomic_store(&event->refs, 1u << 30); // what those that are told retain and release does not end it again
    signal_once(event, KILN_ERR_CANCELLED, "an event of the host was released without being signalled");
  }
  ctx->backend->driver->event_release(atomic_load(&ctx->drv), event->drv_event);
  kiln_event_release(event->first);
  free(event);
  kiln_context_unref(ctx);
}
