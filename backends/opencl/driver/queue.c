// Streams are in-order queues with profiling.
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/driver/driver.h"
#include "base/file.h"

enum kiln_status kiln_cl_stream_on(struct kiln_drv *drv, uint32_t device, cl_command_queue queue,
                                   struct kiln_drv_stream **out, struct kiln_report *report) {
  struct kiln_drv_stream *stream = calloc(1, sizeof *stream);
  struct cl_watch *watch = stream ? kiln_cl_watch_new() : NULL;
  if (!watch) {
    free(stream);
    drv->api.clReleaseCommandQueue(queue);
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a stream");
  }
  *stream = (struct kiln_drv_stream){.watch = watch, .drv = drv, .device = device, .queue = queue};
  pthread_mutex_init(&stream->lock, NULL);
  *out = stream;
  return KILN_OK;
}

enum kiln_status kiln_cl_stream_create(struct kiln_drv *drv, uint32_t device, struct kiln_drv_stream **out,
                                       struct kiln_report *report) {
  cl_int code;
  cl_command_queue queue =
      drv->api.clCreateCommandQueue(drv->context, drv->devices[device].info.device, CL_QUEUE_PROFILING_ENABLE, &code);
  return queue ? kiln_cl_stream_on(drv, device, queue, out, report)
               : kiln_cl_report(report, code, "creating a command queue");
}

// ---- events of the host that a stream waits for

static void drop_waits(struct kiln_drv *drv, struct cl_waits *waits) {
  while (waits && !__atomic_sub_fetch(&waits->refs, 1, __ATOMIC_ACQ_REL)) {
    struct cl_waits *next = waits->next;
    kiln_cl_event_release(drv, waits->event);
    free(waits);
    waits = next;
  }
}

static struct cl_waits *keep_waits(struct cl_waits *waits) {
  if (waits)
    __atomic_add_fetch(&waits->refs, 1, __ATOMIC_RELAXED);
  return waits;
}

// The last one that failed; NULL: none, so far.
static const struct kiln_drv_event *failed_wait(const struct cl_waits *waits) {
  while (waits && !__atomic_load_n(&waits->event->status, __ATOMIC_ACQUIRE))
    waits = waits->next;
  return waits ? waits->event : NULL;
}

static enum kiln_status tell_wait(const struct cl_waits *waits, struct kiln_report *report) {
  const struct kiln_drv_event *failed = failed_wait(waits);
  return failed ? kiln_fail(report, failed->status, "%s", failed->failure ? failed->failure : "") : KILN_OK;
}

// The stream comes after event, which is the host's, and after more. Waits that have ended well are forgotten.
static bool add_wait(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  struct cl_waits *made = calloc(1, sizeof *made);
  if (!made)
    return false;
  *made = (struct cl_waits){1, event, NULL};
  __atomic_add_fetch(&event->refs, 1, __ATOMIC_RELAXED);
  pthread_mutex_lock(&stream->lock);
  struct cl_waits *before = stream->waits, *kept = before;
  while (kept && kiln_cl_event_done(drv, kept->event) && !kept->event->status)
    kept = kept->next;
  made->next = keep_waits(kept);
  stream->waits = made;
  pthread_mutex_unlock(&stream->lock);
  drop_waits(drv, before);
  return true;
}

static bool add_waits(struct kiln_drv *drv, struct kiln_drv_stream *stream, const struct kiln_drv_event *event) {
  for (const struct cl_waits *waits = event->waits; waits; waits = waits->next)
    if (!add_wait(drv, stream, waits->event))
      return false;
  return true;
}

// ---- streams

void kiln_cl_stream_destroy(struct kiln_drv *drv, struct kiln_drv_stream *stream) {
  drv->api.clFinish(stream->queue);
  if (stream->last)
    drv->api.clReleaseEvent(stream->last);
  drv->api.clReleaseCommandQueue(stream->queue);
  drop_waits(drv, stream->waits);
  pthread_mutex_destroy(&stream->lock);
  kiln_cl_watch_unref(stream->watch);
  free(stream->failure);
  free(stream);
}

