// Waiting so that Python's signals are seen: on the main thread, whose handlers run between the parts of the wait. An
// exception of a handler, such as KeyboardInterrupt, cancels what is waited for.
#include <unistd.h>

#include "pykiln.h"

#define PART_NS 50000000 // how often signals are looked for

bool pk_sees_signals(void) { return gettid() == getpid(); }

// Ends what was enqueued, after an exception, which stays.
static void cancel(struct pk_context *context, struct kiln_stream *stream) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PK_BEGIN
  if (kiln_stream_cancel(stream) == KILN_OK)
    kiln_stream_finish(stream); // which tells that it was cancelled
  PK_END
  pk_context_deliver(context);
  PyErr_Restore(type, value, trace);
}

bool pk_wait(struct pk_context *context, struct kiln_stream *stream, struct kiln_event *event) {
  if (!pk_sees_signals())
    return true;
  for (;;) {
    bool done = false;
    enum kiln_status status;
    PK_BEGIN
    status = event ? kiln_event_wait_within(event, PART_NS, &done) : kiln_stream_finish_within(stream, PART_NS, &done);
    PK_END
    if (done || status != KILN_OK)
      return true;
    if (PyErr_CheckSignals() != 0) {
      cancel(context, stream);
      return false;
    }
  }
}

enum kiln_status pk_stream_new(struct pk_context *context, uint32_t device, struct kiln_stream **out) {
  enum kiln_status status = kiln_stream_create(context->ctx, device, out);
  if (status == KILN_OK && !context->is_host)
    kiln_stream_set_deadline(*out, KILN_DEADLINE_CANCEL); // without it some backends can cancel nothing
  return status;
}
