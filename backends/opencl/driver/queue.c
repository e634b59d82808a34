// Streams are in-order queues with profiling.
#include <stdlib.h>

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

void kiln_cl_stream_destroy(struct kiln_drv *drv, struct kiln_drv_stream *stream) {
  drv->api.clFinish(stream->queue);
  if (stream->last)
    drv->api.clReleaseEvent(stream->last);
  drv->api.clReleaseCommandQueue(stream->queue);
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
  stream->failure = NULL;
  pthread_mutex_unlock(&stream->lock);
  if (failure)
    status = kiln_fail(report, KILN_ERR_DEVICE, "%s", failure);
  else if (code != CL_SUCCESS)
    status = kiln_cl_report(report, code, "running the commands of a stream");
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
    *made = (struct kiln_drv_event){stream->watch, handle, stream->queue, start};
    __atomic_add_fetch(&made->watch->refs, 1, __ATOMIC_RELAXED);
    *event = made;
  }
  pthread_mutex_lock(&stream->lock);
  cl_event before = stream->last;
  stream->last = handle;
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

// The same for a transfer, whose call gave code.
static enum kiln_status enqueued(struct kiln_drv *drv, struct kiln_drv_stream *stream, cl_int code, const char *what,
                                 cl_event handle, uint64_t start, KILN_CL_EVENT_ARGS) {
  if (code != CL_SUCCESS)
    return kiln_cl_report(report, code, what);
  return kiln_cl_enqueued(drv, stream, handle, start, event, report);
}

enum kiln_status kiln_cl_write(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                               size_t offset, const void *src, size_t size, KILN_CL_EVENT_ARGS) {
  cl_event handle = NULL;
  uint64_t start = kiln_now_ns();
  enum kiln_status status = kiln_cl_watch_check(stream->watch, report);
  if (status)
    return status;
  cl_int code = drv->api.clEnqueueWriteBuffer(stream->queue, dst->mem, CL_FALSE, offset, size, src, 0, NULL, &handle);
  return enqueued(drv, stream, code, "writing to a buffer", handle, start, event, report);
}

enum kiln_status kiln_cl_read(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                              size_t offset, void *dst, size_t size, KILN_CL_EVENT_ARGS) {
  cl_event handle = NULL;
  uint64_t start = kiln_now_ns();
  enum kiln_status status = kiln_cl_watch_check(stream->watch, report);
  if (status)
    return status;
  cl_int code = drv->api.clEnqueueReadBuffer(stream->queue, src->mem, CL_FALSE, offset, size, dst, 0, NULL, &handle);
  return enqueued(drv, stream, code, "reading from a buffer", handle, start, event, report);
}

enum kiln_status kiln_cl_copy_buffer(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                                     size_t src_offset, struct kiln_drv_memory *dst, size_t dst_offset, size_t size,
                                     KILN_CL_EVENT_ARGS) {
  cl_event handle = NULL;
  uint64_t start = kiln_now_ns();
  enum kiln_status status = kiln_cl_watch_check(stream->watch, report);
  if (status)
    return status;
  cl_int code =
      drv->api.clEnqueueCopyBuffer(stream->queue, src->mem, dst->mem, src_offset, dst_offset, size, 0, NULL, &handle);
  return enqueued(drv, stream, code, "copying between buffers", handle, start, event, report);
}

enum kiln_status kiln_cl_fill(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                              size_t offset, size_t size, const void *pattern, size_t pattern_size,
                              KILN_CL_EVENT_ARGS) {
  cl_event handle = NULL;
  uint64_t start = kiln_now_ns();
  enum kiln_status status = kiln_cl_watch_check(stream->watch, report);
  if (status)
    return status;
  cl_int code =
      drv->api.clEnqueueFillBuffer(stream->queue, dst->mem, pattern, pattern_size, offset, size, 0, NULL, &handle);
  return enqueued(drv, stream, code, "filling a buffer", handle, start, event, report);
}

enum kiln_status kiln_cl_wait(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                              struct kiln_report *report) {
  enum kiln_status status = kiln_cl_watch_check(stream->watch, report);
  if (status)
    return status;
  if (event->queue != stream->queue)
    drv->api.clFlush(event->queue);
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
  if (event->failure)
    return kiln_fail(report, KILN_ERR_DEVICE, "%s", event->failure);
  return code == CL_SUCCESS ? KILN_OK : kiln_cl_report(report, code, "running a command");
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
  if (api->clGetEventProfilingInfo(event->event, CL_PROFILING_COMMAND_QUEUED, sizeof queued, &queued, NULL) ||
      api->clGetEventProfilingInfo(event->event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) ||
      api->clGetEventProfilingInfo(event->event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL))
    return;
  out->started_ns += start > queued ? start - queued : 0;
  out->ended_ns += end > queued ? end - queued : 0;
}

void kiln_cl_event_release(struct kiln_drv *drv, struct kiln_drv_event *event) {
  drv->api.clReleaseEvent(event->event);
  kiln_cl_watch_unref(event->watch);
  free(event->failure);
  free(event);
}