// What the command itself says: the error, or CL_SUCCESS while it runs or has ended well.
static cl_int command_error(struct kiln_drv *drv, cl_event event) {
  cl_int state = CL_COMPLETE;
  cl_int code = drv->api.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
  return code != CL_SUCCESS ? code : state < 0 ? state : CL_SUCCESS;
}

// The last command that was enqueued, with a reference; NULL: there is none.
static cl_event last_command(struct kiln_drv *drv, struct kiln_drv_stream *stream) {
  pthread_mutex_lock(&stream->lock);
  cl_event last = stream->last;
  if (last && drv->api.clRetainEvent(last) != CL_SUCCESS)
    last = NULL;
  pthread_mutex_unlock(&stream->lock);
  return last;
}

enum kiln_status kiln_cl_await_stream(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                      struct kiln_report *report) {
  if (!__atomic_load_n(&stream->watch->on, __ATOMIC_RELAXED))
    return KILN_OK;
  cl_event last = last_command(drv, stream);
  enum kiln_status status =
      last ? kiln_cl_watch_wait(drv, stream->watch, last, report) : kiln_cl_watch_check(stream->watch, report);
  if (last)
    drv->api.clReleaseEvent(last);
  return status;
}

enum kiln_status kiln_cl_finish(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_report *report) {
  enum kiln_status status = kiln_cl_await_stream(drv, stream, report);
  if (status)
    return status;
  cl_int code = drv->api.clFinish(stream->queue);
  if (code != CL_SUCCESS)
    return kiln_cl_report(report, code, "waiting for the OpenCL device");
  pthread_mutex_lock(&stream->lock);
  if (stream->last) { // the queue is in order: where one command fails, the next ones do
    code = command_error(drv, stream->last);
    drv->api.clReleaseEvent(stream->last);
    stream->last = NULL;
  }
  char *failure = stream->failure;
  struct cl_waits *waits = stream->waits;
  stream->failure = NULL;
  stream->waits = NULL;
  pthread_mutex_unlock(&stream->lock);
  if (failure)
    status = kiln_fail(report, KILN_ERR_DEVICE, "%s", failure);
  else if (code != CL_SUCCESS)
    status = kiln_cl_report(report, code, "running the commands of a stream");
  else
    status = tell_wait(waits, report);
  drop_waits(drv, waits);
  free(failure);
  return status;
}

enum kiln_status kiln_cl_enqueued(struct kiln_drv *drv, struct kiln_drv_stream *stream, cl_event handle, uint64_t start,
                                  KILN_CL_EVENT_ARGS) {
  drv->api.clFlush(stream->queue);
  struct kiln_drv_event *made = event ? calloc(1, sizeof *made) : NULL;
  cl_int code = made ? drv->api.clRetainEvent(handle) : CL_SUCCESS;
  enum kiln_status noted = kiln_cl_watch_note(drv, stream->watch, handle, report);
  if (made && code == CL_SUCCESS) {
    *made = (struct kiln_drv_event){
        .watch = stream->watch, .event = handle, .queue = stream->queue, .enqueued_ns = start, .refs = 1};
    __atomic_add_fetch(&made->watch->refs, 1, __ATOMIC_RELAXED);
    *event = made;
  }
  pthread_mutex_lock(&stream->lock);
  cl_event before = stream->last;
  stream->last = handle;
  if (made && code == CL_SUCCESS)
    made->waits = keep_waits(stream->waits);
  pthread_mutex_unlock(&stream->lock);
  if (before)
    drv->api.clReleaseEvent(before);
  if (code == CL_SUCCESS && (made || !event) && !noted)
    return KILN_OK;
  drv->api.clFinish(stream->queue); // the caller takes the command for one that does not run
  if (noted && made && code == CL_SUCCESS)
    kiln_cl_event_release(drv, made);
  if (noted)
    return noted;
  if (event && !made)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for an event");
  free(made);
  return kiln_cl_report(report, code, "keeping an event");
}

