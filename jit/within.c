// Waiting for a limited time.
#include <sched.h>
#include <time.h>

#include "base/file.h"
#include "jit/stream.h"

#define SHORTEST_NAP_NS 50000 // sleeping for less takes as long
#define LONGEST_NAP_NS 5000000

// Where the backend has no such call: looks again after a part of the time that it has waited, so that little is added
// to it, and without sleeping at first.
static bool poll_event(struct kiln_event *event, uint64_t ns) {
  uint64_t start = kiln_now_ns();
  for (;;) {
    if (kiln_event_done(event))
      return true;
    uint64_t waited = kiln_now_ns() - start, nap = waited / 16;
    if (waited >= ns)
      return false;
    nap = nap < LONGEST_NAP_NS ? nap : LONGEST_NAP_NS;
    nap = nap < ns - waited ? nap : ns - waited;
    if (nap < SHORTEST_NAP_NS)
      sched_yield();
    else
      nanosleep(&(struct timespec){0, (long)nap}, NULL);
  }
}

enum kiln_status kiln_event_wait_within(struct kiln_event *event, uint64_t ns, bool *done) {
  if (!event || !done)
    return kiln_error(KILN_ERR_INVALID, "kiln_event_wait_within: %s is NULL", event ? "done" : "event");
  struct kiln_context *ctx = event->ctx;
  *done = ctx->backend->driver->wait_within
              ? ctx->backend->driver->wait_within(atomic_load(&ctx->drv), NULL, event->drv_event, ns) &&
                    kiln_event_done(event)
              : poll_event(event, ns);
  return KILN_OK;
}

enum kiln_status kiln_stream_finish_within(struct kiln_stream *stream, uint64_t ns, bool *done) {
  if (!stream || !done)
    return kiln_error(KILN_ERR_INVALID, "kiln_stream_finish_within: %s is NULL", stream ? "done" : "stream");
  enum kiln_status status = kiln_stream_check_runs("kiln_stream_finish_within", stream);
  if (status != KILN_OK)
    return status;
  struct kiln_context *ctx = stream->ctx;
  if (ctx->backend->driver->wait_within) {
    *done = ctx->backend->driver->wait_within(atomic_load(&ctx->drv), stream->drv_stream, NULL, ns);
    return KILN_OK;
  }
  struct kiln_event *event;
  status = kiln_stream_record(stream, &event);
  if (status != KILN_OK)
    return status;
  *done = poll_event(event, ns);
  kiln_event_release(event);
  return KILN_OK;
}
