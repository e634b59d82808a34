// Streams with deadlines. OpenCL cannot stop a kernel, and its calls that wait do so for ever: from the first deadline
// on, the commands of a stream are noted, and the host asks after them until the first one has had its time. Then the
// stream is lost: nothing is asked of its queue any more, and what it uses is never released.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "backends/opencl/driver/driver.h"
#include "base/c_locale.h"
#include "base/file.h"

#define FIRST_PAUSE_NS 10000 // between two looks, doubled up to
#define LAST_PAUSE_NS 1000000

struct cl_noted {
  struct cl_noted *next;
  cl_event event;
  uint64_t limit_ns, began_ns; // when it was first of the stream: it may have begun
};

struct cl_watch *kiln_cl_watch_new(void) {
  struct cl_watch *watch = calloc(1, sizeof *watch);
  if (!watch)
    return NULL;
  watch->refs = 1;
  watch->last = &watch->first;
  pthread_mutex_init(&watch->lock, NULL);
  return watch;
}

void kiln_cl_watch_unref(struct cl_watch *watch) {
  if (__atomic_sub_fetch(&watch->refs, 1, __ATOMIC_ACQ_REL))
    return;
  for (struct cl_noted *noted = watch->first, *next; noted; noted = next) { // the stream has been waited for
    next = noted->next;
    free(noted);
  }
  pthread_mutex_destroy(&watch->lock);
  free(watch);
}

static bool has_ended(struct kiln_drv *drv, cl_event event) {
  cl_int state = CL_COMPLETE;
  cl_int code = drv->api.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
  return code != CL_SUCCESS || state <= CL_COMPLETE;
}

// Under the lock: takes notice of what has ended.
static void settle(struct kiln_drv *drv, struct cl_watch *watch) {
  uint64_t now = kiln_now_ns();
  while (watch->first && has_ended(drv, watch->first->event)) {
    struct cl_noted *noted = watch->first;
    watch->first = noted->next;
    drv->api.clReleaseEvent(noted->event);
    free(noted);
    if (watch->first)
      watch->first->began_ns = now;
  }
  if (!watch->first) {
    watch->last = &watch->first;
    return;
  }
  uint64_t limit = watch->first->limit_ns;
  if (watch->lost || !limit || limit == UINT64_MAX || now - watch->first->began_ns < limit)
    return;
  kiln_snprintf(watch->message, sizeof watch->message,
                "a command ran longer than its deadline of %g ms; the device may still run it, and the stream is lost",
                (double)limit / 1e6);
  __atomic_store_n(&watch->lost, KILN_ERR_TIMEOUT, __ATOMIC_RELEASE);
}

enum kiln_status kiln_cl_watch_check(struct cl_watch *watch, struct kiln_report *report) {
  enum kiln_status lost = __atomic_load_n(&watch->lost, __ATOMIC_ACQUIRE);
  return lost ? kiln_fail(report, lost, "%s", watch->message) : KILN_OK;
}

enum kiln_status kiln_cl_watch_note(struct kiln_drv *drv, struct cl_watch *watch, cl_event event,
                                    struct kiln_report *report) {
  if (!event || !__atomic_load_n(&watch->on, __ATOMIC_RELAXED))
    return KILN_OK;
  struct cl_noted *noted = calloc(1, sizeof *noted);
  if (!noted || drv->api.clRetainEvent(event) != CL_SUCCESS) {
    free(noted);
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a command of a stream with a deadline");
  }
  noted->event = event;
  pthread_mutex_lock(&watch->lock);
  settle(drv, watch);
  noted->limit_ns = watch->limit_ns;
  noted->began_ns = kiln_now_ns();
  *watch->last = noted;
  watch->last = &noted->next;
  pthread_mutex_unlock(&watch->lock);
  return KILN_OK;
}

enum kiln_status kiln_cl_watch_wait(struct kiln_drv *drv, struct cl_watch *watch, cl_event event,
                                    struct kiln_report *report) {
  if (!__atomic_load_n(&watch->on, __ATOMIC_RELAXED))
    return KILN_OK;
  for (long pause = FIRST_PAUSE_NS; !has_ended(drv, event); pause = pause < LAST_PAUSE_NS ? 2 * pause : pause) {
    pthread_mutex_lock(&watch->lock);
    settle(drv, watch);
    pthread_mutex_unlock(&watch->lock);
    enum kiln_status status = kiln_cl_watch_check(watch, report);
    if (status)
      return status;
    nanosleep(&(struct timespec){0, pause}, NULL);
  }
  return KILN_OK;
}

enum kiln_status kiln_cl_stream_deadline(struct kiln_drv *drv, struct kiln_drv_stream *stream, uint64_t ns,
                                         struct kiln_report *report) {
  (void)drv, (void)report;
  struct cl_watch *watch = stream->watch;
  pthread_mutex_lock(&watch->lock);
  watch->limit_ns = ns;
  if (ns)
    __atomic_store_n(&watch->on, true, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&watch->lock);
  return KILN_OK;
}

// Without a deadline nobody knows what is enqueued, and others wait inside of the runtime.
enum kiln_status kiln_cl_stream_cancel(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                       struct kiln_report *report) {
  struct cl_watch *watch = stream->watch;
  if (!__atomic_load_n(&watch->on, __ATOMIC_RELAXED))
    return kiln_fail(report, KILN_ERR_UNSUPPORTED, "only streams with a deadline can be cancelled on this backend");
  pthread_mutex_lock(&watch->lock);
  settle(drv, watch);
  if (watch->first && !watch->lost) {
    snprintf(watch->message, sizeof watch->message,
             "a command was cancelled; the device may still run it, and the stream is lost");
    __atomic_store_n(&watch->lost, KILN_ERR_CANCELLED, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&watch->lock);
  return KILN_OK;
}

bool kiln_cl_stream_lost(struct kiln_drv *drv, struct kiln_drv_stream *stream) {
  (void)drv;
  return __atomic_load_n(&stream->watch->lost, __ATOMIC_ACQUIRE) != KILN_OK;
}