struct cl_command kiln_cl_command(struct kiln_drv *drv, struct kiln_drv_stream *stream, KILN_CL_EVENT_ARGS) {
  return (struct cl_command){.drv = drv,
                             .stream = stream,
                             .start = kiln_now_ns(),
                             .event = event,
                             .report = report,
                             .status = kiln_cl_watch_check(stream->watch, report)};
}

enum kiln_status kiln_cl_command_end(const struct cl_command *c, const char *what) {
  if (c->status)
    return c->status;
  if (c->code != CL_SUCCESS)
    return kiln_cl_report(c->report, c->code, what);
  return kiln_cl_enqueued(c->drv, c->stream, c->handle, c->start, c->event, c->report);
}

enum kiln_status kiln_cl_write(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                               size_t offset, const void *src, size_t size, KILN_CL_EVENT_ARGS) {
  struct cl_command c = kiln_cl_command(drv, stream, event, report);
  if (!c.status)
    c.code = drv->api.clEnqueueWriteBuffer(stream->queue, dst->mem, CL_FALSE, offset, size, src, 0, NULL, &c.handle);
  return kiln_cl_command_end(&c, "writing to a buffer");
}

enum kiln_status kiln_cl_read(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                              size_t offset, void *dst, size_t size, KILN_CL_EVENT_ARGS) {
  struct cl_command c = kiln_cl_command(drv, stream, event, report);
  if (!c.status)
    c.code = drv->api.clEnqueueReadBuffer(stream->queue, src->mem, CL_FALSE, offset, size, dst, 0, NULL, &c.handle);
  return kiln_cl_command_end(&c, "reading from a buffer");
}

enum kiln_status kiln_cl_copy_buffer(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                                     size_t src_offset, struct kiln_drv_memory *dst, size_t dst_offset, size_t size,
                                     KILN_CL_EVENT_ARGS) {
  struct cl_command c = kiln_cl_command(drv, stream, event, report);
  if (!c.status)
    c.code = drv->api.clEnqueueCopyBuffer(stream->queue, src->mem, dst->mem, src_offset, dst_offset, size, 0, NULL,
                                          &c.handle);
  return kiln_cl_command_end(&c, "copying between buffers");
}

enum kiln_status kiln_cl_fill(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                              size_t offset, size_t size, const void *pattern, size_t pattern_size,
                              KILN_CL_EVENT_ARGS) {
  struct cl_command c = kiln_cl_command(drv, stream, event, report);
  if (!c.status)
    c.code =
        drv->api.clEnqueueFillBuffer(stream->queue, dst->mem, pattern, pattern_size, offset, size, 0, NULL, &c.handle);
  return kiln_cl_command_end(&c, "filling a buffer");
}

enum kiln_status kiln_cl_wait(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                              struct kiln_report *report) {
  enum kiln_status status = kiln_cl_watch_check(stream->watch, report);
  if (status)
    return status;
  if (event->queue && event->queue != stream->queue)
    drv->api.clFlush(event->queue);
  if (!(event->is_user ? add_wait(drv, stream, event) : add_waits(drv, stream, event)))
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a wait");
  cl_int code = drv->api.clEnqueueBarrierWithWaitList(stream->queue, 1, &event->event, NULL);
  return code == CL_SUCCESS ? KILN_OK : kiln_cl_report(report, code, "waiting for an event");
}

// ---- events

enum kiln_status kiln_cl_event_wait(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_report *report) {
  enum kiln_status status = kiln_cl_watch_wait(drv, event->watch, event->event, report);
  if (status)
    return status;
  cl_int code = drv->api.clWaitForEvents(1, &event->event);
  cl_int own = code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? command_error(drv, event->event) : CL_SUCCESS;
  code = own != CL_SUCCESS ? own : code;
  if (event->is_user)
    return event->status ? kiln_fail(report, event->status, "%s", event->failure ? event->failure : "") : KILN_OK;
  if (event->failure)
    return kiln_fail(report, KILN_ERR_DEVICE, "%s", event->failure);
  return code == CL_SUCCESS ? tell_wait(event->waits, report) : kiln_cl_report(report, code, "running a command");
}

bool kiln_cl_event_done(struct kiln_drv *drv, struct kiln_drv_event *event) {
  cl_int state = CL_COMPLETE;
  cl_int code = drv->api.clGetEventInfo(event->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
  return code != CL_SUCCESS || state <= CL_COMPLETE || __atomic_load_n(&event->watch->lost, __ATOMIC_ACQUIRE);
}

void kiln_cl_event_times(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_event_times *out) {
  cl_ulong queued = 0, start = 0, end = 0;
  const struct cl_api *api = &drv->api;
  // The device's clock is not the host's: distances count from the enqueue.
  *out = (struct kiln_event_times){event->enqueued_ns, event->enqueued_ns, event->enqueued_ns};
  if (event->is_user)
    return;
  if (api->clGetEventProfilingInfo(event->event, CL_PROFILING_COMMAND_QUEUED, sizeof queued, &queued, NULL) ||
      api->clGetEventProfilingInfo(event->event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) ||
      api->clGetEventProfilingInfo(event->event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL))
    return;
  out->started_ns += start > queued ? start - queued : 0;
  out->ended_ns += end > queued ? end - queued : 0;
}

void kiln_cl_event_release(struct kiln_drv *drv, struct kiln_drv_event *event) {
  if (__atomic_sub_fetch(&event->refs, 1, __ATOMIC_ACQ_REL))
    return;
  drop_waits(drv, event->waits);
  drv->api.clReleaseEvent(event->event);
  kiln_cl_watch_unref(event->watch);
  free(event->failure);
  free(event);
}

enum kiln_event_state kiln_cl_event_state(struct kiln_drv *drv, struct kiln_drv_event *event) {
  cl_int state = CL_SUBMITTED;
  drv->api.clGetEventInfo(event->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
  return state == CL_QUEUED ? KILN_EVENT_QUEUED : state == CL_SUBMITTED ? KILN_EVENT_SUBMITTED : KILN_EVENT_RUNNING;
}

// ---- events of the host

enum kiln_status kiln_cl_event_create(struct kiln_drv *drv, struct kiln_drv_event **out, struct kiln_report *report) {
  struct kiln_drv_event *event = calloc(1, sizeof *event);
  struct cl_watch *watch = event ? kiln_cl_watch_new() : NULL; // of no stream: it never has a deadline
  if (!watch) {
    free(event);
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for an event");
  }
  cl_int code;
  *event = (struct kiln_drv_event){.watch = watch, .is_user = true, .refs = 1, .enqueued_ns = kiln_now_ns()};
  event->event = drv->api.clCreateUserEvent(drv->context, &code);
  if (event->event) {
    *out = event;
    return KILN_OK;
  }
  kiln_cl_watch_unref(watch);
  free(event);
  return kiln_cl_report(report, code, "creating an event of the host");
}

void kiln_cl_event_signal(struct kiln_drv *drv, struct kiln_drv_event *event, enum kiln_status status,
                          const char *message) {
  event->enqueued_ns = kiln_now_ns();
  event->failure = status ? strdup(message) : NULL;
  __atomic_store_n(&event->status, status, __ATOMIC_RELEASE);
  for (int i = 0; i < 2; i++) // it may lack memory for a moment; on a device that is lost nothing waits
    if (drv->api.clSetUserEventStatus(event->event, CL_COMPLETE) == CL_SUCCESS)
      break;
}
